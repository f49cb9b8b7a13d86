import { ApiError } from "../../../platform/http/contract/errors.ts";
import type { OwnerChange, SettingGroup, TypedSettings } from "../../../platform/settings/setting.ts";
import { findDkimKey } from "./dkim-store.ts";
import { emailSettings, resolveDomain, transactionalSettings } from "./settings.pure.ts";

/**
 * A domain is marked by hand for the mail server of the project alone: the one that all projects share sends from domains that DNS has shown,
 * or an operator has marked. So a mark by hand goes together with the mail server for which it was made.
 */
async function limitMark({ db, projectId, typed, values, kept }: OwnerChange): Promise<TypedSettings> {
  const hadOwn = kept.has("email.smtpUrl");
  const server = values.get("email.smtpUrl");
  const hasOwn = server === undefined ? hadOwn : server !== null;
  const marked = kept.get("email.domainVerified")?.value ?? null;
  const mark = values.has("email.domainVerified") ? values.get("email.domainVerified") : marked;
  if (hasOwn || typeof mark !== "string") return typed;
  if (mark !== marked)
    throw new ApiError(
      "forbidden",
      "email.domainVerified is set by hand by operators, or where the project has a mail server of its own (email.smtpUrl): have DNS asked instead.",
    );
  const isSeen = ((await findDkimKey(db, projectId, mark))?.verifiedAt ?? null) !== null;
  return hadOwn && !isSeen ? { ...typed, "email.domainVerified": "" } : typed;
}

export const emailSettingGroup: SettingGroup = {
  settings: emailSettings,
  topic: "email",
  fit: (values, kept) => resolveDomain(values, kept.get("email.from")?.value),
  limitOwner: limitMark,
};

export const transactionalSettingGroup: SettingGroup = { settings: transactionalSettings, topic: "email" };

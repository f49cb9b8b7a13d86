import type { Ctx } from "../../../../platform/http/contract/endpoint.ts";
import { SettingError } from "../../../../platform/settings/setting.ts";
import { listSettings, readSettings } from "../../../settings/public.ts";
import {
  emailSettingGroup,
  findSenderDomain,
  type SenderDomain,
  wantedRecords,
} from "../../sender/public.ts";
import { type EmailSettings, emailSettings } from "../../sender/settings.pure.ts";
import { hasMailCatcher, senderFaults } from "../open-sender.ts";
import type { EmailSender } from "./schema.ts";

type At = Pick<Ctx, "app" | "db" | "projectId">;

/** What `read` answers, or the message of a setting that cannot be read. */
async function readable<Value>(read: Promise<Value>): Promise<{ value: Value } | { fault: string }> {
  try {
    return { value: await read };
  } catch (error) {
    if (error instanceof SettingError) return { fault: `${error.message}.` };
    throw error;
  }
}

export const shownRecords = (domain: SenderDomain) =>
  wantedRecords(domain).map((record) => ({ type: "TXT" as const, ...record }));

function mailServerOf({ app }: At, hasOwn: boolean): EmailSender["mailServer"] {
  if (hasOwn) return "own";
  if (app.config.smtpUrl !== null) return "shared";
  return hasMailCatcher(app) ? "outbox" : "none";
}

/** How the project's mail leaves, without its secrets: of these it says whether they are set. */
export async function viewSender(at: At): Promise<EmailSender> {
  const { app, db, projectId } = at;
  const all = await listSettings(db, [emailSettingGroup], projectId);
  const values = new Map(all.map(({ key, value }) => [key, value]));
  const text = (key: keyof EmailSettings): string | null => {
    const value = values.get(key) ?? null;
    return value === null ? null : String(value);
  };
  const found = await readable(findSenderDomain(db, app.secrets, projectId));
  const settings = await readable(readSettings(db, app.secrets, projectId, emailSettings));
  const domain = "value" in found ? found.value : null;
  const provider = text("email.provider") ?? "smtp";
  const faults = [found, settings].flatMap((each) => ("fault" in each ? [each.fault] : []));
  return {
    from: text("email.from"),
    postalAddress: text("email.postalAddress"),
    spfInclude: text("email.spfInclude"),
    mailServer: mailServerOf(at, values.get("email.smtpUrl") !== null),
    provider,
    hasWebhookSecret: values.get("email.webhookSecret") !== null,
    webhookUrl: provider === "smtp" ? null : `${app.publicUrl()}/hooks/email/${provider}/${projectId}`,
    publicUrl: app.publicUrl(),
    domain: domain && {
      name: domain.domain,
      maySend: domain.maySend,
      seenAt: domain.seenAt,
      records: shownRecords(domain),
    },
    missing: "value" in settings ? senderFaults(app, settings.value).map(({ needs }) => needs) : [],
    fault: faults[0] ?? null,
  };
}

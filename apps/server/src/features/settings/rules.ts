import {
  isOrganizationKey,
  isSettingKey,
  SENDER_DOMAIN,
  type SettingKey,
  type Settings,
  type SettingValue,
  settingOf,
} from "./schema.ts";
import { parseSender, type Sender } from "./sender.pure.ts";

/** Values by key; null stands for the default. */
export type NewValues = ReadonlyMap<SettingKey, SettingValue>;

/** The fault of typed texts: one line that names key and rule, never the value. */
export type SettingFault = { fault: string };

const UNKNOWN = 'is not a setting: "tidings settings get" lists them';

/** The values of typed texts by key; an empty text clears to the default. */
export function readChanges(changes: Readonly<Record<string, string>>): NewValues | SettingFault {
  const values = new Map<SettingKey, SettingValue>();
  for (const [key, text] of Object.entries(changes)) {
    // A mistyped argument may be a password: only what looks like a key is repeated.
    if (!isSettingKey(key))
      return { fault: `${/^[a-z]{1,20}\.[A-Za-z]{1,30}$/.test(key) ? key : "What is given"} ${UNKNOWN}` };
    if (text === "") {
      values.set(key, null);
      continue;
    }
    const parsed = settingOf(key).parse.safeParse(text);
    if (!parsed.success) return { fault: `${key} ${parsed.error.issues[0]?.message ?? "is not usable"}` };
    values.set(key, parsed.data);
  }
  return values;
}

/** Refuses keys that belong to the other one: to a project, or to the organization. */
export function misplaced(keys: readonly string[], owner: "project" | "organization"): SettingFault | null {
  for (const key of keys.filter(isSettingKey)) {
    if (isOrganizationKey(key) === (owner === "organization")) continue;
    const where =
      owner === "project" ? "the organization: change it under All projects" : "a project: change it there";
    return { fault: `${key} belongs to ${where}` };
  }
  return null;
}

/** Resolves `true` to the domain of the sender; `from` is the sender before these changes. */
export function resolveDomain(values: NewValues, from: SettingValue): NewValues | SettingFault {
  if (values.get("email.domainVerified") !== SENDER_DOMAIN) return values;
  const next = values.has("email.from") ? values.get("email.from") : from;
  const sender = typeof next === "string" ? parseSender(next) : null;
  if (sender === null)
    return { fault: "email.domainVerified must name a domain while email.from is not set" };
  return new Map(values).set("email.domainVerified", sender.domain);
}

const originOf = (url: unknown): string | null =>
  typeof url === "string" && URL.canParse(url) ? new URL(url).origin : null;

/**
 * Refuses an address of a model at another origin than the one for which the key was given, unless the same change brings the key anew or
 * clears it: an owner who never saw the key must not have it sent elsewhere. `before`: the address before these changes, and whether a key is kept.
 */
export function checkModelKey(
  values: NewValues,
  before: { url: unknown; hasKey: boolean },
): NewValues | SettingFault {
  const next = originOf(values.get("agent.modelUrl"));
  if (next === null || next === originOf(before.url) || !before.hasKey || values.has("agent.modelKey"))
    return values;
  return {
    fault:
      "agent.modelKey must be given again, or cleared, together with an agent.modelUrl at another host: the key that is kept was given for the former one",
  };
}

const DAY_MS = 86_400_000;
const MAX_PERIOD_DAYS = 400;

/** Accepts a period with both ends or none, 1 to 400 days long; `before` are its ends before these changes. */
export function checkPeriod(
  values: NewValues,
  before: { start: unknown; end: unknown },
): NewValues | SettingFault {
  if (!values.has("org.periodStart") && !values.has("org.periodEnd")) return values;
  const start = values.has("org.periodStart") ? values.get("org.periodStart") : before.start;
  const end = values.has("org.periodEnd") ? values.get("org.periodEnd") : before.end;
  if (typeof start !== "string" && typeof end !== "string") return values;
  if (typeof start !== "string" || typeof end !== "string")
    return { fault: "org.periodStart and org.periodEnd must be set, or cleared, together" };
  const days = (Date.parse(end) - Date.parse(start)) / DAY_MS;
  return days >= 1 && days <= MAX_PERIOD_DAYS
    ? values
    : { fault: `org.periodEnd must be 1 to ${MAX_PERIOD_DAYS} days after org.periodStart` };
}

/** The sender of this project's mail, or null while none is set. */
export const senderOf = (settings: Pick<Settings, "email.from">): Sender | null =>
  settings["email.from"] === null ? null : parseSender(settings["email.from"]);

/** Whether the domain that mail comes from is the one that was verified. */
export const isSenderVerified = (
  settings: Pick<Settings, "email.from" | "email.domainVerified">,
): boolean => {
  const sender = senderOf(settings);
  return sender !== null && sender.domain === settings["email.domainVerified"];
};

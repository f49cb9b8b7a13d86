/**
 * What an expression means, said once more as plainly as can be, for the test that compares the engines with it. It reads raw
 * users and events and shares no code with them.
 */

export type SomeEvent = { name: string; props: Record<string, unknown> | null; ts: number };
/** A message of a campaign to a user, with when what became of it. */
export type SomeMessage = {
  campaign: string;
  channel: "web_inapp" | "email" | "push";
  sentAt: number | null;
  shownAt: number | null;
  openedAt: number | null;
  clickedAt: number | null;
  dismissedAt: number | null;
  bouncedAt: number | null;
};
export type SomeUser = {
  id: string;
  traits: Record<string, unknown>;
  firstSeenAt: number;
  lastSeenAt: number;
};

type Json = Record<string, unknown>;

const UNITS: Record<string, number> = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 };
const lengthOf = (window: Json): number => Number(window.amount) * (UNITS[String(window.unit)] ?? Number.NaN);

/** Days of each month, by hand. */
function daysIn(year: number, month: number): number {
  if (month === 2) return year % 400 === 0 || (year % 4 === 0 && year % 100 !== 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** Epoch milliseconds of a time that says its offset, counted day by day from the fields of the text; else null. */
function timeOf(text: string): number | null {
  const found = /^(....)-(..)-(..)T(..):(..)(?::(..)(?:\.(.{1,9}))?)?(Z|[+-](..):(..))$/su.exec(text);
  if (found === null) return null;
  const digits = [1, 2, 3, 4, 5, 6, 7, 9, 10].map((group) => found[group]);
  if (digits.some((part) => part !== undefined && [...part].some((sign) => sign < "0" || sign > "9")))
    return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = digits.map(Number);
  const [zoneHour, zoneMinute] = [Number(found[9] ?? 0), Number(found[10] ?? 0)];
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return null;
  if (hour > 23 || minute > 59 || (found[6] !== undefined && second > 59)) return null;
  if (zoneHour > 23 || zoneMinute > 59) return null;
  // Days since 1 March of year 0, with the leap day at the end of the counted year.
  const [y, m] = month > 2 ? [year, month - 3] : [year - 1, month + 9];
  const days = 365 * y + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400);
  const sinceEpoch = days + Math.floor((153 * m + 2) / 5) + day - 1 - 719_468;
  const ms = Number((found[7] ?? "").slice(0, 3).padEnd(3, "0"));
  const zone = (zoneHour * 60 + zoneMinute) * (found[8]?.startsWith("-") ? -1 : 1);
  return (
    ((sinceEpoch * 24 + hour) * 60 + minute - zone) * 60_000 +
    (found[6] === undefined ? 0 : second * 1_000) +
    ms
  );
}

function matchesTime(op: unknown, value: unknown, time: number, now: number): boolean {
  if (op === "before") return time < (timeOf(String(value)) ?? Number.NaN);
  if (op === "after") return time > (timeOf(String(value)) ?? Number.NaN);
  const far = lengthOf(value as Json);
  const isNear = String(op).endsWith("last")
    ? time >= now - far && time <= now
    : time >= now && time <= now + far;
  return String(op).startsWith("not_") ? !isNear : isNear;
}

/** `seen` is undefined where there is nothing; `isTime` says that it is epoch milliseconds. */
function matchesValue(condition: Json, seen: unknown, isTime: boolean, now: number): boolean {
  const { op, value } = condition;
  const isThere = seen !== undefined && seen !== null;
  if (op === "exists") return isThere;
  if (op === "not_exists") return !isThere;
  if (!isThere) return false;
  if (["before", "after"].includes(String(op)) || String(op).includes("within_")) {
    const time = isTime ? (seen as number) : typeof seen === "string" ? timeOf(seen) : null;
    return time !== null && matchesTime(op, value, time, now);
  }
  if (op === "in" || op === "not_in") {
    const members = value as unknown[];
    if (typeof seen !== typeof members[0]) return false;
    return members.some((member) => member === seen) === (op === "in");
  }
  if (typeof seen !== typeof value) return false;
  if (op === "eq") return seen === value;
  if (op === "neq") return seen !== value;
  if (typeof seen === "number" && typeof value === "number") {
    return op === "gt"
      ? seen > value
      : op === "gte"
        ? seen >= value
        : op === "lt"
          ? seen < value
          : seen <= value;
  }
  const [text, part] = [String(seen), String(value)];
  if (op === "contains") return text.split(part).length > 1 || part === "";
  return op === "starts_with"
    ? text.slice(0, part.length) === part
    : text.slice(text.length - part.length) === part && part.length <= text.length;
}

function occurrences(node: Json, events: readonly SomeEvent[], now: number): number {
  const cutoff = node.window === undefined ? Number.NEGATIVE_INFINITY : now - lengthOf(node.window as Json);
  return events.filter(
    ({ name, props, ts }) =>
      name === node.event &&
      ts <= now &&
      ts >= cutoff &&
      ((node.where ?? []) as Json[]).every((condition) =>
        matchesValue(condition, ownOf(props ?? {}, String((condition.field as Json).key)), false, now),
      ),
  ).length;
}

/** With how many messages a user did what a node says. */
function deeds(node: Json, messages: readonly SomeMessage[], now: number): number {
  const cutoff = node.window === undefined ? Number.NEGATIVE_INFINITY : now - lengthOf(node.window as Json);
  const doneAt = (message: SomeMessage): number | null => {
    if (node.did === "opened") return message.openedAt;
    if (node.did === "clicked") return message.clickedAt;
    if (node.did === "dismissed") return message.dismissedAt;
    if (message.bouncedAt !== null) return null;
    return message.channel === "web_inapp" ? message.shownAt : message.sentAt;
  };
  return messages.filter((message) => {
    if (node.channel !== undefined && node.channel !== message.channel) return false;
    if (node.campaigns !== undefined && !(node.campaigns as string[]).includes(message.campaign))
      return false;
    const at = doneAt(message);
    return at !== null && at >= cutoff && at <= now;
  }).length;
}

const ownOf = (object: Json, key: string): unknown => new Map(Object.entries(object)).get(key);

function matchesCount({ op, value }: Json, count: number): boolean {
  const sign = Math.sign(count - Number(value));
  return { eq: sign === 0, neq: sign !== 0, gt: sign > 0, gte: sign >= 0, lt: sign < 0, lte: sign <= 0 }[
    String(op)
  ] as boolean;
}

/** Whether a node of an expression, canonical JSON, is true of someone at an instant. */
export function isTrueOf(
  node: Json,
  person: SomeUser & { events: readonly SomeEvent[]; messages?: readonly SomeMessage[] },
  now: number,
): boolean {
  if (node.kind === "not") return !isTrueOf(node.child as Json, person, now);
  if (node.kind === "event") return matchesCount(node.count as Json, occurrences(node, person.events, now));
  if (node.kind === "message")
    return matchesCount(node.count as Json, deeds(node, person.messages ?? [], now));
  if (node.kind === "field") {
    const field = node.field as Json;
    if (field.kind === "trait")
      return matchesValue(node, ownOf(person.traits, String(field.key)), false, now);
    if (field.field === "id") return matchesValue(node, person.id, false, now);
    const seenAt = field.field === "lastSeenAt" ? person.lastSeenAt : person.firstSeenAt;
    // No user was seen in the future: a clock was ahead.
    return matchesValue(node, Math.min(seenAt, now), true, now);
  }
  const answers = (node.children as Json[]).map((child) => isTrueOf(child, person, now));
  return node.kind === "all" ? !answers.includes(false) : answers.includes(true);
}

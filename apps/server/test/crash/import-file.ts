import { DAY_MS } from "../../src/platform/time/clock.ts";

/** A file to bring in, and what has to be there of it afterwards, as `readBrought` reads it. */
export type KilledFile = {
  kind: "users" | "events";
  text: string;
  lines: number;
  /** The lines that are refused, by their numbers in the file. */
  refused: readonly number[];
  expected: Brought;
};

/** What is stored of a file: a text for each user, event and address that gets no mail. */
export type Brought = { users: readonly string[]; events: readonly string[]; stopped: readonly string[] };

/** One user in so many has left, and one line in so many has an address that is none. */
const [LEFT_EVERY, BROKEN_EVERY] = [41, 1_009];
const EVENT_NAMES = 20;
/** One event in so many has no id, and one line in so many no instant. */
const [NAMELESS_EVERY, TIMELESS_EVERY] = [7, 997];

const sorted = (texts: readonly string[]): string[] => texts.toSorted((a, b) => (a < b ? -1 : 1));

const headed = (names: string, lines: readonly string[]): string => `${names}\n${lines.join("\n")}\n`;

/** A file of users, some of whom have left and some of whom are refused. */
export function killedUsers(lines: number, now: number): KilledFile {
  const rows: string[] = [];
  const [users, stopped]: string[][] = [[], []];
  const refused: number[] = [];
  for (let n = 0; n < lines; n++) {
    const [isBroken, hasLeft] = [n % BROKEN_EVERY === 13, n % LEFT_EVERY === 5];
    const email = isBroken ? "no address" : `user-${n}@example.com`;
    const since = now - (n % 300) * DAY_MS;
    rows.push(`user-${n},${email},plan-${n % 5},${n},${new Date(since).toISOString()},${hasLeft}`);
    if (isBroken) refused.push(n + 2);
    else users?.push(`user-${n} ${email} plan-${n % 5} ${n} ${since}`);
    if (hasLeft && !isBroken) stopped?.push(`${email} unsubscribed 1`);
  }
  return {
    kind: "users",
    text: headed("id,email,plan,seats,created_at,unsubscribed", rows),
    lines,
    refused,
    expected: { users: sorted(users ?? []), events: [], stopped: sorted(stopped ?? []) },
  };
}

/** A file of events of twenty names, some without an id and some that are refused. */
export function killedEvents(lines: number, users: number, now: number): KilledFile {
  const rows: string[] = [];
  const events: string[] = [];
  const refused: number[] = [];
  for (let n = 0; n < lines; n++) {
    const at = now - (lines - n) * 60_000;
    const isTimeless = n % TIMELESS_EVERY === 11;
    const [user, name, id] = [`user-${(n * 7_919) % users}`, `event_${n % EVENT_NAMES}`, `e:${n}`];
    const hasId = n % NAMELESS_EVERY !== 3;
    rows.push(`${user},${name},${isTimeless ? "" : new Date(at).toISOString()},${hasId ? id : ""},${n}`);
    if (isTimeless) refused.push(n + 2);
    else events.push(`${user} ${name} ${at} ${hasId ? id : "made"} ${n}`);
  }
  return {
    kind: "events",
    text: headed("id,event,timestamp,message_id,amount", rows),
    lines,
    refused,
    expected: { users: [], events: sorted(events), stopped: [] },
  };
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The lists that a sync can write, in the order in which it writes them: rows name what stands in lists before theirs. */
export const LISTS = [
  "users",
  "identities",
  "events",
  "deliveries",
  "sends",
  "suppressions",
  "runs",
] as const;
export type SyncListName = (typeof LISTS)[number];

export type Every = "hour" | "day";

/** So long after its end a window of events is written: what was recorded in it is there by then, also where a clock was set back a little. */
const LAG_MS = 2 * MINUTE_MS;

/**
 * A window of a list (epoch ms). Events are those that arrived from `since` on (null: all that are there) until before `until`; all other lists
 * are whole, and `until` is their day. `folder` is where its files go.
 */
export type ListWindow = { since: number | null; until: number; folder: string };

/** What a list of a sync is, and how far. `begins`: the instant of its first event; null for all. `doneUntil`: the end of its last window. */
export type ListProgress = {
  list: SyncListName;
  every: Every;
  begins: number | null;
  doneUntil: number | null;
};

/** `closed`: all events that arrived before it can be read. Both are by the clock of the database (epoch ms). */
export type ReadableUntil = { now: number; closed: number };

const floorTo = (at: number, width: number): number => at - (at % width);

const widthOf = ({ list, every }: ListProgress): number =>
  list === "events" && every === "hour" ? HOUR_MS : DAY_MS;

/** `date=2026-11-29`, with `/hour=13` for an hour: as Hive names partitions, which most readers know. */
function folderOf(list: SyncListName, at: number, width: number): string {
  const [date = "", time = ""] = new Date(at).toISOString().split("T");
  return `${list}/date=${date}${width === HOUR_MS ? `/hour=${time.slice(0, 2)}` : ""}`;
}

/** When a window that ends at `until` can be written. */
const readableAt = (list: SyncListName, until: number): number =>
  list === "events" ? until + LAG_MS : until;

/** The end of the window that a list comes to next. */
function nextEnd(progress: ListProgress, now: number): number {
  const { list, begins, doneUntil } = progress;
  const width = widthOf(progress);
  if (list !== "events") {
    const today = floorTo(now, width);
    return doneUntil === null || doneUntil < today ? today : today + width;
  }
  const last = doneUntil ?? begins;
  return last === null ? floorTo(now - LAG_MS, width) : floorTo(last, width) + width;
}

/** The window that can be written next of a list; null where there is none yet. */
export function nextWindow(progress: ListProgress, { now, closed }: ReadableUntil): ListWindow | null {
  const { list, begins, doneUntil } = progress;
  const until = nextEnd(progress, now);
  if (readableAt(list, until) > now || (list === "events" && until > closed)) return null;
  const width = widthOf(progress);
  return list === "events"
    ? { since: doneUntil ?? begins, until, folder: folderOf(list, until - width, width) }
    : { since: null, until, folder: folderOf(list, until, width) };
}

/** When the next window of a list can be written (epoch ms), by the clock that `now` is of. */
export const nextWindowAt = (progress: ListProgress, now: number): number =>
  readableAt(progress.list, nextEnd(progress, now));

/** So many attempts in a row fail before it is news. */
export const FAILURES_BEFORE_NEWS = 3;

const LONGEST_WAIT_MS = HOUR_MS;

/** How long to wait after so many attempts in a row that failed (ms): a minute at first, an hour at most. */
export const waitAfter = (failures: number): number =>
  Math.min(LONGEST_WAIT_MS, MINUTE_MS * 2 ** Math.min(10, failures - 1));

const FILE_DIGITS = 5;

/** The name of a file of a window. `n` counts from 1. */
export const fileName = (n: number, format: string): string =>
  `part-${String(n).padStart(FILE_DIGITS, "0")}.${format}`;

export const MANIFEST = "_manifest.json";
/** What stands in a place from the beginning: whose it is. */
export const CLAIM = "_tidings.json";

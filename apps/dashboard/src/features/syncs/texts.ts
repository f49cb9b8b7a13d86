import { timeOf, utcRangeOf } from "../../platform/times.ts";
import {
  inOrder,
  isArriving,
  SYNC_LISTS,
  type Sync,
  type SyncWindow,
  spanOfWindow,
  writtenUntil,
} from "./rules.ts";
import { words } from "./words.ts";

/** A UTC day (epoch ms) with its year. */
const dayOf = (at: number): string => utcRangeOf(at, at);

/** What people call the place of a sync: a folder, or a path in a bucket. */
export const placeName = ({ to }: Pick<Sync, "to">): string =>
  "folder" in to ? to.folder : `${to.s3.bucket}/${to.s3.prefix}`;

/** The host of a store, for a bucket. */
export const hostOf = (endpoint: string): string => URL.parse(endpoint)?.host ?? endpoint;

/** Where the place is. */
export const placeAbout = ({ to }: Pick<Sync, "to">): string =>
  "folder" in to ? words.inFolder : words.inBucket(hostOf(to.s3.endpoint));

/** Which lists a sync writes, for a cell. */
export const listsText = (lists: Sync["lists"]): string =>
  lists.length === SYNC_LISTS.length
    ? words.allLists
    : inOrder(lists)
        .map((list) => words.listNames[list])
        .join(", ");

/** The form of the files and how often there are new ones. */
export const filesText = ({ format, every, lists }: Pick<Sync, "format" | "every" | "lists">): string =>
  words.filesOf(words.formats[format], lists.some(isArriving) ? words.rhythms[every] : words.dailyRhythm);

/** Until when a sync is up to date; null where nothing is there yet. */
export function untilText(sync: Pick<Sync, "progress">): string | null {
  const until = writtenUntil(sync);
  if (until === null) return null;
  return sync.progress.some(({ list }) => isArriving(list))
    ? words.until(timeOf(until))
    : words.asOf(dayOf(until));
}

/** How far one list is. */
export function progressText({ list, writtenUntil: until }: Sync["progress"][number]): string {
  if (until === null) return words.notWritten;
  return isArriving(list) ? timeOf(until) : words.wholeAsOf(dayOf(until));
}

/** What a window has, in a few words. */
export function windowText(window: SyncWindow): string {
  const span = spanOfWindow(window);
  if (span.kind === "whole") return words.spans.whole(dayOf(span.day));
  if (span.kind === "before") return words.spans.before(timeOf(span.until));
  return words.spans.arrived(timeOf(span.since), timeOf(span.until));
}

/** When something is written next; null where nothing is. */
export const dueText = ({ dueAt, isWriting }: Pick<Sync, "dueAt" | "isWriting">): string | null => {
  if (dueAt === null) return null;
  return isWriting || dueAt <= Date.now() ? words.now : timeOf(dueAt);
};

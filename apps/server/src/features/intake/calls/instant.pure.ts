import { readInstantIn } from "../../../platform/time/written-instants.ts";
import { UTC } from "../../../platform/time/zone.ts";
import type { Fields } from "./fit.pure.ts";

/** Clocks may differ by so much without a word. */
const TOLERANCE_MS = 60_000;

/** Epoch milliseconds of what a call gives as an instant; null for nothing that is one. */
export const callInstant = (value: unknown): number | null => readInstantIn(UTC, value);

const isNone = (value: unknown): boolean => value === undefined || value === null || value === "";

/** What a call gives as a time. In the place of a number that cannot be kept stands one that is no time. */
const timeIn = (call: Fields, name: string): unknown =>
  name in call && call[name] === undefined ? Number.NaN : call[name];

/**
 * The instants of a call: what it says of when it happened, and when it was sent (`sentAtOfAll`, where it does not say it itself). One that was
 * received before, and comes out of an archive, has had its time put right already.
 */
export const reportedBy = (call: Fields, sentAtOfAll: number | null): Pick<Reported, "at" | "sentAt"> =>
  callInstant(call.receivedAt) === null
    ? {
        at: timeIn(call, "originalTimestamp") ?? timeIn(call, "timestamp"),
        sentAt: isNone(call.sentAt) ? sentAtOfAll : callInstant(call.sentAt),
      }
    : { at: timeIn(call, "timestamp") ?? timeIn(call, "originalTimestamp") ?? call.receivedAt, sentAt: null };

type Reported = { at: unknown; sentAt: number | null; now: number; mostAgeMs: number };

/**
 * When a call happened, by the clock of this server. The clock of a device may be wrong, but it was as wrong when it sent the call: how long before
 * that something happened is right (the Segment specification has the formula, under "Timestamps").
 * @param reported `at`: what the call says; `sentAt`: when it was sent, by the same clock, as far as it says so; `now`: when it came. Calls are believed to be `mostAgeMs` old at most
 * @returns epoch milliseconds, and whether that is when it came although the call says otherwise
 */
export function happenedAt({ at, sentAt, now, mostAgeMs }: Reported): { at: number; isDoubted: boolean } {
  if (at === undefined || at === null || at === "") return { at: now, isDoubted: false };
  const by = callInstant(at);
  if (by === null) return { at: now, isDoubted: true };
  const happened = sentAt === null ? by : now - (sentAt - by);
  if (happened >= now) return { at: now, isDoubted: happened > now + TOLERANCE_MS };
  return now - happened > mostAgeMs ? { at: now, isDoubted: true } : { at: happened, isDoubted: false };
}

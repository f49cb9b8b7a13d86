import type { Zone } from "../../platform/time/zone.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** The minutes of a day at which quiet hours begin, and end; they may go over midnight. */
export type Quiet = { from: number; to: number };

const QUIET = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/;

/** The quiet hours of a text such as `21:00-08:00`; null for any other text. */
export function parseQuiet(text: string): Quiet | null {
  const found = QUIET.exec(text);
  if (found === null) return null;
  const [, fromHour, fromMinute, toHour, toMinute] = found.map(Number);
  const quiet = {
    from: (fromHour ?? 0) * 60 + (fromMinute ?? 0),
    to: (toHour ?? 0) * 60 + (toMinute ?? 0),
  };
  return quiet.from === quiet.to ? null : quiet;
}

/** Until when (epoch ms) the quiet hours last that an instant lies in; null where it lies in none. */
export function quietUntil({ from, to }: Quiet, zone: Zone, now: number): number | null {
  const shown = zone.shownAt(now);
  const day = Math.floor(shown / DAY_MS) * DAY_MS;
  const minute = Math.floor((shown - day) / MINUTE_MS);
  const isQuiet = from < to ? minute >= from && minute < to : minute >= from || minute < to;
  if (!isQuiet) return null;
  const end = day + to * MINUTE_MS + (minute >= to ? DAY_MS : 0);
  const until = zone.instantOf(end);
  // Where clocks show the end twice, and went past the first of the two, the second one is the end.
  return until > now ? until : now + (end - shown);
}

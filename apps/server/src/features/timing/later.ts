import type { Db } from "../../platform/db/db.ts";
import type { CampaignTiming } from "../campaigns/authoring/timing.pure.ts";
import type { CampaignTopic } from "../campaigns/topics/public.ts";
import { type Later, NO_LATER } from "../deliveries/public.ts";
import { readSome } from "../settings/public.ts";
import type { Pressing, ReaderRow } from "./census-store.ts";
import { parseQuiet, quietUntil } from "./quiet.pure.ts";
import { clockNamed, readerClock } from "./reader-clock.pure.ts";
import { leavesAt } from "./send-time.pure.ts";
import { type PressingChannel, TIMING_KEYS, timingSettings } from "./settings.pure.ts";
import { limitsFor } from "./wait-words.pure.ts";

type Question = { db: Db; projectId: string; now: number };

/** How to count the users of a census who would get their message later. */
export type LaterCounter = {
  /** By what messages press. */
  pressing: Pressing;
  /** Adds users who would be reached. */
  add(rows: readonly ReaderRow[]): void;
  counts(): Later;
};

/**
 * A counter of the users of a census who would get a campaign's message later, each for the first reason, as if it was queued now; null where
 * nothing has any message wait.
 */
export async function laterCounter(
  { db, projectId, now }: Question,
  channel: PressingChannel,
  { timing, topic }: { timing: CampaignTiming; topic: CampaignTopic | null },
): Promise<LaterCounter | null> {
  const settings = await readSome(db, projectId, timingSettings, TIMING_KEYS);
  const { limits } = limitsFor(timing, settings, channel, topic);
  const quiet = timing.urgent || settings["time.quiet"] === null ? null : parseQuiet(settings["time.quiet"]);
  if (timing.sendTime === null && quiet === null && limits.length === 0) return null;
  const project = clockNamed(settings["time.zone"]);
  const counts = { ...NO_LATER };
  const reasonOf = ({ zone, isPressed }: ReaderRow): keyof Later | null => {
    const reader = readerClock(zone, project);
    if (leavesAt(timing, reader, project, now) > now) return "localHour";
    if (quiet !== null && quietUntil(quiet, reader.zone, now) !== null) return "quiet";
    return isPressed ? "pressure" : null;
  };
  return {
    pressing: { projectId, limits, now },
    add(rows) {
      for (const row of rows) {
        const reason = reasonOf(row);
        if (reason !== null) counts[reason] += row.users;
      }
    },
    counts: () => counts,
  };
}

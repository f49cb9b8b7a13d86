import type { Db } from "../../platform/db/db.ts";
import type { Loop } from "../../platform/loops/loops.ts";
import { projectLoop } from "../../platform/loops/project-loop.ts";
import type { Queue } from "../../platform/outbound/channel.ts";
import type { App } from "../../platform/runtime.ts";
import { SECOND_MS } from "../../platform/time/clock.ts";
import { readSome } from "../settings/public.ts";
import { findPostponedAcrossProjects, type PostponedQueue } from "./postponed-store.ts";
import { type PressingChannel, TIMING_KEYS, timingSettings } from "./settings.pure.ts";
import { wordsOfNow } from "./wait-words.pure.ts";

/** Few enough that other transactions hardly wait for their rows. */
const AT_ONCE = 1_000;

/** How a channel releases messages: it makes those of a campaign due that wait for these words, and answers how many there were. */
type Releasing = {
  name: string;
  channel: PressingChannel;
  /** All that messages wait for beside hours and pressure, by the settings of now. */
  ownWords(app: App, projectId: string): Promise<string[]>;
  release(db: Db, queue: Queue, which: { words: string; now: number; limit: number }): Promise<number>;
  /** Makes messages due that wait for these words further ahead than any may; a channel that looks for them elsewhere has no such function. */
  hasten?(db: Db, queue: Queue, which: { words: string; now: number; limit: number }): Promise<number>;
};

/**
 * Makes messages due that were postponed for hours, a limit or a cap which their project or campaign does not have any more, so that they are decided
 * about by the rule of now. It compares what each message waits for with what there is, and needs no word of a change: one that was postponed by
 * settings which were read just before is found as well.
 */
export const releaseLoopOf = ({ name, channel, ownWords, release, hasten }: Releasing): Loop =>
  projectLoop<PostponedQueue>({
    name,
    restMs: SECOND_MS,
    find: (app, { now }) => findPostponedAcrossProjects(app.database.kysely, channel, now),
    async turn(app, projectId, queues, signal) {
      const { kysely } = app.database;
      const settings = await readSome(kysely, projectId, timingSettings, TIMING_KEYS);
      const own = await ownWords(app, projectId);
      let didSomething = false;
      for (const { words, timing, topic, ...queue } of queues) {
        const known = new Set([...own, ...wordsOfNow(timing, settings, channel, topic)]);
        for (const each of words) {
          if (signal.aborted) return didSomething;
          const move = known.has(each) ? hasten : release;
          const moved = (await move?.(kysely, queue, { words: each, now: app.clock(), limit: AT_ONCE })) ?? 0;
          if (moved > 0) didSomething = true;
        }
      }
      return didSomething;
    },
  });

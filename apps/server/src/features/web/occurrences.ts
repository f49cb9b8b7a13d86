import { askOnce } from "../../platform/db/batch/ask-once.ts";
import { createBatch } from "../../platform/db/batch/batch.ts";
import { batchQueue } from "../../platform/db/batch/batch-queue.ts";
import { type App, resource } from "../../platform/runtime.ts";
import { MINUTE_MS } from "../../platform/time/clock.ts";
import { countOccurrences, MAX_READ_EVENTS } from "../audience/language/public.ts";
import type { FeedConfig } from "./config.ts";
import { type FeedReader, type ReadForNeeds, readForNeeds } from "./feed-store.ts";

/** The user and configuration whose needs are counted, as of an instant (epoch milliseconds). */
type Counting = { user: FeedReader; config: FeedConfig; now: number };

const sameOf = ({ user, config }: Counting): string => user.userKey + config.version;

const readingBatch = resource((app) =>
  createBatch<Counting, ReadForNeeds | undefined>({
    laneOf: ({ user }) => user.lane,
    userOf: ({ user }) => user.userKey,
    queue: batchQueue(app, "events of users"),
    run: (rows) =>
      askOnce(rows, sameOf, (distinct) =>
        readForNeeds(
          app.database.hotPool,
          distinct.map(({ user, config: { reading }, now }) => {
            const { reachMs, ...wanted } = reading;
            // Read a minute more than needed: slightly earlier requests for the same user get this answer too.
            const since = Number.isFinite(reachMs) ? now - reachMs - MINUTE_MS : 0;
            return { ...user, ...wanted, since };
          }),
        ),
      ),
  }),
);

/** Counts in batches, so that users with very many events use one connection, however many of them ask. */
const countsBatch = resource((app) =>
  createBatch<Counting, { occurrences: number[] } | undefined>({
    laneOf: ({ user }) => user.lane,
    userOf: ({ user }) => user.userKey,
    queue: batchQueue(app, "counts of users"),
    run: (rows) =>
      askOnce(rows, sameOf, (distinct) =>
        countOccurrences(
          app.database.hotPool,
          distinct.map(({ user, config, now }) => ({
            ...user,
            evaluatedAt: now,
            needs: config.needs.json() ?? "[]",
          })),
        ),
      ),
  }),
);

/** How often each need was met: counted in memory from what the user did, or in SQL where that is too much. */
export async function countNeeds(app: App, counting: Counting): Promise<readonly number[]> {
  const read = await app.get(readingBatch).add(counting);
  const events = [...(read?.timely ?? []), ...(read?.propertied ?? [])];
  const messages = read?.messages ?? [];
  if (events.length <= MAX_READ_EVENTS && messages.length <= MAX_READ_EVENTS)
    return counting.config.needs.count({ events, messages }, counting.now);
  const counted = await app.get(countsBatch).add(counting);
  return counted?.occurrences ?? [];
}

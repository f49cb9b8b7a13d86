import { askOnce } from "../../platform/db/batch/ask-once.ts";
import { createBatch } from "../../platform/db/batch/batch.ts";
import { batchQueue } from "../../platform/db/batch/batch-queue.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { type App, resource } from "../../platform/runtime.ts";
import { type FeedConfig, feedConfigs } from "./config.ts";
import {
  type FactKinds,
  type FeedFacts,
  type FeedReader,
  readFeedFacts,
  readNeededFacts,
} from "./feed-store.ts";

/**
 * Facts; the kinds that were read; and the configuration that decided which of each kind. That is null where all of them were read, or
 * no configuration was known.
 */
type Read = { facts: FeedFacts; kinds: FactKinds; config: FeedConfig | null };

const EVERY_KIND: FactKinds = { counts: true, deliveries: true, withheld: true, steps: true };

const bothKinds = (one: FactKinds, other: FactKinds): FactKinds => ({
  counts: one.counts || other.counts,
  deliveries: one.deliveries || other.deliveries,
  withheld: one.withheld || other.withheld,
  steps: one.steps || other.steps,
});

const hasKinds = (read: FactKinds, needed: FactKinds): boolean =>
  (read.counts || !needed.counts) &&
  (read.deliveries || !needed.deliveries) &&
  (read.withheld || !needed.withheld) &&
  (read.steps || !needed.steps);

/**
 * Reads the facts that their projects' campaigns need, of users who have too many. The list goes with the first user of each
 * project.
 */
async function readNeeded(app: App, readers: readonly FeedReader[]): Promise<Read[]> {
  const configs = new Map<string, FeedConfig | null>();
  const questions = readers.map((reader) => {
    const { projectId } = reader;
    if (configs.has(projectId)) return { ...reader, needed: null };
    const config = app.get(feedConfigs).latest(projectId);
    configs.set(projectId, config);
    return { ...reader, needed: config?.needed ?? null };
  });
  const found = await readNeededFacts(app.database.hotPool, questions);
  return found.map((facts, position) => ({
    facts,
    kinds: EVERY_KIND,
    config: configs.get(readers[position]?.projectId ?? "") ?? null,
  }));
}

/** Reads the facts of users, in order. */
async function readEach(app: App, readers: readonly FeedReader[]): Promise<Read[]> {
  const configs = app.get(feedConfigs);
  const each = new Set(readers.map(({ projectId }) => configs.latest(projectId)?.kinds ?? EVERY_KIND));
  const kinds = [...each].reduce(bothKinds);
  const found = await readFeedFacts(kinds)(app.database.hotPool, readers);
  const reads = found.map((facts): Read => ({ facts, kinds, config: null }));
  const partial = readers.flatMap((reader, position) =>
    found[position]?.isPartial === true ? [{ reader, position }] : [],
  );
  if (partial.length === 0) return reads;
  const needed = await readNeeded(
    app,
    partial.map(({ reader }) => reader),
  );
  for (const [index, { position }] of partial.entries()) reads[position] = needed[index] as Read;
  return reads;
}

const factsBatch = resource((app) =>
  createBatch<FeedReader, Read | undefined>({
    laneOf: (row) => row.lane,
    userOf: (row) => row.userKey,
    queue: batchQueue(app, "messages"),
    // A user's key is computed from the project too, so it tells users of different projects apart.
    run: (rows) =>
      askOnce(
        rows,
        ({ userKey }) => userKey,
        (distinct) => readEach(app, distinct),
      ),
  }),
);

/** A configuration that changes between so many readings is changed by a program in error: people change it rarely. */
const MAX_READINGS = 10;

/**
 * A user's facts, and the configuration to decide with, at the version of the facts or later. Where only a part of the facts was
 * read, it is the part that this same configuration needs, and each kind that it asks about is there. Null where the project is gone.
 */
export async function readForFeed(
  app: App,
  reader: FeedReader,
): Promise<{ facts: FeedFacts; config: FeedConfig } | null> {
  for (let reading = 1; reading <= MAX_READINGS; reading++) {
    const read = await app.get(factsBatch).add(reader);
    if (read === undefined) return null;
    const { facts, kinds } = read;
    if (facts.configVersion === null) return null;
    const config = await app.get(feedConfigs).read(reader.projectId, facts.configVersion);
    if (hasKinds(kinds, config.kinds) && (!facts.isPartial || config.version === read.config?.version))
      return { facts, config };
  }
  throw new ApiError("unavailable", "The campaigns of this project change too fast; try again.", {
    headers: { "retry-after": "1" },
  });
}

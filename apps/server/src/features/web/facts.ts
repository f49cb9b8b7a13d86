import { askOnce } from "../../platform/db/ask-once.ts";
import { createBatch } from "../../platform/db/batch.ts";
import { batchQueue } from "../../platform/db/batch-queue.ts";
import { ApiError } from "../../platform/http/errors.ts";
import { type App, resource } from "../../platform/runtime.ts";
import { type FeedConfig, feedConfigs } from "./config.ts";
import { type FeedFacts, type FeedReader, readAskedFacts, readFacts } from "./feed-store.ts";

/** Facts, and the configuration whose campaigns decided what was read of them: null where all was, or none was at hand. */
type Read = { facts: FeedFacts; config: FeedConfig | null };

/** Reads, of users with very much, what their projects' campaigns ask about. It goes with the first user of each project. */
async function readAsked(app: App, readers: readonly FeedReader[]): Promise<Read[]> {
  const configs = new Map<string, FeedConfig | null>();
  const questions = readers.map((reader) => {
    const { projectId } = reader;
    if (configs.has(projectId)) return { ...reader, asked: null };
    const config = app.get(feedConfigs).latest(projectId);
    configs.set(projectId, config);
    return { ...reader, asked: config?.asked ?? null };
  });
  const found = await readAskedFacts(app.database.hotPool, questions);
  return found.map((facts, position) => ({
    facts,
    config: configs.get(readers[position]?.projectId ?? "") ?? null,
  }));
}

/** Reads the facts of those who ask, in order. */
async function readEach(app: App, readers: readonly FeedReader[]): Promise<Read[]> {
  const found = await readFacts(app.database.hotPool, readers);
  const reads = found.map((facts): Read => ({ facts, config: null }));
  const partial = found.flatMap(({ isPartial }, position) => (isPartial ? [position] : []));
  if (partial.length === 0) return reads;
  const asked = await readAsked(
    app,
    partial.map((position) => readers[position] as FeedReader),
  );
  for (const [index, position] of partial.entries()) reads[position] = asked[index] as Read;
  return reads;
}

const factsBatch = resource((app) =>
  createBatch<FeedReader, Read | undefined>({
    laneOf: (row) => row.lane,
    userOf: (row) => row.userKey,
    queue: batchQueue(app, "messages"),
    // A user's key is made of their project.
    run: (rows) =>
      askOnce(
        rows,
        ({ userKey }) => userKey,
        (distinct) => readEach(app, distinct),
      ),
  }),
);

/** A configuration that changes with every reading is somebody's mistake; people change it now and then. */
const MAX_READINGS = 10;

/**
 * A user's facts, and the configuration to decide with: as of the facts, or later. Where only a part of the facts was read, it is the
 * part that this very configuration asks about. Null where the project is gone.
 */
export async function readForFeed(
  app: App,
  reader: FeedReader,
): Promise<{ facts: FeedFacts; config: FeedConfig } | null> {
  for (let reading = 1; reading <= MAX_READINGS; reading++) {
    const read = await app.get(factsBatch).add(reader);
    if (read === undefined) return null;
    const { facts } = read;
    if (facts.configVersion === null) return null;
    const config = await app.get(feedConfigs).read(reader.projectId, facts.configVersion);
    if (!facts.isPartial || config.version === read.config?.version) return { facts, config };
  }
  throw new ApiError("unavailable", "The campaigns of this project change too fast; try again.", {
    headers: { "retry-after": "1" },
  });
}

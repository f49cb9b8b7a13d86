import { askOnce } from "../../platform/db/ask-once.ts";
import { createBatch } from "../../platform/db/batch.ts";
import { batchQueue } from "../../platform/db/batch-queue.ts";
import { ApiError } from "../../platform/http/errors.ts";
import { type App, resource } from "../../platform/runtime.ts";
import { type FeedConfig, feedConfigs } from "./config.ts";
import { type FeedFacts, type FeedReader, readFacts } from "./feed-store.ts";

/** Facts, and the configuration whose campaigns decided what was read of them; null where none was at hand. */
type Read = { facts: FeedFacts; config: FeedConfig | null };

/** Reads the facts of those who ask. With the first of each project goes what its campaigns ask about. */
async function readEach(app: App, readers: readonly FeedReader[]): Promise<Read[]> {
  const configs = new Map<string, FeedConfig | null>();
  const questions = readers.map((reader) => {
    const { projectId } = reader;
    if (configs.has(projectId)) return { ...reader, asked: null };
    const config = app.get(feedConfigs).latest(projectId);
    configs.set(projectId, config);
    return { ...reader, asked: config?.asked ?? null };
  });
  const found = await readFacts(app.database.hotPool, questions);
  return found.map((facts, position) => ({
    facts,
    config: configs.get(readers[position]?.projectId ?? "") ?? null,
  }));
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
    const config = await app.get(feedConfigs).read(reader.projectId, facts.configVersion);
    if (!facts.isPartial || config.version === read.config?.version) return { facts, config };
  }
  throw new ApiError("unavailable", "The campaigns of this project change too fast; try again.", {
    headers: { "retry-after": "1" },
  });
}

import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { MovedBetween } from "./move-rows.ts";
import { readWitnesses, readWitnessesAfterwards } from "./witnesses.ts";

/** Whether what was moved is in the target: `unknown` where it cannot be found out now. */
export type MoveFate = "there" | "absent" | "unknown";

/** For how long a database is looked for that does not answer. */
const LOOK_MS = 60_000;

/**
 * Finds out whether the transaction of a move was committed: by a new connection, once that transaction is over.
 * @param witnesses what the source has, by `readWitnesses`
 */
export async function findFate(
  connect: () => pg.Client,
  witnesses: readonly string[],
  lookMs = LOOK_MS,
): Promise<MoveFate> {
  for (const until = Date.now() + lookMs; ; await sleep(500)) {
    const client = connect();
    // A connection that breaks emits this as well as failing its statement.
    client.on("error", () => undefined);
    try {
      await client.connect();
      const found = await readWitnessesAfterwards(client);
      return witnesses.every((id) => found.includes(id)) ? "there" : "absent";
    } catch {
      if (Date.now() > until) return "unknown";
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

/** Commits the move. An answer that did not come, or is an error, says nothing yet: then it is looked for. */
export async function commitMove(
  { source, target }: MovedBetween,
  connect: () => pg.Client,
): Promise<{ fate: MoveFate; cause: unknown }> {
  const witnesses = await readWitnesses(source);
  try {
    await target.query("commit");
    return { fate: "there", cause: null };
  } catch (cause) {
    // Ended first, so that its transaction is over as soon as may be.
    await target.end().catch(() => undefined);
    return { fate: await findFate(connect, witnesses), cause };
  }
}

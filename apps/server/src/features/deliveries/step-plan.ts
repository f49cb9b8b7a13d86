import type { Connection } from "../../platform/db/db.ts";

/** The message of a step for some users: whom it cannot reach and why, by their keys, and how to queue it for the others. */
export type StepPlan = {
  skipped: ReadonlyMap<string, string>;
  /** Queues the messages of these users in the transaction of the caller; a repeat queues none twice. */
  queue(client: Connection, users: ReadonlySet<string>): Promise<unknown>;
  /** Has what was queued leave at once, when the transaction is over. */
  wake(): void;
};

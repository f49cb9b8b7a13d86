import type { UserRef } from "../../domain/ids.ts";
import type { Connection } from "../../platform/db/db.ts";

/** A user who has come to a step, the occasion of their message, and the event by which they entered the journey. */
export type StepUser = UserRef & {
  occasion: number;
  event: { props: Readonly<Record<string, unknown>> } | null;
};

/** The message of a step for some users: whom it cannot reach and why, by their keys, and how to queue it for the others. */
export type StepPlan = {
  skipped: ReadonlyMap<string, string>;
  /** Queues the messages of these users in the transaction of the caller; a repeat queues none twice. */
  queue(client: Connection, users: ReadonlySet<string>): Promise<unknown>;
  /** Has what was queued leave at once, when the transaction is over. */
  wake(): void;
};

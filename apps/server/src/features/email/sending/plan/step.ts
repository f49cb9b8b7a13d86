import type { UserRef } from "../../../../domain/ids.ts";
import type { Connection } from "../../../../platform/db/db.ts";
import { wake } from "../../../../platform/loops/loops.ts";
import type { App } from "../../../../platform/runtime.ts";
import { readAllocation } from "../../../campaigns/authoring/public.ts";
import { emailChannel } from "../send/channel.ts";
import { readIntake, writeSendsIn } from "./intake.ts";
import { decideFor } from "./plan.ts";
import { findAddressees } from "./plan-store.ts";

/** The message of a step for some users: whom it cannot reach and why, by their keys, and how to queue it for the others. */
export type StepPlan = {
  skipped: ReadonlyMap<string, string>;
  /** Queues the messages of these users in the transaction of the caller; a repeat queues none twice. */
  queue(client: Connection, users: ReadonlySet<string>): Promise<unknown>;
  /** Has what was queued leave at once, when the transaction is over. */
  wake(): void;
};

/** Plans the mail of a step for users who have arrived there, each on an occasion; null where its campaign is gone. */
export async function planStep(
  app: App,
  which: { projectId: string; campaignId: string },
  users: readonly (UserRef & { occasion: number })[],
): Promise<StepPlan | null> {
  const { projectId, campaignId } = which;
  const { kysely } = app.database;
  const allocation = await readAllocation(kysely, projectId, campaignId);
  if (allocation === null) return null;
  const candidates = await findAddressees(kysely, projectId, users);
  const decided = await decideFor(app, which, candidates, allocation, ({ occasion }) => occasion);
  const skipped = new Map(users.map(({ userKey }) => [userKey, "no_address"]));
  for (const each of decided) {
    if ("planned" in each) skipped.delete(each.userKey);
    else skipped.set(each.userKey, each.reason);
  }
  const planned = decided.flatMap((each) => ("planned" in each ? [each.planned] : []));
  const perHour = await readIntake(app, projectId, planned);
  return {
    skipped,
    async queue(client, chosen) {
      const sends = planned.filter(({ userKey }) => chosen.has(userKey));
      if (sends.length > 0) await writeSendsIn(client, projectId, sends, perHour);
    },
    wake: () => wake(app, emailChannel.sendLoop),
  };
}

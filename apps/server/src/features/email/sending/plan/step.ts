import type { UserRef } from "../../../../domain/ids.ts";
import { wake } from "../../../../platform/loops/loops.ts";
import type { App } from "../../../../platform/runtime.ts";
import { readAllocation } from "../../../campaigns/authoring/public.ts";
import { findHad, type StepPlan } from "../../../deliveries/public.ts";
import { emailChannel } from "../send/channel.ts";
import { readIntake, writeSendsIn } from "./intake.ts";
import { decideFor } from "./plan.ts";
import { findAddressees } from "./plan-store.ts";

/** Plans the mail of a step for users who have arrived there, each on an occasion; null where its campaign is gone. */
export async function planMailStep(
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
  const sends = decided.flatMap((each) => ("planned" in each ? [each.planned] : []));
  // A user who had it when they entered before is not held out of it now: that is decided once.
  const heldOut = sends.filter((send) => send.heldOut);
  const had = await findHad(kysely, projectId, campaignId, heldOut);
  const planned = sends.map((send) => (had.has(send.userKey) ? { ...send, heldOut: false } : send));
  const perHour = await readIntake(app, projectId, planned);
  return {
    skipped,
    async queue(client, chosen) {
      const theirs = planned.filter(({ userKey }) => chosen.has(userKey));
      if (theirs.length > 0) await writeSendsIn(client, projectId, theirs, perHour);
    },
    wake: () => wake(app, emailChannel.sendLoop),
  };
}

import { wake } from "../../../../platform/loops/loops.ts";
import type { App } from "../../../../platform/runtime.ts";
import { drawVariant, findHad, noVariant, type StepPlan, type StepUser } from "../../../deliveries/public.ts";
import type { WaitReason } from "../schema.ts";
import { pushChannel } from "../send/channel.ts";
import { openPlanning, plannedFor } from "./plan.ts";
import { type Admission, admit, findAddressed } from "./plan-store.ts";

/** Plans the push of a step for users who have arrived there, each on an occasion; null where its campaign is gone. */
export async function planPushStep(
  app: App,
  which: { projectId: string; campaignId: string },
  users: readonly StepUser[],
): Promise<StepPlan | null> {
  const planning = await openPlanning(app, which);
  if (planning === null) return null;
  const { variants, campaignId } = planning.contentRevision;
  const comers = new Map(users.map((user) => [user.userKey, user]));
  const { kysely } = app.database;
  const found = await findAddressed(kysely, planning.contentRevision, users);
  const skipped = new Map<string, string>(
    users.map(({ userKey }) => [userKey, "no_installation" satisfies WaitReason]),
  );
  const planned: Admission[] = [];
  for (const person of found) {
    const variant = drawVariant(variants, campaignId, person.drawKey);
    const comer = comers.get(person.userKey);
    if (variant === null) throw noVariant();
    if (comer === undefined) continue;
    const { occasion, event } = comer;
    const admission = plannedFor({ ...person, event: event?.props ?? null }, variant.id, {
      ...planning,
      occasion,
    });
    // Where the variant was taken away just now, the user stays, and is planned for again.
    const reason = admission === null ? null : admission.recipient.reason;
    // In a campaign such a user waits for a device. In a journey they go on at once.
    if (reason !== null) skipped.set(person.userKey, reason);
    else skipped.delete(person.userKey);
    if (admission !== null && reason === null) planned.push(admission);
  }
  // A user who had it when they entered before is not held out of it now: that is decided once.
  const heldOut = planned.flatMap(({ recipient, withholds }) => (withholds ? [recipient] : []));
  const had = await findHad(kysely, which.projectId, campaignId, heldOut);
  return {
    skipped,
    async queue(client, chosen) {
      const admissions = planned
        .filter(({ recipient }) => chosen.has(recipient.userKey))
        .map((each) => (had.has(each.recipient.userKey) ? { ...each, withholds: false } : each));
      if (admissions.length > 0) await admit(client, admissions);
    },
    wake: () => wake(app, pushChannel.sendLoop),
  };
}

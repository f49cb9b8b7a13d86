import { uuidFor } from "../../../domain/ids.ts";
import type { Ctx } from "../../../platform/http/contract/endpoint.ts";
import { isSameJson } from "../../../platform/text/canonical.ts";
import { viewCampaignDetail } from "../../campaigns/authoring/public.ts";
import { requireJourney } from "./require-journey.ts";
import type { Journey } from "./schema.ts";
import type { ChangedStep } from "./steps.pure.ts";
import type { JourneyRow } from "./store.ts";
import { viewJourney } from "./view.ts";

/** A journey as a change of its steps found it, and its steps before and after. */
export type JourneyChange = Pick<Journey, "id" | "name" | "status" | "version"> & {
  before: Journey["steps"];
  after: ChangedStep[];
};

type Send = Extract<Journey["steps"][number], { kind: "send" }>;

/** A step that sends after a change: with all that it says, where the change adds it. Its campaign is then one that was only tried. */
async function changedSend(
  { db, projectId, now }: Ctx,
  { campaignId, campaignStatus: _, ...step }: Send,
  isKnown: boolean,
): Promise<ChangedStep> {
  if (isKnown) return { ...step, campaignId, added: null };
  const campaign = await viewCampaignDetail(db, projectId, uuidFor("cmp", campaignId), now);
  if (campaign === null) throw new Error("The campaign of a step that was just made is not there.");
  const { topicId, pages, push, sendTime, priority, patienceHours, variants } = campaign;
  return {
    ...step,
    campaignId: null,
    added: {
      topicId,
      pages,
      push,
      sendTime,
      priority,
      patienceHours,
      variants: variants.map(({ name, weight, isControl, content }) => ({
        name,
        weight,
        isControl,
        content,
      })),
    },
  };
}

type Condition = Extract<Journey["steps"][number], { kind: "if" }>;

/** A condition after a change. Each change pins the audiences of all of them anew: one that means the same stays the one that it was. */
function changedCondition(step: Condition, before: Journey["steps"]): Condition {
  const former = before.find(({ id }) => id === step.id);
  if (former?.kind !== "if" || !("audienceVersionId" in former.audience)) return step;
  const { audienceVersionId } = former.audience;
  const { audience } = former;
  return isSameJson({ ...step.audience, audienceVersionId }, audience) ? { ...step, audience } : step;
}

/** Reads the steps of a journey before and after a change. @param change makes it, in the transaction of `ctx`, which has locked the journey */
export async function journeyChange(
  ctx: Ctx,
  journey: JourneyRow,
  change: () => Promise<unknown>,
): Promise<JourneyChange> {
  const { id, name, status, version, steps } = await viewJourney(ctx.db, ctx.projectId, journey);
  await change();
  const changed = await viewJourney(ctx.db, ctx.projectId, await requireJourney(ctx, id));
  const known = new Set(steps.map((step) => (step.kind === "send" ? step.campaignId : null)));
  const after: ChangedStep[] = [];
  for (const step of changed.steps) {
    if (step.kind === "send") after.push(await changedSend(ctx, step, known.has(step.campaignId)));
    else after.push(step.kind === "if" ? changedCondition(step, steps) : step);
  }
  return { id, name, status, version, before: steps, after };
}

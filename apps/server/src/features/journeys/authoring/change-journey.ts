import { apiId } from "../../../domain/ids.ts";
import { clientOf } from "../../../platform/db/batch/client-of.ts";
import { type Ctx, makerOf } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { isSameJson } from "../../../platform/text/canonical.ts";
import { raiseConfigVersion } from "../../access/public.ts";
import {
  authorOf,
  byRequest,
  type CampaignRow,
  changeCampaign,
  changeStatus,
  findCampaign,
  resolveGoal,
} from "../../campaigns/authoring/public.ts";
import { definitionOf, retimedSteps, stepCampaigns } from "./definition.ts";
import { openEpoch } from "./epochs.ts";
import { setFill } from "./fill-store.ts";
import { movesAfter, movesFault, splitFault, triggersOf } from "./rules.ts";
import { firstFillOf } from "./schedule.pure.ts";
import type { Definition, UpdateJourneyBody } from "./schema.ts";
import { MAX_STEPS } from "./steps.pure.ts";
import {
  countHere,
  findJourneyVersion,
  insertJourneyVersion,
  type JourneyRow,
  updateJourneyRow,
} from "./store.ts";
import { readDefinition } from "./stored.pure.ts";

/** Why a journey cannot be changed as it is wanted: the words of 409. */
export const CHANGE_REASONS = ["stale_version", "people_inside", "ended", "launched"] as const;

/** The further fields of these refusals, for the document. */
export const journeyRefusalFields = {
  version: {
    type: "integer",
    minimum: 1,
    maximum: 2_147_483_647,
    description: "With `stale_version`: the version of the journey now.",
  },
  steps: {
    type: "array",
    maxItems: MAX_STEPS,
    items: {
      type: "object",
      required: ["id", "here"],
      properties: {
        id: { type: "string", maxLength: 32, description: "Id of the step." },
        here: {
          type: "integer",
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          format: "int64",
          description: "How many users are there.",
        },
      },
    },
    description: "With `people_inside`: the steps at which users are, of whom `moves` says nothing.",
  },
} as const;

const refuse = (
  reason: (typeof CHANGE_REASONS)[number],
  message: string,
  fields: Readonly<Record<string, unknown>> = {},
): ApiError => new ApiError("conflict", message, { fields: { reason, ...fields } });

/** Where users go on from the steps that a change takes away; refused where it does not say so of some who are there. */
async function movesOf(
  ctx: Ctx,
  journey: JourneyRow,
  was: Definition,
  { steps }: Definition,
  moves: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const fault = movesFault(was.steps, steps, moves);
  if (fault !== null) throw new ApiError("invalid_request", fault);
  const after = movesAfter(was, steps, moves, await countHere(ctx.db, ctx.projectId, journey.id));
  if (after.stranded.length === 0) return after.moves;
  const message =
    "Users are at a step that is taken away: say in moves where they go on, or keep it until they have left.";
  throw refuse("people_inside", message, { steps: after.stranded.slice(0, MAX_STEPS) });
}

/** The campaigns of some steps, each locked. */
async function lockCampaigns(ctx: Ctx, ids: Iterable<string>): Promise<CampaignRow[]> {
  const found: CampaignRow[] = [];
  for (const id of ids) {
    const campaign = await findCampaign(ctx.db, ctx.projectId, id, "for update");
    if (campaign !== null && campaign.status !== "ended") found.push(campaign);
  }
  return found;
}

/** Has the messages of all steps count for the goal of the journey. */
async function changeGoals(ctx: Ctx, steps: Definition, goalId: string | null): Promise<void> {
  for (const campaign of await lockCampaigns(ctx, stepCampaigns(steps).values()))
    await changeCampaign(ctx, campaign, { goalId }, "journey");
}

/** Ends the campaigns of steps that were taken away. */
async function endLost(ctx: Ctx, was: Definition, is: Definition): Promise<void> {
  const kept = new Set(stepCampaigns(is).values());
  const lost = [...stepCampaigns(was).values()].filter((id) => !kept.has(id));
  for (const campaign of await lockCampaigns(ctx, lost))
    await changeStatus(ctx, campaign, "end", byRequest(ctx), authorOf(ctx.by), "journey");
}

/** Launches the campaigns of steps that were added. */
async function launchNew(ctx: Ctx, was: Definition, is: Definition): Promise<void> {
  const before = new Set(stepCampaigns(was).values());
  const added = [...stepCampaigns(is).values()].filter((id) => !before.has(id));
  for (const campaign of await lockCampaigns(ctx, added))
    await changeStatus(ctx, campaign, "launch", byRequest(ctx), authorOf(ctx.by), "journey");
}

/**
 * Changes what a journey is, and what its steps send with it; answers its version from now on. Users go on by it at their next move. Needs the
 * transaction that locked the journey.
 * @throws ApiError where the change is refused
 */
export async function changeJourney(
  ctx: Ctx,
  journey: JourneyRow,
  { expectedVersion, moves = {}, goalId: wanted, name, ...parts }: UpdateJourneyBody,
): Promise<number> {
  const { db, projectId, now } = ctx;
  if (journey.status === "ended")
    throw refuse("ended", "This journey has ended: it can no longer be changed.");
  if (expectedVersion !== undefined && expectedVersion !== journey.version)
    throw refuse("stale_version", `expectedVersion is stale: the journey is at version ${journey.version}`, {
      version: journey.version,
    });
  const goalId = wanted === undefined ? journey.goalId : await resolveGoal(ctx, wanted);
  const was = readDefinition(journey.definition);
  if (was === null) throw new Error("The definition of a journey cannot be read.");
  const owner = {
    journeyId: journey.id,
    goalId: goalId === null ? null : apiId("goal", goalId),
    campaigns: stepCampaigns(was),
  };
  const changed = await definitionOf(ctx, owner, was, parts);
  const fault = journey.startedAt === null ? null : splitFault(was, changed);
  if (fault !== null) throw refuse("launched", fault);
  const definition = { ...changed, moves: await movesOf(ctx, journey, was, changed, moves) };
  const version = journey.version + 1;
  await updateJourneyRow(db, projectId, journey.id, {
    ...(name === undefined ? {} : { name }),
    goalId,
    definition,
    ...triggersOf(definition),
    retimedSteps: [...new Set([...journey.retimedSteps, ...retimedSteps(was, definition)])],
    version,
    updatedAt: now,
  });
  // Another audience or schedule is gone through from its first user on.
  const refills = parts.entry !== undefined || parts.audience !== undefined;
  if (journey.status === "running" && refills)
    await setFill(db, projectId, journey.id, { dueAt: firstFillOf(definition, now), now });
  if (goalId !== journey.goalId) await changeGoals(ctx, was, wanted ?? null);
  await endLost(ctx, was, definition);
  if (journey.status === "running") await launchNew(ctx, was, definition);
  const made = { createdBy: makerOf(ctx), createdAt: now };
  await insertJourneyVersion(db, projectId, { journeyId: journey.id, version, definition, ...made });
  if (journey.startedAt !== null) await openEpoch(clientOf(db), { ...journey, definition }, now);
  await raiseConfigVersion(db, projectId);
  return version;
}

/** Whether the steps of a journey still are those that it had from a version on. */
export async function hasStepsOf(
  { db, projectId }: Pick<Ctx, "db" | "projectId">,
  journey: JourneyRow,
  version: number,
): Promise<boolean> {
  const then = readDefinition(await findJourneyVersion(db, projectId, journey.id, version));
  const now = readDefinition(journey.definition);
  return then !== null && now !== null && isSameJson(then.steps, now.steps);
}

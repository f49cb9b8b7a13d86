import { z } from "zod";
import { apiId } from "../../../domain/ids.ts";
import { clientOf } from "../../../platform/db/batch/client-of.ts";
import { type Ctx, endpoint, KIB, makerOf } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
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
import { requireJourney } from "./require-journey.ts";
import { movesAfter, movesFault, splitFault, triggersOf } from "./rules.ts";
import { firstFillOf } from "./schedule.pure.ts";
import { type Definition, Journey, journeyInPath, MAX_STEPS, UpdateJourneyBody } from "./schema.ts";
import { countHere, insertJourneyVersion, type JourneyRow, updateJourneyRow } from "./store.ts";
import { readDefinition } from "./stored.pure.ts";
import { viewJourney } from "./view.ts";

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
  const some = after.stranded.slice(0, MAX_STEPS);
  throw new ApiError("conflict", message, { fields: { reason: "people_inside", steps: some } });
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

export const updateJourney = endpoint(
  {
    id: "updateJourney",
    method: "PATCH",
    path: "/api/v1/journeys/{id}",
    audit: "changed a journey",
    tag: "Journeys",
    summary: "Change a journey, also while users are in it",
    description:
      "Any subset of the fields; `steps` are given whole, and a step that keeps its id keeps its campaign. Users go on by the newest version at their next move.",
    keys: ["secret"],
    people: "editor",
    reachesUsers: true,
    budget: "campaigns",
    tool: "What users go through is for people to decide.",
    bodyLimit: 256 * KIB,
    params: z.object({ id: journeyInPath }),
    body: UpdateJourneyBody,
    example: { name: "Trial of two weeks" },
    result: z.object({ journey: Journey.describe("The journey.") }),
    errors: ["not_found", "conflict"],
    reasons: ["stale_version", "people_inside", "ended", "launched"],
    refusalFields: {
      version: {
        type: "integer",
        minimum: 1,
        maximum: 2_147_483_647,
        description: "With `stale_version`: the version of the journey now.",
      },
      steps: {
        type: "array",
        maxItems: 30,
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
    },
  },
  async (ctx, { params, body }) => {
    const { db, projectId, now } = ctx;
    const before = await requireJourney(ctx, params.id, "for update");
    const { expectedVersion, moves = {}, goalId: _, name, ...parts } = body;
    if (before.status === "ended")
      throw new ApiError("conflict", "This journey has ended: it can no longer be changed.", {
        fields: { reason: "ended" },
      });
    if (expectedVersion !== undefined && expectedVersion !== before.version)
      throw new ApiError(
        "conflict",
        `expectedVersion is stale: the journey is at version ${before.version}`,
        {
          fields: { reason: "stale_version", version: before.version },
        },
      );
    const goalId = body.goalId === undefined ? before.goalId : await resolveGoal(ctx, body.goalId);
    const was = readDefinition(before.definition);
    if (was === null) throw new Error("The definition of a journey cannot be read.");
    const owner = {
      journeyId: before.id,
      goalId: goalId === null ? null : apiId("goal", goalId),
      campaigns: stepCampaigns(was),
    };
    const changed = await definitionOf(ctx, owner, was, parts);
    const fault = before.startedAt === null ? null : splitFault(was, changed);
    if (fault !== null) throw new ApiError("conflict", fault, { fields: { reason: "launched" } });
    const definition = { ...changed, moves: await movesOf(ctx, before, was, changed, moves) };
    const version = before.version + 1;
    const change = {
      ...(name === undefined ? {} : { name }),
      goalId,
      definition,
      ...triggersOf(definition),
      retimedSteps: [...new Set([...before.retimedSteps, ...retimedSteps(was, definition)])],
      version,
      updatedAt: now,
    };
    await updateJourneyRow(db, projectId, before.id, change);
    // Another audience or schedule is gone through from its first user on.
    const refills = parts.entry !== undefined || parts.audience !== undefined;
    if (before.status === "running" && refills)
      await setFill(db, projectId, before.id, { dueAt: firstFillOf(definition, now), now });
    if (goalId !== before.goalId) await changeGoals(ctx, was, body.goalId ?? null);
    await endLost(ctx, was, definition);
    if (before.status === "running") await launchNew(ctx, was, definition);
    const made = { createdBy: makerOf(ctx), createdAt: now };
    await insertJourneyVersion(db, projectId, { journeyId: before.id, version, definition, ...made });
    const after = await requireJourney(ctx, params.id);
    if (after.startedAt !== null) await openEpoch(clientOf(db), after, now);
    await raiseConfigVersion(db, projectId);
    ctx.describe({
      before: { name: before.name, version: before.version },
      after: { name: name ?? before.name, version },
    });
    return { journey: await viewJourney(db, projectId, after) };
  },
);

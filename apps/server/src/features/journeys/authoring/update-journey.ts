import { z } from "zod";
import { apiId } from "../../../domain/ids.ts";
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
import { definitionOf, stepCampaigns } from "./definition.ts";
import { requireJourney } from "./require-journey.ts";
import { retimedSteps, triggersOf } from "./rules.ts";
import { type Definition, Journey, journeyInPath, UpdateJourneyBody } from "./schema.ts";
import { countHere, insertJourneyVersion, type JourneyRow, updateJourneyRow } from "./store.ts";
import { readDefinition } from "./stored.pure.ts";
import { viewJourney } from "./view.ts";

/** What a request leaves out stays as it is. */
async function changed(
  ctx: Ctx,
  journey: JourneyRow,
  before: Definition,
  body: z.output<typeof UpdateJourneyBody>,
  goalId: string | null,
): Promise<Definition> {
  const owner = {
    journeyId: journey.id,
    goalId: goalId === null ? null : apiId("goal", goalId),
    campaigns: stepCampaigns(before),
  };
  const { audience, entry, again, exit, steps } = body;
  const given = await definitionOf(ctx, owner, {
    entry: entry ?? { on: "request" },
    audience: audience ?? null,
    again: again ?? null,
    exit: exit ?? { onGoal: true, events: [] },
    steps: steps ?? [],
  });
  return {
    entry: entry === undefined ? before.entry : given.entry,
    audience: audience === undefined ? before.audience : given.audience,
    again: again === undefined ? before.again : given.again,
    exit: exit === undefined ? before.exit : given.exit,
    steps: steps === undefined ? before.steps : given.steps,
  };
}

/** Refuses to take steps away at which there are users. */
async function assertNoUserThere(ctx: Ctx, journey: JourneyRow, { steps }: Definition): Promise<void> {
  const here = await countHere(ctx.db, ctx.projectId, journey.id);
  const lost = [...here].filter(([stepId]) => !steps.some(({ id }) => id === stepId));
  if (lost.length === 0) return;
  throw new ApiError("conflict", "Users are at a step that is taken away: keep it until they have left.", {
    fields: {
      reason: "people_inside",
      steps: lost.map(([id, users]) => ({ id, here: users })),
    },
  });
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
    reasons: ["stale_version", "people_inside", "ended"],
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
        description: "With `people_inside`: the steps at which users are.",
      },
    },
  },
  async (ctx, { params, body }) => {
    const { db, projectId, now } = ctx;
    const before = await requireJourney(ctx, params.id, "for update");
    const { expectedVersion, ...fields } = body;
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
    const definition = await changed(ctx, before, was, fields, goalId);
    await assertNoUserThere(ctx, before, definition);
    const version = before.version + 1;
    const change = {
      ...(body.name === undefined ? {} : { name: body.name }),
      goalId,
      definition,
      ...triggersOf(definition),
      retimedSteps: [...new Set([...before.retimedSteps, ...retimedSteps(was, definition)])],
      version,
      updatedAt: now,
    };
    await updateJourneyRow(db, projectId, before.id, change);
    if (goalId !== before.goalId) await changeGoals(ctx, was, body.goalId ?? null);
    await endLost(ctx, was, definition);
    if (before.status === "running") await launchNew(ctx, was, definition);
    const made = { createdBy: makerOf(ctx), createdAt: now };
    await insertJourneyVersion(db, projectId, { journeyId: before.id, version, definition, ...made });
    await raiseConfigVersion(db, projectId);
    ctx.describe({
      before: { name: before.name, version: before.version },
      after: { name: body.name ?? before.name, version },
    });
    return { journey: await viewJourney(db, projectId, await requireJourney(ctx, params.id)) };
  },
);

import { apiId, uuidFor } from "../../../domain/ids.ts";
import type { Ctx } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { requireEventRule } from "../../audience/language/public.ts";
import type { StoredAudience } from "../../audience/language/schema.ts";
import { makeCampaign, resolveAudience } from "../../campaigns/authoring/public.ts";
import { CreateCampaignBody } from "../../campaigns/authoring/schema.ts";
import { stepsFault } from "./rules.ts";
import type { CreateJourneyBody, Definition, EventRule, SendInput, Step, StepInput } from "./schema.ts";

const refuse = (message: string): ApiError => new ApiError("invalid_request", message);

/** The journey whose steps are made: its id (UUID), its goal as the API names it, and the campaigns that its steps have already. */
type Owner = { journeyId: string; goalId: string | null; campaigns: ReadonlyMap<string, string> };

type Given = Pick<CreateJourneyBody, "entry" | "audience" | "again" | "exit" | "steps">;

/** Says of an error in a part of a request where that part is. */
async function at<Result>(place: string, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (cause) {
    if (cause instanceof ApiError && cause.code === "invalid_request")
      throw new ApiError("invalid_request", `${place}: ${cause.message}`, { fields: cause.fields ?? {} });
    throw cause;
  }
}

/** The audience of a request; null for everyone. */
async function audienceOf(ctx: Ctx, audience: Given["audience"]): Promise<StoredAudience | null> {
  const resolved = audience === null ? undefined : await resolveAudience(ctx, { audience });
  return resolved === undefined || resolved.kind === "all" ? null : resolved;
}

const eventOf = async (ctx: Ctx, rule: { event: string; where?: unknown }): Promise<EventRule> => {
  const { event, where } = await requireEventRule(ctx.db, ctx.projectId, rule);
  return { event, ...(where === undefined ? {} : { where }) };
};

/** The campaign of a step that sends: the one that it has, or a new one. */
async function campaignOf(ctx: Ctx, owner: Owner, step: SendInput): Promise<string> {
  const { id, kind: _, name = id, channel, ...message } = step;
  const known = owner.campaigns.get(id);
  if (known !== undefined) {
    const [changed] =
      Object.entries({ ...message, name: step.name }).find(([, value]) => value !== undefined) ?? [];
    if (changed !== undefined)
      throw refuse(
        `${changed} of this message is changed at its campaign, ${apiId("cmp", known)}: leave it out here`,
      );
    return apiId("cmp", known);
  }
  const body = CreateCampaignBody.parse({ name, channel, ...message });
  const { goalId } = owner;
  const step_ = { journeyId: owner.journeyId, stepId: id };
  const made = await makeCampaign(ctx, { ...body, ...(goalId === null ? {} : { goalId }) }, undefined, step_);
  return made.id;
}

async function stepOf(ctx: Ctx, owner: Owner, step: StepInput): Promise<Step> {
  switch (step.kind) {
    case "send":
      return { id: step.id, kind: "send", campaignId: await campaignOf(ctx, owner, step) };
    case "wait":
      return { id: step.id, kind: "wait", for: { amount: step.for.amount, unit: step.for.unit } };
    case "if": {
      const audience = await resolveAudience(ctx, { audience: step.audience });
      return { id: step.id, kind: "if", audience: audience ?? { kind: "all" }, else: step.else };
    }
    case "end":
      return { id: step.id, kind: "end" };
  }
}

/**
 * The definition of a request, with a campaign for each step that sends. Needs a transaction.
 * @throws ApiError where the request is refused, with the place
 */
export async function definitionOf(ctx: Ctx, owner: Owner, given: Given): Promise<Definition> {
  const fault = stepsFault(given.steps);
  if (fault !== null) throw refuse(fault);
  const { entry, exit } = given;
  const steps: Step[] = [];
  for (const [index, step] of given.steps.entries())
    steps.push(await at(`steps[${index}]`, () => stepOf(ctx, owner, step)));
  const events: EventRule[] = [];
  for (const [index, rule] of exit.events.entries())
    events.push(await at(`exit.events[${index}]`, () => eventOf(ctx, rule)));
  return {
    entry:
      entry.on === "event"
        ? { on: "event", ...(await at("entry", () => eventOf(ctx, entry))) }
        : { on: "request" },
    audience: await at("audience", () => audienceOf(ctx, given.audience)),
    again: given.again,
    exit: { onGoal: exit.onGoal, events },
    steps,
  };
}

/** The ids (UUIDs) of the campaigns of a definition, by the ids of their steps. */
export const stepCampaigns = ({ steps }: Definition): Map<string, string> =>
  new Map(
    steps.flatMap((step) => (step.kind === "send" ? [[step.id, uuidFor("cmp", step.campaignId)]] : [])),
  );

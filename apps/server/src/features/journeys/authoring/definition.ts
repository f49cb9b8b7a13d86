import { apiId, uuidFor } from "../../../domain/ids.ts";
import type { Ctx } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { isSameJson } from "../../../platform/text/canonical.ts";
import { requireEventRule } from "../../audience/language/public.ts";
import type { StoredAudience } from "../../audience/language/schema.ts";
import { findCampaign, makeCampaign, resolveAudience } from "../../campaigns/authoring/public.ts";
import { CreateCampaignBody } from "../../campaigns/authoring/schema.ts";
import { armsOf, entryFault, kindFault, stepsFault } from "./rules.ts";
import type { CreateJourneyBody, Definition } from "./schema.ts";
import type { EventRule, SendInput, Step, StepInput, Wait, WaitInput } from "./steps.pure.ts";

const refuse = (message: string): ApiError => new ApiError("invalid_request", message);

/** The journey whose steps are made: its id (UUID), its goal as the API names it, and the campaigns that its steps have already. */
type Owner = { journeyId: string; goalId: string | null; campaigns: ReadonlyMap<string, string> };

/** What a request says of what a journey is. */
type Given = {
  [Part in "entry" | "audience" | "again" | "exit" | "steps"]?: CreateJourneyBody[Part] | undefined;
};

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
async function audienceOf(ctx: Ctx, audience: CreateJourneyBody["audience"]): Promise<StoredAudience | null> {
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
    const campaign = await findCampaign(ctx.db, ctx.projectId, known);
    if (campaign !== null && campaign.channel !== channel)
      throw refuse(`channel of this message is ${campaign.channel}, and cannot be changed`);
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

/** The way to wait of a step, of which it has exactly one. */
function waitOf({ for: span, until, date }: WaitInput): Wait {
  if (span !== undefined) return { for: span };
  if (until !== undefined) return { until };
  if (date !== undefined) return { date: { ...date, days: date.days ?? 0 } };
  throw new Error("A wait without an end.");
}

async function stepOf(ctx: Ctx, owner: Owner, step: StepInput): Promise<Step> {
  switch (step.kind) {
    case "send":
      return { id: step.id, kind: "send", campaignId: await campaignOf(ctx, owner, step) };
    case "wait": {
      const { id, kind, orEvent } = step;
      const rule = orEvent === undefined ? {} : { orEvent: await at("orEvent", () => eventOf(ctx, orEvent)) };
      return { id, kind, ...waitOf(step), ...rule };
    }
    case "if": {
      const audience = await resolveAudience(ctx, { audience: step.audience });
      return { id: step.id, kind: "if", audience: audience ?? { kind: "all" }, else: step.else };
    }
    case "split":
      return { id: step.id, kind: "split", arms: armsOf(step.arms) };
    case "end":
      return { id: step.id, kind: "end" };
  }
}

async function entryOf(ctx: Ctx, entry: CreateJourneyBody["entry"]): Promise<Definition["entry"]> {
  return entry.on === "event" ? { on: "event", ...(await at("entry", () => eventOf(ctx, entry))) } : entry;
}

async function exitOf(ctx: Ctx, { onGoal, events }: CreateJourneyBody["exit"]): Promise<Definition["exit"]> {
  const rules: EventRule[] = [];
  for (const [index, rule] of events.entries())
    rules.push(await at(`exit.events[${index}]`, () => eventOf(ctx, rule)));
  return { onGoal, events: rules };
}

async function stepsOf(
  ctx: Ctx,
  owner: Owner,
  before: readonly Step[],
  given: readonly StepInput[],
): Promise<Step[]> {
  const fault = stepsFault(given) ?? kindFault(before, given);
  if (fault !== null) throw refuse(fault);
  const steps: Step[] = [];
  for (const [index, step] of given.entries())
    steps.push(await at(`steps[${index}]`, () => stepOf(ctx, owner, step)));
  return steps;
}

/**
 * A definition with what a request changes of it, and a campaign for each step that sends. Needs a transaction.
 * @throws ApiError where the request is refused, with the place
 */
export async function definitionOf(
  ctx: Ctx,
  owner: Owner,
  before: Definition,
  { entry, audience, again, exit, steps }: Given,
): Promise<Definition> {
  const definition = {
    ...before,
    ...(entry === undefined ? {} : { entry: await entryOf(ctx, entry) }),
    ...(audience === undefined ? {} : { audience: await at("audience", () => audienceOf(ctx, audience)) }),
    ...(again === undefined ? {} : { again }),
    ...(exit === undefined ? {} : { exit: await exitOf(ctx, exit) }),
    ...(steps === undefined ? {} : { steps: await stepsOf(ctx, owner, before.steps, steps) }),
  };
  const fault = entryFault(definition);
  if (fault !== null) throw refuse(fault);
  return definition;
}

/** The ids (UUIDs) of the campaigns of a definition, by the ids of their steps. */
export const stepCampaigns = ({ steps }: Definition): Map<string, string> =>
  new Map(
    steps.flatMap((step) => (step.kind === "send" ? [[step.id, uuidFor("cmp", step.campaignId)]] : [])),
  );

/** The waits that are shorter, longer or something else since a change, and the steps that are gone: users who are there are due at another instant. */
export function retimedSteps({ steps: was }: Definition, { steps: is }: Definition): string[] {
  return was.flatMap((before) => {
    const after = is.find(({ id }) => id === before.id);
    return after === undefined || (before.kind === "wait" && !isSameJson(before, after)) ? [before.id] : [];
  });
}

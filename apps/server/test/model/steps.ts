import assert from "node:assert/strict";
import { deliveryId, FIRST_OCCASION, userRef, uuidFor } from "../../src/domain/ids.ts";
import type { Random } from "../crash/random.ts";
import { refusal, type TestProject } from "../harness.ts";
import { type BroughtStep, bringEvents, bringUsers, drawEvents, drawUsers } from "./bring.ts";
import { type CallsStep, drawCalls, sendCalls } from "./calls.ts";
import type { Action, Audience, Campaign, FeedbackType, Goal, TraitValue } from "./model.ts";
import type { Stage, Tracked } from "./stage.ts";

/**
 * Something that is asked of a project, as data: what it refers to is named by a number among all there are at that moment, so that any
 * part of a trail can be played.
 */
export type Step =
  | { kind: "identify"; userId: string; traits: Record<string, TraitValue> }
  | ({ kind: "track" } & Tracked)
  | { kind: "batch"; events: Tracked[]; agoMs: number | null }
  | BroughtStep
  | CallsStep
  | { kind: "messages"; userId: string; path: string | null }
  | { kind: "feedback"; userId: string; campaign: number; type: FeedbackType; feedbackId: string }
  | { kind: "goal"; event: string; attributionDays: number; holdoutPercent: number }
  | { kind: "holdout"; goal: number; percent: number }
  | {
      kind: "campaign";
      audience: Audience;
      goal: number | null;
      section: string | null;
      isModal: boolean;
      weights: number[];
      lastsMs: number | null;
      launch: boolean;
    }
  | { kind: "patch"; campaign: number; change: Change }
  | { kind: "status"; campaign: number; action: Action }
  | { kind: "segment"; audience: Audience }
  | { kind: "pin"; campaign: number; segment: number }
  | { kind: "erase"; userId: string }
  | { kind: "wait"; ms: number };

type Change =
  | { what: "name"; name: string }
  | { what: "goal"; goal: number | null }
  | { what: "audience"; audience: Audience }
  | { what: "section"; section: string | null }
  | { what: "weights"; weights: number[] }
  | { what: "until"; lastsMs: number | null };

/** Of these everything happens; of the others nothing but that they look at messages. */
const DOERS = ["ann", "ben", "cleo", "dora", "eve"];
const USERS = [...DOERS, "fritz", "gül", "hana"];
const EVENTS = ["paid", "looked", "left", "shared"];
const VALUES: readonly TraitValue[] = ["pro", "free", 1, 2.5, true, false, null];
const SECTIONS = [null, null, "/shop", "/help"];
const TYPES: readonly FeedbackType[] = ["shown", "shown", "shown", "clicked", "dismissed", "converted"];
const SECOND = 1_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Often the same millisecond: where things meet. Once in a while another month. */
const WAITS = [0, 0, 1, 1, SECOND, HOUR, DAY, 9 * DAY];

/** Draws the next step. */
export function drawStep(random: Random): Step {
  const one = <T>(list: readonly T[]): T => {
    const picked = random.pick(list);
    if (picked === undefined) throw new Error("There is nothing to pick from.");
    return picked;
  };
  const drawAudience = (): Audience => {
    const kind = one(["all", "all", "trait", "did", "did not"] as const);
    if (kind === "all") return { kind };
    if (kind === "trait") return { kind, key: one(["plan", "seats"]), value: one(["pro", "free", 1, true]) };
    return { kind, event: one(EVENTS) };
  };
  const drawTracked = (): Tracked => ({
    userId: one(DOERS),
    event: one(EVENTS),
    // Few of them, so that they come again, with the same content and with another.
    eventId: random.chance(0.4) ? `event-${random.int(12)}` : null,
    props: random.chance(0.3) ? { n: random.int(2), where: one(["here", "there"]) } : null,
  });
  const drawTraits = () => ({ [one(["plan", "seats"])]: one(VALUES) });
  const drawWeights = (): number[] => one([[1], [1, 1], [0, 3], [5, 1, 2]]);
  const drawChange = (): Change => {
    const what = one(["name", "goal", "audience", "section", "weights", "until"] as const);
    if (what === "name") return { what, name: `Renamed ${random.int(100)}` };
    if (what === "goal") return { what, goal: random.chance(0.8) ? random.int(100) : null };
    if (what === "audience") return { what, audience: drawAudience() };
    if (what === "section") return { what, section: one(SECTIONS) };
    if (what === "weights") return { what, weights: drawWeights() };
    return { what, lastsMs: one([null, HOUR, 10 * DAY]) };
  };
  const campaign = random.int(100);
  const draws: readonly [number, () => Step][] = [
    [10, () => ({ kind: "identify", userId: one(DOERS), traits: drawTraits() })],
    [18, () => ({ kind: "track", ...drawTracked() })],
    [
      6,
      () => ({
        kind: "batch",
        events: Array.from({ length: random.between(1, 6) }, drawTracked),
        agoMs: one([null, 0, 1, HOUR, 20 * DAY, 400 * DAY, 3_650 * DAY]),
      }),
    ],
    [20, () => ({ kind: "messages", userId: one(USERS), path: one([null, "/shop/1", "/help", "/other"]) })],
    [
      30,
      () => ({
        kind: "feedback",
        userId: one(USERS),
        campaign,
        type: one(TYPES),
        feedbackId: `feedback-${random.int(60)}`,
      }),
    ],
    [
      2,
      () => ({
        kind: "goal",
        event: one(EVENTS),
        attributionDays: one([1, 7]),
        holdoutPercent: one([0, 30, 50]),
      }),
    ],
    [1, () => ({ kind: "holdout", goal: random.int(100), percent: one([0, 30, 50]) })],
    [
      3,
      () => ({
        kind: "campaign",
        audience: drawAudience(),
        goal: random.chance(0.7) ? random.int(100) : null,
        section: one(SECTIONS),
        isModal: random.chance(0.3),
        weights: drawWeights(),
        lastsMs: one([null, null, HOUR, 10 * DAY]),
        launch: random.chance(0.8),
      }),
    ],
    [4, () => ({ kind: "patch", campaign, change: drawChange() })],
    [
      4,
      () => ({
        kind: "status",
        campaign,
        action: one(["launch", "launch", "launch", "pause", "pause", "end"]),
      }),
    ],
    [1, () => ({ kind: "segment", audience: drawAudience() })],
    [1, () => ({ kind: "pin", campaign, segment: random.int(100) })],
    [2, () => drawUsers(random, DOERS)],
    [2, () => drawEvents(random, drawTracked)],
    [8, () => drawCalls(random, drawTracked, drawTraits)],
    [2, () => ({ kind: "erase", userId: one(USERS) })],
    [16, () => ({ kind: "wait", ms: one(WAITS) })],
  ];
  let rest = random.int(draws.reduce((sum, [weight]) => sum + weight, 0));
  for (const [weight, draw] of draws) {
    if (rest < weight) return draw();
    rest -= weight;
  }
  throw new Error("The weights do not add up.");
}

/** Beyond this many a new one is left out: the reads of all of them take their time. */
const MAX_CAMPAIGNS = 8;

const among = <T>(list: readonly T[], index: number | null): T | null =>
  index === null ? null : (list[index % Math.max(1, list.length)] ?? null);

type CampaignInput = Parameters<TestProject["api"]["createCampaign"]>[0]["body"];

const rootOf = (audience: Exclude<Audience, { kind: "all" }>) => {
  if (audience.kind === "trait") {
    const { key, value } = audience;
    return { kind: "field" as const, field: { kind: "trait" as const, key }, op: "eq" as const, value };
  }
  const did = { kind: "event" as const, event: audience.event };
  return audience.kind === "did" ? did : { kind: "not" as const, child: did };
};

/** An audience as an expression; everyone is who did, or did not do, something. */
export const expressionOf = (audience: Audience) => ({
  version: 1 as const,
  root:
    audience.kind === "all"
      ? {
          kind: "any" as const,
          children: [rootOf({ kind: "did", event: "paid" }), rootOf({ kind: "did not", event: "paid" })],
        }
      : rootOf(audience),
});

// The generated types name each operator's values; a trait's value is any of them here.
const audienceInput = (audience: Audience) =>
  (audience.kind === "all"
    ? { kind: "all", reason: "Everyone" }
    : { kind: "expression", expression: expressionOf(audience) }) as NonNullable<CampaignInput["audience"]>;

const pagesOf = (section: string | null): string[] | null => (section === null ? null : [`${section}*`]);
const variantName = (position: number): string => String.fromCharCode(65 + position);

const bodyOf = ({ userId, event, eventId, props }: Tracked) => ({
  userId,
  event,
  ...(eventId === null ? {} : { eventId }),
  ...(props === null ? {} : { props }),
});

async function createCampaign(
  { house, project, model }: Stage,
  step: Extract<Step, { kind: "campaign" }>,
): Promise<void> {
  if (model.campaigns.length >= MAX_CAMPAIGNS) return;
  const goal = among<Goal>(model.goals, step.goal);
  const name = `Campaign ${model.campaigns.length}`;
  const deliverUntil = step.lastsMs === null ? null : house.now() + step.lastsMs;
  const { campaign } = await project.api.createCampaign({
    body: {
      name,
      audience: audienceInput(step.audience),
      pages: pagesOf(step.section),
      launch: step.launch,
      goalId: goal?.id ?? null,
      ...(deliverUntil === null ? {} : { deliverUntil }),
      variants: step.weights.map((weight, position) => ({
        name: variantName(position),
        weight,
        isControl: position === 0,
        message: { presentation: step.isModal ? ("modal" as const) : ("toast" as const), title: name },
      })),
    },
  });
  model.campaigns.push({
    id: campaign.id,
    name,
    status: step.launch ? "running" : "draft",
    goal,
    audience: step.audience,
    title: name,
    section: step.section,
    isModal: step.isModal,
    deliverUntil,
    createdAt: house.now(),
    percentAtEnd: null,
    variants: campaign.variants.map(({ id, name: each, weight }) => ({ id, name: each, weight })),
  });
}

async function patch({ house, project, model }: Stage, campaign: Campaign, change: Change): Promise<void> {
  const goal = change.what === "goal" ? among<Goal>(model.goals, change.goal) : null;
  const until = change.what === "until" && change.lastsMs !== null ? house.now() + change.lastsMs : null;
  // A weight for each variant there is: those that are not named keep theirs.
  const weights = change.what === "weights" ? campaign.variants.map((_, i) => change.weights[i] ?? 1) : [];
  const body = {
    name: () => ({ name: change.what === "name" ? change.name : "" }),
    goal: () => ({ goalId: goal?.id ?? null }),
    audience: () => ({
      audience: audienceInput(change.what === "audience" ? change.audience : { kind: "all" }),
    }),
    section: () => ({ pages: pagesOf(change.what === "section" ? change.section : null) }),
    weights: () => ({ variants: campaign.variants.map(({ id }, i) => ({ id, weight: weights[i] ?? 1 })) }),
    until: () => ({ deliverUntil: until }),
  }[change.what]();
  const sent = project.api.updateCampaign({ path: { id: campaign.id }, body });
  if (campaign.status === "ended") return assert.equal((await refusal(sent)).status, 409);
  if (change.what === "weights" && weights.every((weight) => weight === 0))
    return assert.equal((await refusal(sent)).status, 400);
  await sent;
  if (change.what === "name") campaign.name = change.name;
  if (change.what === "goal") campaign.goal = goal;
  if (change.what === "audience") campaign.audience = change.audience;
  if (change.what === "section") campaign.section = change.section;
  if (change.what === "until") campaign.deliverUntil = until;
  if (change.what === "weights")
    for (const [i, each] of campaign.variants.entries()) each.weight = weights[i] ?? 1;
}

async function sendFeedback(
  { house, project, model }: Stage,
  { userId, campaign: index, type, feedbackId }: Extract<Step, { kind: "feedback" }>,
): Promise<void> {
  const campaign = among(model.campaigns, index);
  if (campaign === null) return;
  const delivery = {
    ...userRef(project.projectId, userId),
    campaignId: uuidFor("cmp", campaign.id),
    occasion: FIRST_OCCASION,
  };
  const sent = project.sdk.sendDeliveryFeedback({
    path: { id: deliveryId(delivery) },
    body: { userId, type, feedbackId },
  });
  const expected = model.feedback(userId, campaign, type, feedbackId);
  if (typeof expected === "number") return assert.equal((await refusal(sent)).status, expected);
  const { receiptId } = await sent;
  if (expected === "new") model.acknowledge(userId, campaign, { type, feedbackId, receiptId }, house.now());
  else assert.equal(receiptId, expected.receiptId, "a repeat is answered with its first receipt");
}

/** Does a step at the server and in the model. @throws where the two differ in what is answered */
export async function perform(stage: Stage, step: Step): Promise<void> {
  const { house, project, model } = stage;
  const { api, sdk } = project;
  const now = house.now();
  switch (step.kind) {
    case "wait":
      return house.advance(step.ms);
    case "identify":
      await sdk.identify({ body: { userId: step.userId, traits: step.traits } });
      return model.identify(step.userId, step.traits, now);
    case "track": {
      const isTaken = model.track({ ...step, name: step.event, ts: now }, now);
      const sent = sdk.track({ body: bodyOf(step) });
      if (isTaken) await sent;
      else assert.equal((await refusal(sent)).status, 409);
      return;
    }
    case "batch": {
      const { agoMs, events } = step;
      const ts = now - (agoMs ?? 0);
      const body = { events: events.map((each) => ({ ...bodyOf(each), ...(agoMs === null ? {} : { ts }) })) };
      const { ok, refused, results } = await (agoMs === null ? sdk : api).trackBatch({ body });
      const expected = events.map((each) => model.track({ ...each, name: each.event, ts }, now));
      assert.deepEqual(
        results.map((result) => result.ok),
        expected,
      );
      const taken = expected.filter(Boolean).length;
      assert.deepEqual([ok, refused], [taken, expected.length - taken]);
      return;
    }
    case "bring users":
      return bringUsers(stage, step);
    case "bring events":
      return bringEvents(stage, step);
    case "calls":
      return sendCalls(stage, step);
    case "messages": {
      const { userId, path } = step;
      const { messages } = await sdk.getMessages({ query: { userId, ...(path === null ? {} : { path }) } });
      const { userKey } = userRef(project.projectId, userId);
      assert.deepEqual(
        messages.map((message) => [message.deliveryId, message.variantId]),
        model
          .messages(userId, path, now)
          .map(({ campaign, variant }) => [
            deliveryId({ userKey, campaignId: uuidFor("cmp", campaign.id), occasion: FIRST_OCCASION }),
            variant.id,
          ]),
      );
      return;
    }
    case "feedback":
      return sendFeedback(stage, step);
    case "goal": {
      const { event, attributionDays, holdoutPercent } = step;
      const { goal } = await api.createGoal({
        body: { name: event, targetEvent: event, attributionDays, holdoutPercent },
      });
      model.goals.push({ id: goal.id, event, attributionDays, holdoutPercent });
      return;
    }
    case "holdout": {
      const goal = among(model.goals, step.goal);
      if (goal === null) return;
      await api.updateGoal({ path: { id: goal.id }, body: { holdoutPercent: step.percent } });
      goal.holdoutPercent = step.percent;
      return;
    }
    case "campaign":
      return createCampaign(stage, step);
    case "patch": {
      const campaign = among(model.campaigns, step.campaign);
      return campaign === null ? undefined : patch(stage, campaign, step.change);
    }
    case "status": {
      const campaign = among(model.campaigns, step.campaign);
      if (campaign === null) return;
      const next = model.act(campaign, step.action, now);
      const sent = api.setCampaignStatus({ path: { id: campaign.id }, body: { action: step.action } });
      if (next === null) return assert.equal((await refusal(sent)).status, 409);
      assert.equal((await sent).status, next);
      if (next === "ended" && campaign.status !== "draft")
        campaign.percentAtEnd = campaign.goal?.holdoutPercent ?? 0;
      campaign.status = next;
      return;
    }
    case "segment": {
      const key = `segment-${model.segments.length}`;
      const { segment } = await api.createSegment({
        // As in `audienceInput`.
        body: { key, name: key, expression: expressionOf(step.audience) } as Parameters<
          typeof api.createSegment
        >[0]["body"],
      });
      model.segments.push({ id: segment.id, key, audience: step.audience });
      return;
    }
    case "pin": {
      const campaign = among(model.campaigns, step.campaign);
      const segment = among(model.segments, step.segment);
      if (campaign === null || segment === null || campaign.status === "ended") return;
      const audience = { kind: "segment" as const, segment: segment.key };
      await api.updateCampaign({ path: { id: campaign.id }, body: { audience } });
      campaign.audience = segment.audience;
      return;
    }
    case "erase": {
      const sent = api.eraseUser({ path: { id: step.userId } });
      if (model.erase(step.userId)) await sent;
      else assert.equal((await refusal(sent)).status, 404);
      return;
    }
  }
}

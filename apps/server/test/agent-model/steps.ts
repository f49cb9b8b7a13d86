import assert from "node:assert/strict";
import { type CampaignMutation, decideAs } from "../agent.ts";
import type { Random } from "../crash/random.ts";
import { setSettings } from "../email.ts";
import { toast } from "../factories.ts";
import type { TestHouse, TestProject } from "../harness.ts";
import type { Action, Campaign, Change, Expected, Model, Proposal } from "./model.ts";

/** A mutation, before it is known which variants the campaign has. */
type Draft =
  | { what: "status"; action: Action }
  | { what: "name"; name: string }
  | { what: "weights"; weights: readonly number[] }
  | { what: "variant"; name: string }
  | { what: "both"; name: string; weight: number }
  | { what: "unknown variant" }
  | { what: "nothing" };

type Edit =
  | { what: "name"; name: string }
  | { what: "weight"; weight: number }
  | { what: "title"; title: string }
  | { what: "from" | "until"; inMs: number | null };

type SettingsChange = Partial<{
  loopPaused: boolean;
  needsPeople: boolean;
  maxRunsPerDay: number;
  maxConcurrentCampaigns: number;
  approvalHours: number;
}>;

/** Which lease a request names: the campaign's last one, the one before, another campaign's, or none that was ever granted. */
type Token = "last" | "former" | "foreign" | "made up";
type Instant = "current" | "former" | "off";

/**
 * Something that an agent or a person does, as data: proposals are named by a number, the last one is 0, so that any part of a trail can
 * be played.
 */
export type Step =
  | { kind: "claim"; campaign: number; seconds: number }
  | {
      kind: "mutate";
      campaign: number;
      draft: Draft;
      token: Token;
      instant: Instant;
      approval: number | "foreign" | "unknown" | null;
    }
  | { kind: "use"; campaign: number; proposal: number; token: Token; isNamed: boolean }
  | { kind: "propose"; campaign: number; draft: Draft; token: Token; instant: Instant }
  | { kind: "propose again"; campaign: number; proposal: number; token: Token }
  | {
      kind: "decide";
      campaign: number;
      proposal: number;
      status: "approved" | "rejected";
      isForGood: boolean;
    }
  | { kind: "complete"; campaign: number; token: Token; inMs: number | null }
  | { kind: "schedule"; campaign: number; inMs: number }
  | { kind: "patch"; campaign: number; edit: Edit }
  | { kind: "status"; campaign: number; action: Action }
  | { kind: "archive"; goal: number }
  | { kind: "reactivate"; goal: number }
  | { kind: "approval mode"; goal: number; needsPeople: boolean }
  | { kind: "settings"; change: SettingsChange }
  | { kind: "wait"; ms: number };

/** A project with its model, both as old as the house's clock says. */
export type Stage = { house: TestHouse; project: TestProject; model: Model; outcomes: Set<string> };

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOWHERE = "019b0000-0000-7000-8000-000000000000";

/** Draws a step. `campaign` is the one that it is about, where it is about one. */
function drawStep(random: Random, campaign: number): Step {
  const one = <T>(list: readonly T[]): T => {
    const picked = random.pick(list);
    if (picked === undefined) throw new Error("There is nothing to pick from.");
    return picked;
  };
  const drawDraft = (): Draft => {
    const draw = random.int(20);
    if (draw < 7) return { what: "status", action: one(["pause", "pause", "launch", "launch"]) };
    if (draw < 8) return { what: "status", action: one(["end", "pause"]) };
    if (draw < 13) return { what: "name", name: one(["North", "South"]) };
    if (draw < 16) return { what: "weights", weights: one([[20, 80], [50, 50], [0, 100], [70], [0, 0]]) };
    if (draw < 17) return { what: "variant", name: one(["Bold", "B"]) };
    if (draw < 18) return { what: "both", name: one(["North", "South"]), weight: one([10, 50]) };
    return one<Draft>([{ what: "unknown variant" }, { what: "nothing" }]);
  };
  const drawEdit = (): Edit => {
    const what = one(["name", "weight", "title", "from", "until"] as const);
    if (what === "name") return { what, name: one(["North", "South", "West"]) };
    if (what === "weight") return { what, weight: one([0, 20, 50]) };
    if (what === "title") return { what, title: one(["Hello", "Good day"]) };
    return { what, inMs: one([null, null, 0, HOUR, 2 * DAY]) };
  };
  const drawToken = (): Token =>
    random.chance(0.85) ? "last" : one(["former", "former", "foreign", "made up"] as const);
  const drawInstant = (): Instant =>
    random.chance(0.88) ? "current" : one(["former", "former", "off"] as const);
  const drawSettings = (): SettingsChange =>
    one<SettingsChange>([
      { loopPaused: true },
      { loopPaused: false },
      { loopPaused: false },
      { needsPeople: true },
      { needsPeople: false },
      { maxRunsPerDay: one([1, 3, 20]) },
      { maxRunsPerDay: 20 },
      { maxConcurrentCampaigns: one([0, 1]) },
      { maxConcurrentCampaigns: 3 },
      { approvalHours: one([1, 2, 72]) },
    ]);
  const goal = one([0, 1]);
  const proposal = one([0, 0, 0, 1, 2]);
  const token = drawToken();
  const instant = drawInstant();
  const approval = random.chance(0.2) ? one([proposal, "foreign" as const, "unknown" as const]) : null;
  const inMs = one([MINUTE, MINUTE, HOUR, MINUTE - 1, 3 * DAY, null]);
  const status = one(["approved", "approved", "rejected"] as const);
  const draws: readonly [number, () => Step][] = [
    [20, () => ({ kind: "claim", campaign, seconds: one([60, 300, 3_600]) })],
    [14, () => ({ kind: "mutate", campaign, draft: drawDraft(), token, instant, approval })],
    [12, () => ({ kind: "use", campaign, proposal, token, isNamed: random.chance(0.85) })],
    [14, () => ({ kind: "propose", campaign, draft: drawDraft(), token, instant })],
    [3, () => ({ kind: "propose again", campaign, proposal, token })],
    [14, () => ({ kind: "decide", campaign, proposal, status, isForGood: random.chance(0.4) })],
    [9, () => ({ kind: "complete", campaign, token, inMs })],
    [6, () => ({ kind: "schedule", campaign, inMs: one([0, 0, -HOUR, HOUR, DAY]) })],
    [5, () => ({ kind: "patch", campaign, edit: drawEdit() })],
    [5, () => ({ kind: "status", campaign, action: one(["launch", "launch", "launch", "pause", "pause"]) })],
    [0.4, () => ({ kind: "status", campaign, action: "end" })],
    [1, () => ({ kind: "archive", goal })],
    [4, () => ({ kind: "reactivate", goal })],
    [2, () => ({ kind: "approval mode", goal, needsPeople: random.chance(0.5) })],
    [5, () => ({ kind: "settings", change: drawSettings() })],
    [12, () => ({ kind: "wait", ms: one([0, 1, SECOND, MINUTE - 1, MINUTE, 5 * MINUTE, HOUR, DAY]) })],
  ];
  const total = draws.reduce((sum, [weight]) => sum + weight, 0);
  let rest = (random.int(1_000) / 1_000) * total;
  for (const [weight, draw] of draws) {
    if (rest < weight) return draw();
    rest -= weight;
  }
  throw new Error("The weights do not add up.");
}

/** An approval from the claim to its use, in which some steps are missing and others come in between. */
function drawStory(random: Random, campaign: number): Step[] {
  const one = <T>(list: readonly [T, ...T[]]): T => random.pick(list) ?? list[0];
  const draft = one<Draft>([
    { what: "status", action: "pause" },
    { what: "status", action: "launch" },
    { what: "name", name: one(["North", "South"]) },
    { what: "weights", weights: one([[20, 80], [70]]) },
  ]);
  const status = one(["approved", "approved", "approved", "rejected"] as const);
  const lease = { campaign, token: "last" } as const;
  const change: Step = { kind: "mutate", ...lease, draft, instant: "current", approval: null };
  const use: Step = { kind: "use", ...lease, proposal: 0, isNamed: random.chance(0.8) };
  const named: Step = { ...change, draft: { what: "name", name: "West" }, approval: 0 };
  const isCalm = random.chance(0.3);
  const between = (): Step[] => {
    if (isCalm || random.chance(0.6)) return [];
    const edit = one<Edit>([
      { what: "name", name: "West" },
      { what: "weight", weight: 30 },
      { what: "title", title: "Good day" },
    ]);
    return [
      one<Step>([
        { kind: "patch", campaign, edit },
        { kind: "status", campaign, action: one(["launch", "pause"]) },
        { kind: "schedule", campaign, inMs: 0 },
        { kind: "wait", ms: one([SECOND, HOUR, 2 * HOUR]) },
        { kind: "settings", change: one([{ loopPaused: true }, { loopPaused: false }]) },
        { kind: "complete", ...lease, inMs: MINUTE },
      ]),
    ];
  };
  const story: Step[] = [
    { kind: "schedule", campaign, inMs: 0 },
    { kind: "claim", campaign, seconds: 300 },
    { kind: "propose", ...lease, draft, instant: "current" },
    { kind: "decide", campaign, proposal: 0, status, isForGood: random.chance(0.7) },
    { kind: "claim", campaign, seconds: 300 },
    one<Step>([use, use, named]),
    one<Step>([use, change]),
    { kind: "complete", ...lease, inMs: MINUTE },
    { kind: "wait", ms: MINUTE },
    { kind: "claim", campaign, seconds: 60 },
    one<Step>([
      change,
      ...Array.from({ length: 2 }, (): Step => ({ kind: "propose", ...lease, draft, instant: "current" })),
    ]),
  ];
  return story.flatMap((step) => (random.chance(0.95) ? [...between(), step] : []));
}

/** A change that is applied, undone by a person and asked for again in the same evaluation; some steps are missing. */
function drawUndone(random: Random, campaign: number): Step[] {
  const lease = { campaign, token: "last" } as const;
  const [draft, undo] = random.pick<readonly [Draft, Step]>([
    [
      { what: "status", action: "pause" },
      { kind: "status", campaign, action: "launch" },
    ],
    [
      { what: "name", name: "North" },
      { kind: "patch", campaign, edit: { what: "name", name: "West" } },
    ],
    [
      { what: "weights", weights: [70] },
      { kind: "patch", campaign, edit: { what: "weight", weight: 30 } },
    ],
  ]) ?? [
    { what: "name", name: "North" },
    { kind: "wait", ms: 0 },
  ];
  const change: Step = { kind: "mutate", ...lease, draft, instant: "current", approval: null };
  const ask: Extract<Step, { kind: "propose" }> = { kind: "propose", ...lease, draft, instant: "current" };
  const story: Step[] = [
    { kind: "settings", change: { needsPeople: false } },
    { kind: "schedule", campaign, inMs: 0 },
    { kind: "claim", campaign, seconds: 300 },
    change,
    undo,
    { kind: "settings", change: { needsPeople: random.chance(0.5) } },
    random.chance(0.5) ? change : ask,
    random.chance(0.5) ? change : ask,
    { ...ask, instant: "off" },
    { kind: "complete", ...lease, inMs: null },
  ];
  return story.filter(() => random.chance(0.95));
}

/** A proposal whose time is over, decided or not, that is used or made again in its evaluation; some steps are missing. */
function drawExpired(random: Random, campaign: number): Step[] {
  const lease = { campaign, token: "last" } as const;
  const ask: Step = {
    kind: "propose",
    ...lease,
    instant: "current",
    draft: { what: "name", name: random.pick(["North", "South"]) ?? "North" },
  };
  const use: Step = { kind: "use", ...lease, proposal: 0, isNamed: true };
  const story: Step[] = [
    { kind: "settings", change: { approvalHours: 1, loopPaused: false } },
    { kind: "schedule", campaign, inMs: 0 },
    { kind: "claim", campaign, seconds: 300 },
    ask,
    { kind: "decide", campaign, proposal: 0, status: "approved", isForGood: false },
    { kind: "wait", ms: HOUR },
    { kind: "claim", campaign, seconds: 300 },
    use,
    ask,
    { kind: "decide", campaign, proposal: 0, status: "approved", isForGood: false },
    { kind: "claim", campaign, seconds: 300 },
    use,
  ];
  return story.filter(() => random.chance(0.95));
}

/** Two campaigns that are claimed while one may be. */
const CROWD: readonly Step[] = [
  { kind: "settings", change: { maxConcurrentCampaigns: 1 } },
  ...[0, 1].flatMap((campaign): Step[] => [
    { kind: "schedule", campaign, inMs: 0 },
    { kind: "claim", campaign, seconds: 60 },
  ]),
  { kind: "settings", change: { maxConcurrentCampaigns: 3 } },
];

/** Draws a trail: steps by themselves, and approvals with all that belongs to them. */
export function drawTrail(random: Random, length: number): Step[] {
  const trail: Step[] = [];
  while (trail.length < length) {
    const campaign = random.pick([0, 0, 0, 1, 1, 2]) ?? 0;
    const draw = random.int(100);
    if (draw < 13) trail.push(...drawStory(random, campaign));
    else if (draw < 15) trail.push(...CROWD);
    else if (draw < 17) trail.push(...drawUndone(random, campaign));
    else if (draw < 19) trail.push(...drawExpired(random, campaign));
    else trail.push(drawStep(random, campaign));
  }
  return trail.slice(0, length);
}

type Body = Readonly<Record<string, unknown>>;
type Answered = { status: number; body: Body };

/** Asks the server over HTTP: the client does not say whether an answer was 200 or 201. */
export async function ask(
  { url, secretKey, agentKey }: TestProject,
  by: "person" | "agent",
  [method, path]: readonly [string, string],
  body?: unknown,
): Promise<Answered> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${by === "agent" ? agentKey : secretKey}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Body };
}

/** Compares an answer with what the model expects, of the body what the model knows. */
function compare({ outcomes }: Stage, kind: string, { status, body }: Answered, expected: Expected): void {
  const shown = Object.fromEntries(Object.keys(expected.body).map((key) => [key, body[key]]));
  assert.deepEqual({ status, reason: body.reason ?? null, body: shown }, expected, kind);
  outcomes.add([kind, status, ...(expected.reason === null ? [] : [expected.reason])].join(" "));
}

const campaignOf = ({ model }: Stage, index: number): Campaign => {
  const campaign = model.campaigns[index];
  if (campaign === undefined) throw new Error(`There is no campaign ${index}.`);
  return campaign;
};

const proposalOf = ({ proposals }: Campaign, fromLast: number): Proposal | undefined =>
  proposals.at(-1 - fromLast);

function tokenOf(stage: Stage, index: number, token: Token): string {
  const { tokens } = campaignOf(stage, index);
  const { tokens: foreign } = campaignOf(stage, (index + 1) % 3);
  const found = { last: tokens.at(-1), former: tokens.at(-2), foreign: foreign.at(-1), "made up": undefined };
  return found[token] ?? `lease_${"x".repeat(32)}`;
}

function instantOf({ house }: Stage, { evaluationAt, instants }: Campaign, instant: Instant): number {
  const current = evaluationAt ?? instants.at(-1) ?? house.now();
  if (instant === "off") return current + 1;
  return instant === "former" ? (instants.at(-2) ?? current) : current;
}

function mutationOf({ variants }: Campaign, draft: Draft): CampaignMutation {
  if (draft.what === "status") return { type: "status", action: draft.action };
  const [first, second] = variants;
  if (first === undefined || second === undefined) throw new Error("A campaign has two variants.");
  switch (draft.what) {
    case "name":
      return { type: "update", name: draft.name };
    case "weights":
      return {
        type: "update",
        variants: variants.flatMap(({ id }, index) => {
          const weight = draft.weights[index];
          return weight === undefined ? [] : [{ id, weight }];
        }),
      };
    case "variant":
      return { type: "update", variants: [{ id: first.id, name: draft.name }] };
    case "both":
      return { type: "update", name: draft.name, variants: [{ id: second.id, weight: draft.weight }] };
    case "unknown variant":
      return { type: "update", variants: [{ id: `var_${NOWHERE}`, weight: 1 }] };
    case "nothing":
      return { type: "update" };
  }
}

async function mutate(
  stage: Stage,
  campaign: Campaign,
  wanted: Parameters<Model["mutate"]>[1],
): Promise<void> {
  const { token: leaseToken, evaluationAt, mutation, approvalId } = wanted;
  const body = { leaseToken, evaluationAt, mutation, ...(approvalId === null ? {} : { approvalId }) };
  const answer = await ask(stage.project, "agent", ["POST", `/evaluations/${campaign.id}/mutate`], body);
  compare(stage, "mutate", answer, stage.model.mutate(campaign, wanted));
}

async function propose(
  stage: Stage,
  campaign: Campaign,
  wanted: Omit<Parameters<Model["propose"]>[1], "id">,
): Promise<void> {
  const { token: leaseToken, evaluationAt, mutation } = wanted;
  const proposal = { campaignId: campaign.id, evaluationAt, mutation, leaseToken };
  const { status, body } = await ask(stage.project, "agent", ["POST", "/agent/proposals"], proposal);
  const id = (body.proposal as { id: string } | undefined)?.id ?? "";
  const expected = stage.model.propose(campaign, { ...wanted, id });
  compare(stage, "propose", { status, body: { ...body, id } }, expected);
}

function changeOf({ house }: Stage, { variants }: Campaign, edit: Edit): { change: Change; body: Body } {
  const instantIn = (inMs: number | null) => (inMs === null ? null : house.now() + inMs);
  const [{ id } = { id: "" }] = variants;
  switch (edit.what) {
    case "name":
      return { change: { name: edit.name }, body: { name: edit.name } };
    case "weight":
      return {
        change: { variants: [{ id, weight: edit.weight }] },
        body: { variants: [{ id, weight: edit.weight }] },
      };
    case "title":
      return {
        change: { variants: [{ id, title: edit.title }] },
        body: { variants: [{ id, message: toast(edit.title) }] },
      };
    case "from":
      return { change: { deliverFrom: instantIn(edit.inMs) }, body: { deliverFrom: instantIn(edit.inMs) } };
    case "until":
      return { change: { deliverUntil: instantIn(edit.inMs) }, body: { deliverUntil: instantIn(edit.inMs) } };
  }
}

async function changeGoal(stage: Stage, index: number, body: Body): Promise<void> {
  const goal = stage.model.goals[index];
  if (goal === undefined) throw new Error(`There is no goal ${index}.`);
  const { status } = await ask(stage.project, "person", ["PATCH", `/goals/${goal.id}`], body);
  assert.equal(status, 200);
  if (body.status !== undefined) goal.isActive = body.status === "active";
  if (body.approvalMode !== undefined) goal.needsPeople = body.approvalMode === "require_human";
}

async function changeSettings({ house, project, model }: Stage, change: SettingsChange): Promise<void> {
  const { needsPeople, ...others } = change;
  const texts = Object.entries(others).map(([key, value]) => [`safety.${key}`, String(value)]);
  if (needsPeople !== undefined) texts.push(["safety.approvalOverride", needsPeople ? "require_human" : ""]);
  await setSettings(house, project, Object.fromEntries(texts));
  Object.assign(model.settings, change);
}

async function decide(
  stage: Stage,
  campaign: Campaign,
  { proposal: index, status, isForGood }: Extract<Step, { kind: "decide" }>,
): Promise<void> {
  const proposal = proposalOf(campaign, index);
  if (proposal === undefined) return;
  const verdict = { status, isForGood: isForGood && status === "rejected" };
  const expected = stage.model.decide(campaign, proposal, verdict);
  const decided = await decideAs(stage.house, stage.project, proposal.id, status, {
    forGood: verdict.isForGood,
  }).then(
    () => true,
    () => false,
  );
  assert.equal(decided, expected, "decide");
  stage.outcomes.add(`decide ${expected ? status : "refused"}`);
}

/** Does a step, and compares what it answers. */
export async function perform(stage: Stage, step: Step): Promise<void> {
  const { house, project, model } = stage;
  if (step.kind === "wait") return house.advance(step.ms);
  if (step.kind === "settings") return changeSettings(stage, step.change);
  if (step.kind === "archive" || step.kind === "reactivate")
    return changeGoal(stage, step.goal, { status: step.kind === "archive" ? "archived" : "active" });
  if (step.kind === "approval mode")
    return changeGoal(stage, step.goal, { approvalMode: step.needsPeople ? "require_human" : "auto" });
  const campaign = campaignOf(stage, step.campaign);
  const { id } = campaign;
  switch (step.kind) {
    case "claim": {
      const body = { leaseSeconds: step.seconds };
      const answer = await ask(project, "agent", ["POST", `/evaluations/${id}/claim`], body);
      const token = String(answer.body.leaseToken ?? "");
      const applied = (answer.body.applied ?? []) as { payloadHash: string }[];
      const hashes = applied.map(({ payloadHash }) => payloadHash).sort();
      const expected = model.claim(campaign, { seconds: step.seconds, token });
      return compare(stage, "claim", { ...answer, body: { ...answer.body, applied: hashes } }, expected);
    }
    case "mutate": {
      const owner = step.approval === "foreign" ? campaignOf(stage, (step.campaign + 1) % 3) : campaign;
      const named = proposalOf(owner, typeof step.approval === "number" ? step.approval : 0)?.id ?? null;
      return mutate(stage, campaign, {
        token: tokenOf(stage, step.campaign, step.token),
        evaluationAt: instantOf(stage, campaign, step.instant),
        mutation: mutationOf(campaign, step.draft),
        approvalId: step.approval === null ? null : step.approval === "unknown" ? `prop_${NOWHERE}` : named,
      });
    }
    case "use": {
      const proposal = proposalOf(campaign, step.proposal);
      if (proposal === undefined) return;
      const { evaluationAt, mutation } = proposal;
      const approvalId = step.isNamed ? proposal.id : null;
      const token = tokenOf(stage, step.campaign, step.token);
      return mutate(stage, campaign, { token, evaluationAt, mutation, approvalId });
    }
    case "propose":
      return propose(stage, campaign, {
        token: tokenOf(stage, step.campaign, step.token),
        evaluationAt: instantOf(stage, campaign, step.instant),
        mutation: mutationOf(campaign, step.draft),
      });
    case "propose again": {
      const proposal = proposalOf(campaign, step.proposal);
      if (proposal === undefined) return;
      const { evaluationAt, mutation } = proposal;
      const token = tokenOf(stage, step.campaign, step.token);
      return propose(stage, campaign, { token, evaluationAt, mutation });
    }
    case "decide":
      return decide(stage, campaign, step);
    case "complete": {
      const next = step.inMs === null ? null : house.now() + step.inMs;
      const token = tokenOf(stage, step.campaign, step.token);
      const body = { leaseToken: token, nextEvaluationAt: next };
      const answer = await ask(project, "agent", ["POST", `/evaluations/${id}/complete`], body);
      return compare(stage, "complete", answer, model.complete(campaign, { token, next }));
    }
    case "schedule": {
      const nextEvaluationAt = house.now() + step.inMs;
      const answer = await ask(project, "person", ["PUT", `/evaluations/${id}`], { nextEvaluationAt });
      return compare(stage, "schedule", answer, model.schedule(campaign, nextEvaluationAt));
    }
    case "patch": {
      const { change, body } = changeOf(stage, campaign, step.edit);
      const answer = await ask(project, "person", ["PATCH", `/campaigns/${id}`], body);
      return compare(stage, "patch", answer, model.patch(campaign, change));
    }
    case "status": {
      const answer = await ask(project, "person", ["POST", `/campaigns/${id}/status`], {
        action: step.action,
      });
      return compare(stage, "status", answer, model.changeStatus(campaign, step.action));
    }
  }
}

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  claim,
  complete,
  decideAs,
  END,
  LAUNCH,
  type Leased,
  leasedCampaign,
  type Mutation,
  makeGoal,
  mutate,
  PAUSE,
  propose,
} from "../../../../../test/agent.ts";
import { expression, trait } from "../../../../../test/audience/trees.ts";
import { launchEmail, sendingProject, setSettings } from "../../../../../test/email.ts";
import { feedback, messagesOf, toast } from "../../../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../../../test/harness.ts";
import { queueOnTheWeb } from "../../../../../test/occasions.ts";
import { DAY_MS, HOUR_MS } from "../../../../platform/time/clock.ts";

const house = testHouse();

const HUMAN = { goal: { approvalMode: "require_human" as const } };

/** What a refusal says of itself. */
async function refused(answer: Promise<unknown>) {
  const { status, body } = await refusal(answer);
  const { reason, approvalRequired } = body as { reason?: string; approvalRequired?: boolean };
  return approvalRequired === undefined ? [status, reason] : [status, reason, approvalRequired];
}

type Made = Awaited<ReturnType<typeof leasedCampaign>>;

const read = async ({ agent }: TestProject, id: string) => agent.getProposal({ path: { id } });

/** A proposal that people have decided, with the lease of the claim that goes on after it. */
async function decided(
  project: TestProject,
  mutation: Mutation,
  status: "approved" | "rejected",
  { launch = true, forGood = false } = {},
) {
  const made = await leasedCampaign(house, project, { ...HUMAN, launch });
  const { proposal } = await propose(project, made, mutation);
  await decideAs(house, project, proposal.id, status, { forGood });
  const { leaseToken, decidedContinuation } = await claim(project, made.id);
  return { ...made, leaseToken, decidedContinuation, proposal };
}

describe("a change that people have to approve", () => {
  it("is refused with its hash, proposed, approved and applied once", async () => {
    const project = await house.project();
    const it = await leasedCampaign(house, project, HUMAN);
    const { body } = await refusal(mutate(project, it, PAUSE));
    const { payloadHash } = body as { payloadHash: string };
    assert.deepEqual(await refused(mutate(project, it, PAUSE)), [403, "approval_required", true]);
    const { proposal, ...flags } = await propose(project, it, PAUSE);
    assert.deepEqual(flags, { awaitingDecision: true, leaseHeld: false });
    assert.deepEqual(proposal, {
      id: proposal.id,
      campaignId: it.id,
      evaluationAt: it.evaluationAt,
      payloadHash,
      mutation: PAUSE,
      status: "pending",
      state: "pending",
      createdAt: house.now(),
      expiresAt: house.now() + 72 * HOUR_MS,
      proposedRunId: null,
      decidedBy: null,
      decidedRunId: null,
      decidedAt: null,
      consumedAt: null,
      reason: null,
    });
    assert.match(proposal.id, /^prop_/);
    assert.deepEqual(await refused(claim(project, it.id)), [409, "awaiting_decision"]);
    assert.deepEqual((await project.agent.listDueEvaluations()).campaigns, []);
    house.advance(1_000);
    await decideAs(house, project, proposal.id, "approved", { reason: "Looks right" });
    const after = (await read(project, proposal.id)).proposal;
    assert.deepEqual(
      [after.state, after.decidedBy, after.reason, after.decidedAt, after.expiresAt],
      ["approved", "Grace", "Looks right", house.now(), house.now() + 72 * HOUR_MS],
    );
    const { runs } = await project.api.listAgentRuns({ query: { kind: "approval", campaignId: it.id } });
    assert.deepEqual(
      runs.map(({ id }) => id),
      [after.decidedRunId],
    );
    const [next] = (await project.agent.listDueEvaluations()).campaigns;
    assert.equal(next?.decidedContinuation, true);
    await setSettings(house, project, { "safety.maxRunsPerDay": "1" });
    const { leaseToken, decidedContinuation } = await claim(project, it.id);
    assert.equal(decidedContinuation, true);
    assert.equal((await project.agent.listDueEvaluations()).runsUsedToday, 1);
    const now: Leased = { ...it, leaseToken };
    assert.deepEqual(await refused(complete(project, it.id, leaseToken, house.now() + DAY_MS)), [
      409,
      "approved_unapplied",
    ]);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => mutate(project, now, PAUSE, { approvalId: proposal.id })),
    );
    for (const answer of answers)
      assert.deepEqual(answer, { campaignId: it.id, applied: PAUSE, status: "paused" });
    const used = (await read(project, proposal.id)).proposal;
    assert.deepEqual([used.state, used.status, used.consumedAt], ["used", "approved", house.now()]);
    await complete(project, it.id, leaseToken, house.now() + DAY_MS);
    assert.equal((await project.api.listAgentRuns({ query: { kind: "mutate" } })).total, 1);
  });

  it("does not hold an evaluation up where the goal's guardrails refuse it by now", async () => {
    const project = await house.project();
    const it = await decided(project, LAUNCH, "approved", { launch: false });
    const next = house.now() + DAY_MS;
    const completing = () => complete(project, it.id, it.leaseToken, next);
    assert.deepEqual(await refused(completing()), [409, "approved_unapplied"]);
    const guardrails = { quietUntil: house.now() + HOUR_MS };
    await project.api.updateGoal({ path: { id: it.goalId }, body: { guardrails } });
    const approvalId = it.proposal.id;
    assert.deepEqual(await refused(mutate(project, it, LAUNCH, { approvalId })), [
      403,
      "guardrail_violated",
      false,
    ]);
    assert.equal((await read(project, approvalId)).proposal.state, "approved");
    await completing();
    assert.equal((await read(project, approvalId)).proposal.state, "expired");
    const { campaign } = await project.api.getCampaign({ path: { id: it.id } });
    assert.equal(campaign.status, "draft");
    house.at(next);
    const { leaseToken } = await claim(project, it.id);
    const later = { ...it, evaluationAt: next, leaseToken };
    // It was approved for the evaluation before, so what the guardrails allow again is asked for again.
    assert.deepEqual(await refused(mutate(project, later, LAUNCH, { approvalId })), [
      409,
      "approval_mismatch",
    ]);
    assert.deepEqual(await refused(mutate(project, later, LAUNCH)), [403, "approval_required", true]);
    assert.equal((await propose(project, later, LAUNCH)).awaitingDecision, true);
  });

  it("is asked for where the project says so, whatever the goal says", async () => {
    const project = await house.project();
    const it = await leasedCampaign(house, project);
    await setSettings(house, project, { "safety.approvalOverride": "require_human" });
    assert.deepEqual(await refused(mutate(project, it, PAUSE)), [403, "approval_required", true]);
  });

  it("needs the approval of exactly this change, once, in time", async () => {
    const project = await house.project();
    await setSettings(house, project, { "safety.maxConcurrentCampaigns": "20" });
    const approved = await decided(project, PAUSE, "approved");
    const { proposal } = approved;
    const using = (mutation: Mutation, approvalId = proposal.id) =>
      refused(mutate(project, approved, mutation, { approvalId }));
    assert.deepEqual(await using(END), [409, "approval_mismatch"]);
    assert.deepEqual(await using(PAUSE, "prop_019b0000-0000-7000-8000-000000000000"), [404, undefined]);
    const foreign = await decided(await house.project(), PAUSE, "approved");
    assert.deepEqual(await using(PAUSE, foreign.proposal.id), [404, undefined]);
    const waiting = await leasedCampaign(house, project, HUMAN);
    const { proposal: pending } = await propose(project, waiting, PAUSE);
    assert.deepEqual(await using(PAUSE, pending.id), [409, "approval_pending"]);
    await mutate(project, approved, PAUSE, { approvalId: proposal.id });
    await complete(project, approved.id, approved.leaseToken, house.now() + DAY_MS);
    house.advance(DAY_MS);
    const { leaseToken, nextEvaluationAt } = await claim(project, approved.id);
    const later = { ...approved, leaseToken, evaluationAt: nextEvaluationAt };
    await project.api.setCampaignStatus({ path: { id: approved.id }, body: { action: "launch" } });
    const again = await refused(mutate(project, later, PAUSE, { approvalId: proposal.id }));
    assert.deepEqual(again, [409, "approval_mismatch"]);
  });

  it("has to be proposed again once its approval is too old, and nothing waits for it", async () => {
    const project = await house.project();
    const it = await decided(project, PAUSE, "approved");
    house.advance(72 * HOUR_MS);
    // The program that went on after the decision never came to an end: this one takes over.
    const { leaseToken, decidedContinuation } = await claim(project, it.id);
    assert.deepEqual([it.decidedContinuation, decidedContinuation], [true, false]);
    const late = mutate(project, { ...it, leaseToken }, PAUSE, { approvalId: it.proposal.id });
    assert.deepEqual(await refused(late), [409, "approval_expired"]);
    assert.equal((await read(project, it.proposal.id)).proposal.state, "expired");
    await complete(project, it.id, leaseToken, house.now() + DAY_MS);
  });

  it("has to be proposed again once anything that people read was changed", async () => {
    const project = await house.project();
    await setSettings(house, project, { "safety.maxConcurrentCampaigns": "99" });
    const weights = ({ campaign }: Made): Mutation => {
      const [a, b] = campaign.variants.map(({ id }) => id);
      return {
        type: "update",
        variants: [
          { id: a ?? "", weight: 10 },
          { id: b ?? "", weight: 90 },
        ],
      };
    };
    const renamed = (): Mutation => ({ type: "update", name: "Renamed" });
    const update = (body: Record<string, unknown>) => (made: Made) =>
      project.api.updateCampaign({ path: { id: made.id }, body });
    const variant = (index: number, change: Record<string, unknown>) => (made: Made) =>
      update({ variants: [{ id: made.campaign.variants[index]?.id, ...change }] })(made);
    const goal = (body: Record<string, unknown>) => (made: Made) =>
      project.api.updateGoal({ path: { id: made.goalId }, body });
    const control = (made: Made) => {
      const [a, b] = made.campaign.variants.map(({ id }) => id);
      return update({
        variants: [
          { id: a, isControl: false },
          { id: b, isControl: true },
        ],
      })(made);
    };
    const text = variant(1, { message: toast("Totally different text") });
    const controlText = variant(0, { message: toast("Another control") });
    const audience = update({
      audience: { kind: "expression", expression: expression(trait("plan", "eq", "pro")) },
    });
    const pages = update({ pages: ["/elsewhere"] });
    const added = update({ variants: [{ name: "C", message: toast("C"), weight: 0 }] });
    const cases: [string, (made: Made) => Mutation, (made: Made) => Promise<unknown>][] = [
      ["weights, a text", weights, text],
      ["weights, the control's text", weights, controlText],
      ["weights, the control", weights, control],
      ["weights, a weight", weights, variant(1, { weight: 51 })],
      ["weights, the audience", weights, audience],
      ["weights, the pages", weights, pages],
      ["weights, a new variant", weights, added],
      ["weights, the goal's event", weights, goal({ targetEvent: "paid_more" })],
      ["weights, the goal's days", weights, goal({ attributionDays: 1 })],
      ["a name, a text", renamed, text],
      ["a pause, a text", () => PAUSE, text],
      ["an end, a weight", () => END, variant(0, { weight: 20 })],
      ["an end, the audience", () => END, audience],
    ];
    for (const [what, mutationOf, change] of cases) {
      const made = await leasedCampaign(house, project, HUMAN);
      const mutation = mutationOf(made);
      const { proposal } = await propose(project, made, mutation);
      await decideAs(house, project, proposal.id, "approved");
      const { leaseToken } = await claim(project, made.id);
      await change(made);
      const before = (await project.api.getCampaign({ path: { id: made.id } })).campaign;
      const it = { ...made, leaseToken };
      const stale = mutate(project, it, mutation, { approvalId: proposal.id });
      assert.deepEqual(await refused(stale), [409, "approval_stale"], what);
      const after = (await project.api.getCampaign({ path: { id: made.id } })).campaign;
      assert.deepEqual(after, before, `${what}: nothing is applied`);
      const lapsed = await read(project, proposal.id);
      assert.deepEqual([lapsed.proposal.state, lapsed.review.isStale], ["expired", true], what);
      // It hinders nothing: the agent may go on in the same evaluation.
      await complete(project, made.id, leaseToken, house.now() + DAY_MS);
    }
  });

  it("is applied although what nobody reads of it was changed, or was changed and is as it was again", async () => {
    const project = await house.project();
    const made = await decided(project, PAUSE, "approved");
    const path = { id: made.id };
    await project.api.updateCampaign({ path, body: { name: "Another name" } });
    const [a] = made.campaign.variants;
    assert.ok(a);
    for (const message of [toast("Elsewhere"), toast("A")])
      await project.api.updateCampaign({ path, body: { variants: [{ id: a.id, message }] } });
    assert.equal((await read(project, made.proposal.id)).proposal.state, "approved");
    const applied = await mutate(project, made, PAUSE, { approvalId: made.proposal.id });
    assert.equal(applied.status, "paused");
  });

  it("has to be proposed again once a launch would bring something else", async () => {
    const project = await house.project();
    const it = await decided(project, LAUNCH, "approved", { launch: false });
    const [a] = it.campaign.variants;
    assert.ok(a);
    const body = { variants: [{ id: a.id, message: toast("Something else") }] };
    await project.api.updateCampaign({ path: { id: it.id }, body });
    const stale = mutate(project, it, LAUNCH, { approvalId: it.proposal.id });
    assert.deepEqual(await refused(stale), [409, "approval_stale"]);
    const { proposal, review } = await read(project, it.proposal.id);
    assert.deepEqual([proposal.state, review.isStale], ["expired", true]);
    assert.equal((await propose(project, it, PAUSE_NAME)).awaitingDecision, true);
  });

  it("has to be proposed again once a campaign would go on that people read is sent once", async () => {
    const project = await sendingProject(house, 1);
    const { id: goalId } = await makeGoal(project, HUMAN.goal);
    const { id } = await launchEmail(project, { goalId, once: true, launch: false });
    const evaluationAt = house.now();
    await project.api.scheduleEvaluation({ path: { id }, body: { nextEvaluationAt: evaluationAt } });
    const lease = async () => ({ id, evaluationAt, leaseToken: (await claim(project, id)).leaseToken });
    const { proposal } = await propose(project, await lease(), LAUNCH);
    await decideAs(house, project, proposal.id, "approved");
    await project.api.updateCampaign({ path: { id }, body: { once: false } });
    const stale = mutate(project, await lease(), LAUNCH, { approvalId: proposal.id });
    assert.deepEqual(await refused(stale), [409, "approval_stale"]);
  });
});

const PAUSE_NAME: Mutation = { type: "update", name: "Renamed" };

describe("a proposal", () => {
  it("is the same one when it is repeated, whatever is wrong by then", async () => {
    const project = await house.project();
    const it = await leasedCampaign(house, project, HUMAN);
    const first = await propose(project, it, PAUSE);
    const again = await Promise.all(Array.from({ length: 5 }, () => propose(project, it, PAUSE)));
    for (const each of again) assert.deepEqual(each, first);
    await setSettings(house, project, { "safety.loopPaused": "true" });
    assert.deepEqual(await propose(project, it, PAUSE), first);
    assert.deepEqual(await refused(propose(project, it, END)), [409, "lease_lost"]);
    await decideAs(house, project, first.proposal.id, "rejected");
    await setSettings(house, project, { "safety.loopPaused": "false" });
    const { leaseToken } = await claim(project, it.id);
    const { proposal, ...flags } = await propose(project, { ...it, leaseToken }, PAUSE);
    assert.deepEqual([proposal.status, flags], ["rejected", { awaitingDecision: false, leaseHeld: true }]);
    assert.equal((await project.agent.listProposals()).total, 1);
  });

  it("is tried first, and what would be refused is not proposed", async () => {
    const project = await house.project();
    const it = await leasedCampaign(house, project, HUMAN);
    assert.deepEqual(await refused(propose(project, it, LAUNCH)), [409, undefined]);
    const nowhere = "var_019b0000-0000-7000-8000-000000000000";
    const unknown = propose(project, it, { type: "update", variants: [{ id: nowhere, weight: 1 }] });
    const { status, error } = await refusal(unknown);
    assert.deepEqual(
      [status, error],
      [400, `mutation.variants: ${nowhere} is not a variant of this campaign`],
    );
    const before = (await project.api.getCampaign({ path: { id: it.id } })).campaign;
    await propose(project, it, PAUSE_NAME);
    assert.deepEqual((await project.api.getCampaign({ path: { id: it.id } })).campaign, before);
  });

  it("that was rejected is barred in its evaluation, and for good where people say so", async () => {
    for (const forGood of [false, true]) {
      const project = await house.project();
      const it = await decided(project, PAUSE, "rejected", { forGood });
      assert.deepEqual(await refused(mutate(project, it, PAUSE)), [403, "proposal_rejected", false]);
      const named = mutate(project, it, PAUSE, { approvalId: it.proposal.id });
      assert.deepEqual(await refused(named), [403, "proposal_rejected", false]);
      await project.api.updateGoal({ path: { id: it.goalId }, body: { approvalMode: "auto" } });
      assert.deepEqual(await refused(mutate(project, it, PAUSE)), [403, "proposal_rejected", false]);
      await complete(project, it.id, it.leaseToken, house.now() + DAY_MS);
      house.advance(DAY_MS);
      const { leaseToken, nextEvaluationAt } = await claim(project, it.id);
      const next = mutate(project, { id: it.id, leaseToken, evaluationAt: nextEvaluationAt }, PAUSE);
      if (forGood) assert.deepEqual(await refused(next), [403, "proposal_rejected", false]);
      else assert.equal((await next).status, "paused");
    }
  });

  it("that waits too long reads rejected, and bars nothing", async () => {
    const project = await house.project();
    const it = await leasedCampaign(house, project, HUMAN);
    await setSettings(house, project, { "safety.approvalHours": "2" });
    const { proposal } = await propose(project, it, PAUSE);
    house.advance(2 * HOUR_MS - 1);
    assert.deepEqual(await refused(claim(project, it.id)), [409, "awaiting_decision"]);
    house.advance(1);
    const late = (await read(project, proposal.id)).proposal;
    assert.deepEqual([late.status, late.state, late.decidedBy], ["rejected", "expired", null]);
    await assert.rejects(decideAs(house, project, proposal.id, "approved"), /time to be decided is over/);
    const { leaseToken } = await claim(project, it.id);
    assert.equal((await propose(project, { ...it, leaseToken }, END)).awaitingDecision, true);
    const statuses = async (status: "pending" | "approved" | "rejected") =>
      (await project.agent.listProposals({ query: { status } })).proposals.map(({ mutation }) => mutation);
    assert.deepEqual(await statuses("rejected"), [PAUSE]);
    assert.deepEqual(await statuses("pending"), [END]);
    assert.deepEqual(await statuses("approved"), []);
  });

  it("shows people every field that would change, word by word", async () => {
    const project = await house.project();
    const it = await leasedCampaign(house, project, HUMAN);
    const [a, b] = it.campaign.variants;
    assert.ok(a && b);
    const { run } = await project.agent.createAgentRun({
      body: { kind: "propose", campaignId: it.id, rationale: "B converts better", output: { lift: 0.2 } },
    });
    const mutation: Mutation = {
      type: "update",
      name: "The bold campaign",
      variants: [{ id: b.id, weight: 80, message: { ...toast("A new day"), body: "Come in" } }],
    };
    const { proposal } = await propose(project, it, mutation, { proposedRunId: run.id });
    const { review } = await read(project, proposal.id);
    assert.deepEqual(review, {
      changes: [
        { path: "name", before: "Campaign", after: "The bold campaign" },
        { path: `variants[${b.id}].weight`, before: 50, after: 80 },
        { path: `variants[${b.id}].message.title`, before: "B", after: "A new day" },
        { path: `variants[${b.id}].message.body`, before: null, after: "Come in" },
      ],
      texts: [
        {
          path: "name",
          ops: [
            { op: "delete", words: "Campaign" },
            { op: "insert", words: "The bold campaign" },
          ],
        },
        {
          path: `variants[${b.id}].message.title`,
          ops: [
            { op: "delete", words: "B" },
            { op: "insert", words: "A new day" },
          ],
        },
      ],
      rendered: [
        {
          variantId: b.id,
          before: [{ field: "title", text: "B" }],
          after: [
            { field: "title", text: "A new day" },
            { field: "body", text: "Come in" },
          ],
        },
      ],
      newHosts: [],
      journey: null,
      audience: { summary: "all users", matched: 0, delivered: 0, left: 0, visitors: 0 },
      evidence: { runId: run.id, rationale: "B converts better", output: { lift: 0.2 } },
      guardrails: [],
      isStale: false,
    });
    await project.api.updateCampaign({ path: { id: it.id }, body: { variants: [{ id: a.id, weight: 10 }] } });
    assert.equal((await read(project, proposal.id)).review.isStale, true);
    await assert.rejects(decideAs(house, project, proposal.id, "approved"), /can only be rejected/);
    await decideAs(house, project, proposal.id, "rejected");
    await assert.rejects(decideAs(house, project, proposal.id, "approved"), /rejected by Grace already/);
  });

  it("shows people whom the campaign is for, who is left, and how near the goal's limits are", async () => {
    const project = await house.project();
    const quietUntil = house.now() - 1_000;
    const guardrails = {
      maxActiveCampaigns: 3,
      forbiddenPhrases: ["free"],
      maxUnsubscribeRate: 0.1,
      minConversionRate: 0,
      minControlShare: 0.2,
      quietUntil,
      errorBudget: 0.05,
    };
    const it = await leasedCampaign(house, project, {
      goal: { ...HUMAN.goal, targetEvent: "paid", guardrails },
    });
    await project.api.identifyBatch({
      body: { users: ["ada", "bo", "cy", "di"].map((userId) => ({ userId, traits: { plan: "pro" } })) },
    });
    for (const userId of ["ada", "bo"]) {
      const [message] = await messagesOf(project, userId);
      await feedback(project, message?.deliveryId ?? "", userId, "shown");
    }
    // Users are counted, however often one of them got it.
    await queueOnTheWeb(house, { project, campaignId: it.id }, "ada", [1, 2]);
    const { proposal } = await propose(project, it, PAUSE);
    const { review } = await read(project, proposal.id);
    assert.deepEqual(
      review.rendered.map(({ before, after }) => [before, after]),
      ["A", "B"].map((text) => [[{ field: "title", text }], [{ field: "title", text }]]),
      "a pause is about all that users get",
    );
    assert.deepEqual(review.audience, {
      summary: "all users",
      matched: 4,
      delivered: 2,
      left: 2,
      visitors: 0,
    });
    assert.deepEqual(review.guardrails, [
      { key: "maxActiveCampaigns", limit: 3, observed: 1 },
      { key: "forbiddenPhrases", limit: 0, observed: 0 },
      { key: "maxUnsubscribeRate", limit: 0.1, observed: 0 },
      { key: "minConversionRate", limit: 0, observed: null },
      { key: "minControlShare", limit: 0.2, observed: 0.5 },
      { key: "quietUntil", limit: quietUntil, observed: house.now() },
      { key: "errorBudget", limit: 0.05, observed: null },
    ]);
  });

  it("shows what a launch would let users read, on every channel, without their traits", async () => {
    const project = await house.project();
    await setSettings(house, project, {
      "email.from": "Acme News <news@acme.example>",
      "email.postalAddress": "Acme, 1 Main Street, Springfield",
      "email.domainVerified": "true",
      "email.smtpUrl": "smtp://127.0.0.1:2525",
    });
    const { id: goalId } = await makeGoal(project, HUMAN.goal);
    const body = `Hi **{{ user.name | default: "you" }}**, ${"new ".repeat(1_200)}`;
    const { id, variants } = await launchEmail(project, {
      goalId,
      launch: false,
      audience: { kind: "expression", expression: expression(trait("plan", "eq", "pro")) },
      variants: [
        { message: { subject: "Hello {{ user.name }}!", body }, weight: 1 },
        { message: { subject: "Unused", body: "Unused" }, weight: 0 },
      ],
    });
    const evaluationAt = house.now();
    await project.api.scheduleEvaluation({ path: { id }, body: { nextEvaluationAt: evaluationAt } });
    const { leaseToken } = await claim(project, id);
    const { proposal } = await propose(project, { id, evaluationAt, leaseToken }, LAUNCH);
    await project.api.identifyBatch({
      body: {
        users: [
          { userId: "ada", traits: { plan: "pro" } },
          { userId: "bo", traits: { plan: "free" } },
        ],
      },
    });
    const { rendered, audience } = (await read(project, proposal.id)).review;
    const read4000 = `Hi you, ${"new ".repeat(1_200)}`.slice(0, 3_999);
    assert.deepEqual(rendered, [
      {
        variantId: variants[0]?.id,
        before: null,
        after: [
          { field: "subject", text: "Hello !" },
          { field: "body", text: `${read4000}…` },
        ],
      },
    ]);
    assert.deepEqual([audience.matched, audience.delivered, audience.left], [1, 0, 1]);
  });

  it("is decided once, and only by the hash that the person has seen", async () => {
    const project = await house.project();
    const it = await leasedCampaign(house, project, HUMAN);
    const { proposal } = await propose(project, it, PAUSE);
    await assert.rejects(
      decideAs(house, project, proposal.id, "approved", { hashPrefix: "000000000000" }),
      /another hash/,
    );
    await assert.rejects(decideAs(house, await house.project(), proposal.id, "approved"), /no such proposal/);
    const hashPrefix = proposal.payloadHash.slice(0, 8);
    const both = await Promise.allSettled(
      (["approved", "rejected"] as const).map((status) =>
        decideAs(house, project, proposal.id, status, { hashPrefix }),
      ),
    );
    assert.equal(both.filter(({ status }) => status === "fulfilled").length, 1);
    assert.equal((await project.api.listAgentRuns({ query: { kind: "approval" } })).total, 1);
  });

  it("is listed page by page, newest first, and is the project's own", async () => {
    const project = await house.project();
    await setSettings(house, project, { "safety.maxConcurrentCampaigns": "9" });
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      const it = await leasedCampaign(house, project, HUMAN);
      ids.unshift((await propose(project, it, PAUSE)).proposal.id);
      house.advance(1);
    }
    const page = await project.agent.listProposals({ query: { perPage: 2, page: 2 } });
    assert.deepEqual(
      [page.proposals.map(({ id }) => id), page.total, page.pageCount],
      [ids.slice(2, 4), 5, 3],
    );
    const [first] = page.proposals;
    assert.ok(first);
    const { proposals } = await project.api.listProposals({ query: { campaignId: first.campaignId } });
    assert.deepEqual(proposals, [first]);
    const other = await house.project();
    assert.equal((await other.agent.listProposals()).total, 0);
    assert.equal((await refusal(read(other, first.id))).status, 404);
  });
});

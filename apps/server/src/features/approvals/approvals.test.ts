import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { afterEach, describe, it } from "node:test";
import type { Input } from "@tidings/client";
import {
  claim,
  dueCampaign,
  END,
  LAUNCH,
  leasedCampaign,
  type Mutation,
  mutate,
  PAUSE,
  propose,
  showExactly,
} from "../../../test/agent.ts";
import { expression, trait } from "../../../test/audience/trees.ts";
import { setSettings } from "../../../test/email.ts";
import { toast } from "../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../test/harness.ts";
import { clientOf } from "../../../test/people.ts";
import { HOUR_MS } from "../../platform/time/clock.ts";

const house = testHouse();
afterEach(async () => assert.deepEqual(await house.differences(), {}));

const HUMAN = { goal: { approvalMode: "require_human" as const } };
const SHA = "0123456789012345678901234567890123456789";

/** A proposal that waits, and an approver. */
async function waiting(mutation: Mutation = PAUSE, { launch = true } = {}) {
  const project = await house.project();
  await setSettings(house, project, { "safety.maxConcurrentCampaigns": "10" });
  const leased = await leasedCampaign(house, project, { ...HUMAN, launch });
  const { proposal } = await propose(project, leased, mutation);
  const { client, person } = await clientOf(house, project.projectId, "approver");
  return { project, leased, proposal, client, person };
}

/** A draft that announces a change of code. */
const announced = async ({ api }: TestProject, name = "Dark mode") =>
  (
    await api.createCampaign({
      body: {
        name,
        message: toast(),
        sourceChanges: { changes: [{ sourceId: "web", kind: "commit", sha: SHA }] },
      },
    })
  ).campaign;

/** What a refusal says of itself, without its sentence. */
async function refused(answer: Promise<unknown>) {
  const { status, body } = await refusal(answer);
  const { error: _, ...rest } = body as Record<string, unknown>;
  return [status, rest];
}

describe("a proposal that a person decides", () => {
  it("is approved as it was seen, and then applied by the agent, with both names in the audit log and the run", async () => {
    const { project, leased, proposal, client, person } = await waiting();
    const body = { decision: "approved", payloadHash: proposal.payloadHash, reason: "Sí, ☕" } as const;
    const decided = await client.decideProposal({ path: { id: proposal.id }, body });
    assert.deepEqual(
      [decided.proposal.state, decided.proposal.decidedBy, decided.proposal.reason],
      ["approved", person.name, "Sí, ☕"],
    );
    const { entries } = await client.listAuditEntries({});
    assert.deepEqual(
      entries.map(({ operation, target, before, after }) => [operation, target, before, after]),
      [
        [
          "decideProposal",
          proposal.id,
          { status: "pending" },
          {
            status: "approved",
            campaignId: leased.id,
            payloadHash: proposal.payloadHash,
            reason: "Sí, ☕",
            forGood: false,
          },
        ],
      ],
    );
    const { runs } = await project.api.listAgentRuns({ query: { kind: "approval" } });
    assert.deepEqual(runs[0]?.output, { decision: "approved", decidedBy: person.name, forGood: false });
    const { leaseToken } = await claim(project, leased.id);
    const applied = await mutate(project, { ...leased, leaseToken }, PAUSE, { approvalId: proposal.id });
    assert.equal(applied.status, "paused");
  });

  it("is not decided by another hash, nor twice, nor after its time", async () => {
    const { proposal, client } = await waiting();
    const decide = (payloadHash: string, decision: "approved" | "rejected" = "approved") =>
      client.decideProposal({ path: { id: proposal.id }, body: { decision, payloadHash } });
    assert.deepEqual(await refused(decide("0".repeat(64))), [409, { reason: "other_hash" }]);
    assert.deepEqual(await refused(decide(proposal.payloadHash.slice(0, 8))), [400, {}]);
    const forGood = { decision: "approved", payloadHash: proposal.payloadHash, forGood: true } as const;
    assert.deepEqual(await refused(client.decideProposal({ path: { id: proposal.id }, body: forGood })), [
      400,
      {},
    ]);
    const answers = await Promise.allSettled([
      decide(proposal.payloadHash),
      decide(proposal.payloadHash, "rejected"),
      decide(proposal.payloadHash),
      decide(proposal.payloadHash, "rejected"),
    ]);
    assert.equal(answers.filter(({ status }) => status === "fulfilled").length, 1, "one decision counts");
    assert.deepEqual(await refused(decide(proposal.payloadHash)), [409, { reason: "decided" }]);
    const late = await waiting();
    house.advance(72 * HOUR_MS);
    const tooLate = late.client.decideProposal({
      path: { id: late.proposal.id },
      body: { decision: "rejected", payloadHash: late.proposal.payloadHash },
    });
    assert.deepEqual(await refused(tooLate), [409, { reason: "too_late" }]);
  });

  it("can only be rejected once the campaign was changed; the refusal says what moved", async () => {
    const { project, leased, proposal, client } = await waiting(LAUNCH, { launch: false });
    const path = { id: proposal.id };
    assert.deepEqual((await client.getApproval({ path })).moved, []);
    await project.api.updateCampaign({ path: { id: leased.id }, body: { pages: ["/new"] } });
    const { moved, review } = await client.getApproval({ path });
    assert.deepEqual(moved, [{ path: "pages", before: null, after: ["/new"] }]);
    assert.equal(review.isStale, true);
    const decide = (decision: "approved" | "rejected") =>
      client.decideProposal({ path, body: { decision, payloadHash: proposal.payloadHash } });
    assert.deepEqual(await refused(decide("approved")), [409, { reason: "stale", moved: ["pages"] }]);
    assert.equal((await decide("rejected")).proposal.state, "rejected");
  });

  it("says in words whom the campaign was for and is, and how its goals are called", async () => {
    const { project, leased, proposal, client } = await waiting();
    const { segment } = await project.api.createSegment({
      body: { key: "on-pro", name: "On pro", expression: expression(trait("plan", "eq", "pro")) },
    });
    const { goal } = await project.api.createGoal({ body: { name: "Renewals" } });
    const audience = { kind: "segment", segment: "on-pro" } as const;
    const body = { audience, goalId: goal.id };
    const editor = await clientOf(house, project.projectId, "editor");
    const reviewed = await editor.client.reviewCampaign({ path: { id: leased.id }, body: { patch: body } });
    await project.api.updateCampaign({ path: { id: leased.id }, body });
    const approval = await client.getApproval({ path: { id: proposal.id } });
    const words = {
      before: "all users",
      after: `segment On pro (${segment.id}), version 1: trait plan is "pro"`,
    };
    for (const { changes, texts, names } of [
      reviewed,
      { changes: approval.moved, texts: approval.movedTexts, names: approval.names },
    ]) {
      const changesAt = (path: string) => changes.filter((change) => change.path.startsWith(path));
      assert.deepEqual(changesAt("audience"), [{ path: "audience", ...words }]);
      assert.deepEqual(changesAt("goalId"), [{ path: "goalId", before: leased.goalId, after: goal.id }]);
      assert.equal(names[goal.id], "Renewals");
      assert.equal(typeof names[leased.goalId], "string");
      assert.deepEqual(
        texts.map(({ path }) => path),
        ["audience"],
      );
    }
  });

  it("lapses once an approved text is replaced, and says which words, by whom and when", async () => {
    const { project, leased, proposal, client } = await waiting();
    const path = { id: proposal.id };
    const body = { decision: "approved", payloadHash: proposal.payloadHash } as const;
    await client.decideProposal({ path, body });
    const [, b] = leased.campaign.variants;
    assert.ok(b);
    const editor = await clientOf(house, project.projectId, "editor");
    const patch = { variants: [{ id: b.id, message: toast("Totally different text") }] };
    const review = () => editor.client.reviewCampaign({ path: { id: leased.id }, body: { patch } });
    assert.deepEqual((await review()).lapsing, [{ proposalId: proposal.id, isApproved: true }]);
    assert.equal((await client.getApproval({ path })).proposal.state, "approved", "a review changes nothing");
    house.advance(1_000);
    await editor.client.updateCampaign({ path: { id: leased.id }, body: patch });
    const changedAt = house.now();
    house.advance(1_000);
    await project.api.updateGoal({ path: { id: leased.goalId }, body: { targetEvent: "paid" } });
    const approval = await client.getApproval({ path });
    assert.deepEqual([approval.proposal.status, approval.proposal.state], ["approved", "expired"]);
    const title = `variants[${b.id}].message.title`;
    assert.deepEqual(
      new Map(approval.moved.map((each) => [each.path, [each.before, each.after]])),
      new Map([
        ["goal.targetEvent", [null, "paid"]],
        [title, ["B", "Totally different text"]],
      ]),
    );
    assert.deepEqual(
      approval.movedTexts.map((each) => each.path),
      [title],
    );
    assert.deepEqual(approval.changedBy, [{ name: editor.person.name, at: changedAt }]);
    assert.deepEqual((await review()).lapsing, [], "what lapsed already does not lapse again");
  });

  it("is told of before a change, also while it waits", async () => {
    const { project, leased, proposal } = await waiting();
    const editor = await clientOf(house, project.projectId, "editor");
    const lapsingWith = async (patch: Input<"updateCampaign">["body"]) =>
      (await editor.client.reviewCampaign({ path: { id: leased.id }, body: { patch } })).lapsing;
    assert.deepEqual(await lapsingWith({ name: "Another name" }), []);
    assert.deepEqual(await lapsingWith({ pages: ["/new"] }), [
      { proposalId: proposal.id, isApproved: false },
    ]);
  });

  it("is none of another project's, and none for an editor", async () => {
    const { project, proposal } = await waiting();
    const input = {
      path: { id: proposal.id },
      body: { decision: "approved", payloadHash: proposal.payloadHash } as const,
    };
    const other = await house.project();
    const stranger = await clientOf(house, other.projectId, "owner");
    assert.equal((await refusal(stranger.client.decideProposal(input))).status, 404);
    assert.equal((await refusal(stranger.client.getApproval({ path: input.path }))).status, 404);
    const editor = await clientOf(house, project.projectId, "editor");
    assert.equal((await refusal(editor.client.decideProposal(input))).status, 403);
    assert.deepEqual((await editor.client.listAuditEntries({})).entries, []);
    assert.equal((await editor.client.getApproval({ path: input.path })).proposal.state, "pending");
  });

  it("is shown with the messages to draw, what it claims, and the text that has its hash", async () => {
    const project = await house.project();
    const made = await dueCampaign(house, project, HUMAN);
    const [a, b] = made.campaign.variants;
    const mutation: Mutation = {
      type: "update",
      variants: [
        { id: a?.id ?? "", weight: 0 },
        { id: b?.id ?? "", message: toast("Better") },
      ],
    };
    const { leaseToken } = await claim(project, made.id);
    const { proposal } = await propose(project, { ...made, leaseToken }, mutation);
    const { client } = await clientOf(house, project.projectId, "viewer");
    const approval = await client.getApproval({ path: { id: proposal.id } });
    assert.deepEqual(approval.messages, [
      {
        variantId: a?.id,
        isControl: true,
        share: { before: 0.5, after: 0 },
        before: a?.content,
        after: a?.content,
        now: "after",
      },
      {
        variantId: b?.id,
        isControl: false,
        share: { before: 0.5, after: 1 },
        before: b?.content,
        after: toast("Better"),
        now: "before",
      },
    ]);
    assert.deepEqual(approval.claims, [{ variantId: b?.id, is: "better" }]);
    assert.equal(hash("sha256", approval.payload), proposal.payloadHash);
    assert.deepEqual(JSON.parse(approval.payload), {
      campaignId: made.id,
      evaluationAt: made.evaluationAt,
      mutation,
    });
    const { review } = await project.agent.getProposal({ path: { id: proposal.id } });
    assert.deepEqual(approval.review, review);
  });

  it("says what its text would cost of what was counted, and that a broken split speaks against its claim", async () => {
    const approvalOf = async (
      change: (ids: string[]) => NonNullable<Extract<Mutation, { type: "update" }>["variants"]>,
    ) => {
      const project = await house.project();
      const made = await dueCampaign(house, project, {
        goal: { ...HUMAN.goal, targetEvent: "paid", attributionDays: 1 },
      });
      await showExactly(project, { A: { shown: 30, paid: 2 }, B: { shown: 30, paid: 20 } });
      house.advance(2 * 24 * HOUR_MS);
      const { leaseToken } = await claim(project, made.id);
      const ids = made.campaign.variants.map(({ id }) => id);
      const mutation: Mutation = { type: "update", variants: change(ids) };
      const { proposal } = await propose(project, { ...made, leaseToken }, mutation);
      const { client } = await clientOf(house, project.projectId, "viewer");
      const read = () => client.getApproval({ path: { id: proposal.id } });
      return { project, ids, read, approval: await read() };
    };
    const same = await approvalOf(([, b = ""]) => [{ id: b, message: toast("B") }]);
    assert.deepEqual(same.approval.restarts, [], "the same text is no other one");
    const edited = await approvalOf(([a = ""]) => [{ id: a, message: toast("Other") }]);
    assert.deepEqual(
      edited.approval.restarts.map(({ variantId, because, exposedUsers, convertedUsers, verdict }) => [
        variantId,
        because,
        exposedUsers,
        convertedUsers,
        verdict,
      ]),
      [
        [edited.ids[0], "text", 30, 2, null],
        [edited.ids[1], "control_text", 30, 20, "better"],
      ],
    );
    const { approval, project, read } = await approvalOf(([a = ""]) => [{ id: a, weight: 0 }]);
    assert.deepEqual([approval.restarts, approval.claims.length, approval.isSplitBroken], [[], 1, false]);
    await showExactly(project, { A: { shown: 200, paid: 0 }, B: { shown: 0, paid: 0 } }, 10_000);
    assert.equal((await read()).isSplitBroken, true);
  });
});

describe("the messages that a proposal is about", () => {
  it("are those whose text or share changes, or all that users get", async () => {
    const project = await house.project();
    await setSettings(house, project, { "safety.maxConcurrentCampaigns": "10" });
    const { client } = await clientOf(house, project.projectId, "viewer");
    type Variants = { id: string; name: string; weight: number }[];
    /** The names of the variants whose messages are shown. */
    const about = async (mutationOf: (variants: Variants) => Mutation) => {
      const leased = await leasedCampaign(house, project, HUMAN);
      const { variants } = leased.campaign;
      const { proposal } = await propose(project, leased, mutationOf(variants));
      const { messages } = await client.getApproval({ path: { id: proposal.id } });
      return messages.map((message) => variants.find(({ id }) => id === message.variantId)?.name);
    };
    const update = (variants: object[], name?: string) =>
      ({ type: "update", variants, ...(name !== undefined && { name }) }) as Mutation;
    assert.deepEqual(await about(([a]) => update([{ id: a?.id, message: toast("Better") }])), ["A"]);
    assert.deepEqual(await about(([, b]) => update([{ id: b?.id, weight: 40 }])), ["B"]);
    assert.deepEqual(await about(([a]) => update([{ id: a?.id, weight: a?.weight }], "Other")), ["A", "B"]);
    assert.deepEqual(await about(() => PAUSE), ["A", "B"]);
  });

  it("stay those that were read, and say that users read another text now", async () => {
    const { project, leased, proposal, client } = await waiting(LAUNCH, { launch: false });
    const [a, b] = leased.campaign.variants;
    const read = async () => (await client.getApproval({ path: { id: proposal.id } })).messages;
    assert.deepEqual(
      (await read()).map(({ before, after, now }) => [before, after, now]),
      [a, b].map((variant) => [null, variant?.content, "after"]),
    );
    await project.api.updateCampaign({
      path: { id: leased.id },
      body: { variants: [{ id: a?.id ?? "", message: toast("Totally different") }] },
    });
    assert.deepEqual(
      (await read()).map(({ after, now }) => [after, now]),
      [
        [a?.content, "neither"],
        [b?.content, "after"],
      ],
    );
  });

  it("are what users read once it was applied", async () => {
    const project = await house.project();
    await setSettings(house, project, { "safety.maxConcurrentCampaigns": "10" });
    const leased = await leasedCampaign(house, project, HUMAN);
    const [a] = leased.campaign.variants;
    const message = { ...toast("Better"), cta: { label: "Go", url: "/go" } };
    const mutation: Mutation = { type: "update", variants: [{ id: a?.id ?? "", message }] };
    const { proposal } = await propose(project, leased, mutation);
    const { client } = await clientOf(house, project.projectId, "approver");
    const path = { id: proposal.id };
    await client.decideProposal({
      path,
      body: { decision: "approved", payloadHash: proposal.payloadHash },
    });
    const { leaseToken } = await claim(project, leased.id);
    await mutate(project, { ...leased, leaseToken }, mutation, { approvalId: proposal.id });
    const [shown] = (await client.getApproval({ path })).messages;
    assert.deepEqual([shown?.before, shown?.after, shown?.now], [a?.content, message, "after"]);
  });
});

describe("the list of approvals", () => {
  it("has what waits, what may launch by itself, and page by page what was decided", async () => {
    const { project, leased, proposal, client, person } = await waiting();
    const draft = await announced(project);
    const before = await client.listApprovals({});
    assert.deepEqual(
      before.waiting.map((each) => [each.campaignName, each.proposal.id]),
      [["Campaign", proposal.id]],
    );
    assert.deepEqual(before.campaigns, [
      {
        campaignId: draft.id,
        name: "Dark mode",
        createdAt: house.now(),
        approvedBy: null,
        step: "approve",
        mode: "automatic",
      },
    ]);
    assert.deepEqual([before.decided, before.total, before.launchesPaused], [[], 0, false]);
    assert.equal(before.launchesPausedBy, null);
    const paused = async (isPaused: boolean) => {
      house.advance(1_000);
      await client.setLaunchesPaused({ body: { paused: isPaused } });
      return (await client.listApprovals({})).launchesPausedBy;
    };
    assert.deepEqual(await paused(true), { by: person.name, at: house.now() });
    assert.equal(await paused(false), null, "the last change is one that let them go on");
    const verdict = { decision: "rejected", payloadHash: proposal.payloadHash } as const;
    await client.decideProposal({ path: { id: proposal.id }, body: verdict });
    house.advance(1_000);
    const { leaseToken } = await claim(project, leased.id);
    await propose(project, { ...leased, leaseToken }, END);
    house.advance(72 * HOUR_MS);
    const after = await client.listApprovals({ query: { perPage: 1, page: 2 } });
    assert.deepEqual(after.waiting, []);
    assert.deepEqual(
      [after.total, after.pageCount, after.decided[0]?.proposal.decidedBy],
      [2, 2, person.name],
    );
  });
});

describe("drafts in the list of approvals", () => {
  it("wait for people only where the overview says so", async () => {
    const { project, client } = await waiting();
    const path = { id: (await announced(project)).id };
    const setMode = async (mode: "manual" | "automatic") => {
      const { revision: expectedRevision } = await project.api.getCampaignActivation({ path });
      await project.api.updateCampaignActivation({ path, body: { mode, expectedRevision } });
    };
    const stepOf = async () => {
      const [draft] = (await client.listApprovals({})).campaigns;
      const { approvals } = await client.getWaiting();
      assert.equal(approvals.count, draft?.step === "approve" ? 1 : 0);
      return draft?.step;
    };
    assert.equal(await stepOf(), "approve");
    await setMode("manual");
    assert.equal(await stepOf(), null, "people launch it, and its changes are not live");
    await setMode("automatic");
    assert.equal(await stepOf(), "approve");
    await project.api.updateCampaign({ path, body: { deliverUntil: house.now() + 1 } });
    house.advance(2);
    assert.equal(await stepOf(), null, "its time is over");
  });
});

describe("a launch by itself that a person decides", () => {
  it("is allowed as it was seen, and taken back", async () => {
    const { project, client, person } = await waiting();
    const draft = await announced(project);
    const path = { id: draft.id };
    const seen = await client.getActivationApproval({ path });
    assert.deepEqual([seen.approvedBy, seen.approvedAt, seen.approvedRevision], [null, null, null]);
    await project.api.updateCampaign({ path, body: { name: "Dark mode is here" } });
    const decide = (revision: string, decision: "approved" | "rejected" = "approved") =>
      client.decideActivation({ path, body: { revision, decision, reason: "Go" } });
    assert.deepEqual(await refused(decide(seen.revision)), [409, { reason: "other_revision" }]);
    const { revision } = await client.getActivationApproval({ path });
    assert.deepEqual(await refused(decide(revision, "rejected")), [409, { reason: "not_approved" }]);
    assert.deepEqual(await decide(revision), { approval: "approved", revision });
    const allowed = await client.getActivationApproval({ path });
    assert.deepEqual(
      [allowed.approvedBy, allowed.approvedAt, allowed.approvedRevision],
      [person.name, house.now(), revision],
    );
    assert.equal((await project.api.getCampaignActivation({ path })).approval, "approved");
    assert.deepEqual(await decide(revision, "rejected"), { approval: "pending", revision });
    const [taken, given] = (await client.listAuditEntries({})).entries;
    assert.deepEqual(
      [taken?.before, given?.before, given?.after],
      [{ approval: "approved" }, { approval: "pending" }, { approval: "approved", revision, reason: "Go" }],
    );
    await project.api.setCampaignStatus({ path, body: { action: "end" } });
    assert.deepEqual(await refused(decide(revision)), [409, { reason: "launched" }]);
    const stranger = await clientOf(house, (await house.project()).projectId, "owner");
    assert.equal((await refusal(stranger.client.getActivationApproval({ path }))).status, 404);
    const foreign = stranger.client.decideActivation({ path, body: { revision, decision: "approved" } });
    assert.equal((await refusal(foreign)).status, 404);
  });
});

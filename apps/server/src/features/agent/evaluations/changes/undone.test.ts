import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import {
  claim,
  complete,
  decideAs,
  leasedCampaign,
  type Mutation,
  mutate,
  PAUSE,
  propose,
} from "../../../../../test/agent.ts";
import { setSettings } from "../../../../../test/email.ts";
import { toast } from "../../../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../../../test/harness.ts";
import { uuidFor } from "../../../../domain/ids.ts";
import { DAY_MS, HOUR_MS } from "../../../../platform/time/clock.ts";

const house = testHouse();
afterEach(async () => assert.deepEqual(await house.differences(), {}));

type Made = Awaited<ReturnType<typeof leasedCampaign>>;

/** What a refusal says of itself. */
async function refused(answer: Promise<unknown>) {
  const { status, body } = await refusal(answer);
  return [status, (body as { reason?: string }).reason];
}

const askPeople = (project: TestProject) =>
  setSettings(house, project, { "safety.approvalOverride": "require_human" });

const read = async ({ agent }: TestProject, id: string) =>
  (await agent.getProposal({ path: { id } })).proposal;

const detail = async ({ api }: TestProject, { id }: Made) =>
  (await api.getCampaign({ path: { id } })).campaign;

/** A change of each kind, what undoes it, and what brings it back. */
const CHANGES: Readonly<Record<string, (made: Made) => { mutation: Mutation; undo: object; redo: object }>> =
  {
    "a name": () => ({
      mutation: { type: "update", name: "North" },
      undo: { name: "West" },
      redo: { name: "North" },
    }),
    weights: ({ campaign: { variants } }) => ({
      mutation: { type: "update", variants: [{ id: variants[0]?.id ?? "", weight: 10 }] },
      undo: { variants: [{ id: variants[0]?.id, weight: 50 }] },
      redo: { variants: [{ id: variants[0]?.id, weight: 10 }] },
    }),
    "the name of a variant": ({ campaign: { variants } }) => ({
      mutation: { type: "update", variants: [{ id: variants[1]?.id ?? "", name: "Bold" }] },
      undo: { variants: [{ id: variants[1]?.id, name: "Shy" }] },
      redo: { variants: [{ id: variants[1]?.id, name: "Bold" }] },
    }),
    "a text": ({ campaign: { variants } }) => ({
      mutation: { type: "update", variants: [{ id: variants[1]?.id ?? "", message: toast("Bold") }] },
      undo: { variants: [{ id: variants[1]?.id, message: toast("B") }] },
      redo: { variants: [{ id: variants[1]?.id, message: toast("Bold") }] },
    }),
  };

describe("a change that was applied and undone by a person", () => {
  it("is neither said to hold, nor asked for again in its evaluation: a pause", async () => {
    const project = await house.project();
    const made = await leasedCampaign(house, project);
    const answer = await mutate(project, made, PAUSE);
    assert.deepEqual(await mutate(project, made, PAUSE), answer);
    await project.api.setCampaignStatus({ path: { id: made.id }, body: { action: "launch" } });
    assert.deepEqual(await refused(mutate(project, made, PAUSE)), [409, "undone"]);
    await askPeople(project);
    assert.deepEqual(await refused(mutate(project, made, PAUSE)), [409, "undone"]);
    assert.deepEqual(await refused(propose(project, made, PAUSE)), [409, "applied_already"]);
    assert.equal((await detail(project, made)).status, "running");
    const next = house.now() + DAY_MS;
    await complete(project, made.id, made.leaseToken, next);
    house.at(next);
    const { leaseToken } = await claim(project, made.id);
    const later = { ...made, leaseToken, evaluationAt: next };
    assert.equal((await propose(project, later, PAUSE)).awaitingDecision, true);
  });

  for (const [what, changeOf] of Object.entries(CHANGES))
    it(`is neither said to hold, nor asked for again in its evaluation: ${what}`, async () => {
      const project = await house.project();
      const made = await leasedCampaign(house, project);
      const { mutation, undo, redo } = changeOf(made);
      const answer = await mutate(project, made, mutation);
      assert.deepEqual(await mutate(project, made, mutation), answer);
      const path = { id: made.id };
      await project.api.updateCampaign({ path, body: { pages: ["/elsewhere"] } });
      assert.deepEqual(await mutate(project, made, mutation), answer, "what it did not set may be another");
      await project.api.updateCampaign({ path, body: undo });
      const before = await detail(project, made);
      assert.deepEqual(await refused(mutate(project, made, mutation)), [409, "undone"]);
      assert.deepEqual(await refused(propose(project, made, mutation)), [409, "applied_already"]);
      assert.deepEqual(await detail(project, made), before);
      await project.api.updateCampaign({ path, body: redo });
      assert.deepEqual(await mutate(project, made, mutation), answer);
    });

  it("says the campaign's present status where only that is another", async () => {
    const project = await house.project();
    const made = await leasedCampaign(house, project);
    const mutation: Mutation = { type: "update", name: "North" };
    assert.equal((await mutate(project, made, mutation)).status, "running");
    await project.api.setCampaignStatus({ path: { id: made.id }, body: { action: "pause" } });
    assert.equal((await mutate(project, made, mutation)).status, "paused");
  });

  for (const isDecidedBefore of [true, false])
    it(`is not applied by a proposal that a former version let through, ${isDecidedBefore ? "approved" : "waiting"}`, async () => {
      const project = await house.project();
      const made = await leasedCampaign(house, project, { goal: { approvalMode: "require_human" } });
      const { proposal } = await propose(project, made, PAUSE);
      // As a former version left it: proposed although it had been applied in this evaluation, and undone.
      const { kysely } = house.database;
      const { run } = await project.agent.createAgentRun({ body: { kind: "note" } });
      const apply = () =>
        kysely
          .insertInto("appliedMutations")
          .values({
            projectId: project.projectId,
            campaignId: uuidFor("cmp", made.id),
            leaseSeq: 1,
            evaluationAt: made.evaluationAt,
            payloadHash: proposal.payloadHash,
            status: "paused",
            mutation: JSON.stringify(PAUSE),
            appliedAt: house.now(),
            runId: uuidFor("run", run.id),
          })
          .execute();
      if (isDecidedBefore) await decideAs(house, project, proposal.id, "approved");
      await apply();
      if (!isDecidedBefore) {
        await assert.rejects(decideAs(house, project, proposal.id, "approved"), /can only be rejected/);
        await decideAs(house, project, proposal.id, "rejected");
      }
      const { leaseToken } = await claim(project, made.id);
      const it = { ...made, leaseToken };
      assert.deepEqual(await refused(mutate(project, it, PAUSE, { approvalId: proposal.id })), [
        409,
        "undone",
      ]);
      assert.equal((await detail(project, made)).status, "running");
      await complete(project, made.id, leaseToken, house.now() + DAY_MS);
    });
});

describe("a proposal that expired", () => {
  it("is made again in its evaluation where nobody decided it in time", async () => {
    const project = await house.project();
    const made = await leasedCampaign(house, project, { goal: { approvalMode: "require_human" } });
    const { proposal: first } = await propose(project, made, PAUSE);
    house.advance(72 * HOUR_MS);
    const repeat = await propose(project, made, PAUSE);
    assert.deepEqual(
      [repeat.proposal.id, repeat.awaitingDecision, repeat.leaseHeld],
      [first.id, false, false],
    );
    const { leaseToken } = await claim(project, made.id);
    const it = { ...made, leaseToken };
    const again = await propose(project, it, PAUSE);
    assert.notEqual(again.proposal.id, first.id);
    assert.deepEqual([again.awaitingDecision, again.leaseHeld], [true, false]);
    assert.deepEqual(await propose(project, it, PAUSE), again);
    assert.equal((await read(project, first.id)).state, "expired");
    assert.equal((await project.agent.listProposals()).total, 2);
    await decideAs(house, project, again.proposal.id, "approved");
    const last = { ...made, leaseToken: (await claim(project, made.id)).leaseToken };
    assert.deepEqual(await refused(mutate(project, last, PAUSE, { approvalId: first.id })), [
      409,
      "approval_expired",
    ]);
    const applied = await mutate(project, last, PAUSE, { approvalId: again.proposal.id });
    assert.equal(applied.status, "paused");
  });

  it("is made again where what people read was changed, and never comes back when that is changed back", async () => {
    const project = await house.project();
    const made = await leasedCampaign(house, project, { goal: { approvalMode: "require_human" } });
    const { proposal: first } = await propose(project, made, PAUSE);
    await decideAs(house, project, first.id, "approved");
    const { leaseToken } = await claim(project, made.id);
    const it = { ...made, leaseToken };
    const path = { id: made.id };
    await project.api.updateCampaign({ path, body: { pages: ["/elsewhere"] } });
    assert.deepEqual(await refused(mutate(project, it, PAUSE, { approvalId: first.id })), [
      409,
      "approval_stale",
    ]);
    const { proposal: second } = await propose(project, it, PAUSE);
    assert.notEqual(second.id, first.id);
    await project.api.updateCampaign({ path, body: { pages: null } });
    assert.equal((await read(project, first.id)).state, "expired");
    await decideAs(house, project, second.id, "rejected");
    const last = { ...made, leaseToken: (await claim(project, made.id)).leaseToken };
    assert.deepEqual(await refused(mutate(project, last, PAUSE, { approvalId: first.id })), [
      403,
      "proposal_rejected",
    ]);
    const { proposal, awaitingDecision } = await propose(project, last, PAUSE);
    assert.deepEqual([proposal.id, proposal.state, awaitingDecision], [second.id, "rejected", false]);
  });
});

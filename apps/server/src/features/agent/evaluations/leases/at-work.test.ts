import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { claim, complete, dueCampaign, makeGoal, mutate, PAUSE, propose } from "../../../../../test/agent.ts";
import { setSettings } from "../../../../../test/email.ts";
import { launchCampaign } from "../../../../../test/factories.ts";
import { type TestProject, testHouse } from "../../../../../test/harness.ts";
import { clientOf } from "../../../../../test/people.ts";
import { otherProcess } from "../../../../../test/roles.ts";
import { processes } from "../../../../platform/loops/processes.ts";
import { HOUR_MS, MINUTE_MS } from "../../../../platform/time/clock.ts";

const house = testHouse();

/** A project with an approver; statistics decide in it unless `policy` is empty. */
async function opened(policy = "statistical@1") {
  const project = await house.project();
  if (policy !== "") await setSettings(house, project, { "agent.policy": policy });
  const { client } = await clientOf(house, project.projectId, "approver");
  const atWork = async () => (await client.getAgentActivity()).atWork;
  const worker = async () => (await atWork()).by;
  const unattended = async () => (await client.getWaiting()).unattended;
  return { project, client, atWork, worker, unattended };
}

/** A change that waits for people. */
async function proposed(project: TestProject) {
  const made = await dueCampaign(house, project, { goal: { approvalMode: "require_human" } });
  const { leaseToken } = await claim(project, made.id);
  const leased = { ...made, leaseToken };
  return { ...leased, ...(await propose(project, leased, PAUSE)) };
}

describe("who looks after the campaigns of a project", () => {
  it("is nobody without a process that has the role, and again once that one is dead", async () => {
    const { project, worker, atWork, unattended } = await opened();
    assert.deepEqual(await atWork(), {
      by: "nobody",
      isPaused: false,
      hasPolicy: true,
      programAt: null,
      overdue: null,
    });
    const since = house.now();
    const { id } = await dueCampaign(house, project, { name: "Breakfast box" });
    const overdue = {
      campaignId: id,
      campaignName: "Breakfast box",
      since,
      isApproved: false,
      count: 1,
    };
    house.advance(10 * MINUTE_MS - 1);
    assert.equal(await unattended(), null, "whoever comes back after a moment was not gone");
    house.advance(1);
    assert.deepEqual(await unattended(), { ...overdue, hasPolicy: true });
    assert.deepEqual((await atWork()).overdue, overdue);
    const agent = await otherProcess(house, { looksAfter: true });
    assert.deepEqual([await worker(), await unattended()], ["process", null]);
    await agent.dies();
    assert.deepEqual([await worker(), (await unattended())?.campaignId], ["nobody", id]);
    await agent.leaves();
  });

  it("is nobody while all agents are paused, and by whom they are is said", async () => {
    const { project, client } = await opened();
    const pausedBy = async () => (await client.getAgentActivity()).pausedBy;
    const set = (value: "true" | "false") => setSettings(house, project, { "safety.loopPaused": value });
    assert.equal(await pausedBy(), null);
    await set("true");
    const at = house.now();
    house.advance(1_000);
    // Another setting that changes later says nothing of the pause.
    await setSettings(house, project, { "agent.everyHours": "12" });
    assert.deepEqual(await pausedBy(), { by: "test", at });
    await set("false");
    assert.equal(await pausedBy(), null);
  });

  it("is a process for as long as it has the role", async () => {
    const { worker } = await opened();
    const own = house.tidings.app.get(processes);
    assert.equal(await worker(), "nobody");
    await own.startLookingAfter();
    assert.equal(await worker(), "process");
    await own.stopLookingAfter();
    assert.equal(await worker(), "nobody");
  });

  it("is a program of people by what it did last, until it leaves something lying", async () => {
    const { project, worker, atWork, unattended } = await opened("");
    assert.deepEqual(await atWork(), {
      by: "nobody",
      isPaused: false,
      hasPolicy: false,
      programAt: null,
      overdue: null,
    });
    const { id } = await dueCampaign(house, project);
    const { leaseToken } = await claim(project, id, 3_600);
    const programAt = house.now();
    assert.deepEqual([await worker(), (await atWork()).programAt], ["program", programAt]);
    house.advance(30 * MINUTE_MS);
    assert.equal(await worker(), "program", "it is still at it");
    const next = house.now() + HOUR_MS;
    await complete(project, id, leaseToken, next);
    assert.equal(await worker(), "program");
    house.advance(HOUR_MS + 10 * MINUTE_MS - 1);
    assert.deepEqual([await worker(), await unattended()], ["program", null]);
    house.advance(1);
    assert.deepEqual([await worker(), (await unattended())?.since], ["nobody", next]);
    assert.equal((await unattended())?.hasPolicy, false);
  });

  it("is no program where Tidings' own agent has done it, and it is gone", async () => {
    const { project, atWork } = await opened();
    await dueCampaign(house, project);
    await house.tidings.drain("agent");
    assert.equal((await project.api.listAgentRuns({ query: { kind: "evaluate" } })).runs.length, 1);
    assert.deepEqual([(await atWork()).by, (await atWork()).programAt], ["nobody", null]);
  });

  it("is not a program that came once, where Tidings' own agent was meant to come again", async () => {
    const { project, worker } = await opened();
    await setSettings(house, project, { "agent.everyHours": "1" });
    const { id } = await dueCampaign(house, project);
    const { leaseToken } = await claim(project, id);
    await complete(project, id, leaseToken, house.now() + 100 * HOUR_MS);
    house.advance(2 * HOUR_MS);
    assert.equal(await worker(), "program");
    house.advance(1);
    assert.equal(await worker(), "nobody");
  });

  it("is asked of by nothing that people have stopped, or the day has no runs for", async () => {
    const { project, unattended, atWork } = await opened();
    await dueCampaign(house, project);
    house.advance(HOUR_MS);
    assert.equal((await unattended())?.count, 1);
    await setSettings(house, project, { "safety.loopPaused": "true" });
    assert.equal(await unattended(), null);
    assert.equal((await atWork()).isPaused, true);
    await setSettings(house, project, { "safety.loopPaused": "", "safety.maxRunsPerDay": "0" });
    assert.equal(await unattended(), null);
  });

  it("leaves drafts alone where statistics decide", async () => {
    const { project, unattended } = await opened();
    await dueCampaign(house, project, { launch: false });
    house.advance(HOUR_MS);
    assert.equal(await unattended(), null);
    await setSettings(house, project, { "agent.policy": "" });
    assert.equal((await unattended())?.count, 1, "a program may launch one");
  });
});

describe("what is approved", () => {
  it("says that nobody applies it, and waits visibly from ten minutes after the approval on", async () => {
    const { project, client, unattended } = await opened();
    const { proposal, id } = await proposed(project);
    // The program that has proposed it was there a moment ago; after two days it will hardly come back.
    house.advance(50 * HOUR_MS);
    const { payloadHash } = proposal;
    const path = { id: proposal.id };
    const decided = await client.decideProposal({ path, body: { decision: "approved", payloadHash } });
    assert.equal(decided.atWork.by, "nobody");
    assert.equal((await client.getApproval({ path })).atWork.by, "nobody");
    const since = house.now();
    house.advance(10 * MINUTE_MS - 1);
    assert.equal(await unattended(), null, "it could not be applied before it was approved");
    house.advance(1);
    const { isApproved, count, since: from, campaignId } = (await unattended()) ?? {};
    assert.deepEqual([isApproved, count, from, campaignId], [true, 1, since, id]);
    const agent = await otherProcess(house, { looksAfter: true });
    assert.equal((await client.getApproval({ path })).atWork.by, "process");
    await agent.leaves();
    await house.tidings.drain("agent");
    assert.equal((await client.getApproval({ path })).proposal.state, "used");
    assert.equal(await unattended(), null);
  });

  it("is said to be nobody's while agents are stopped", async () => {
    const { project, client } = await opened();
    const { proposal } = await proposed(project);
    await setSettings(house, project, { "safety.loopPaused": "true" });
    const body = { decision: "approved", payloadHash: proposal.payloadHash } as const;
    const { atWork } = await client.decideProposal({ path: { id: proposal.id }, body });
    assert.equal(atWork.isPaused, true);
  });
});

describe("what an agent looks at", () => {
  it("says since when it is due", async () => {
    const { project, client } = await opened();
    const { id, leaseToken, evaluationAt } = await (async () => {
      const made = await dueCampaign(house, project);
      return { ...made, ...(await claim(project, made.id, 60)) };
    })();
    const dueSince = async () => (await client.listEvaluations({})).evaluations[0]?.dueSince;
    assert.equal(await dueSince(), null, "it is being looked at");
    house.advance(MINUTE_MS);
    const leaseEnd = evaluationAt + MINUTE_MS;
    house.advance(HOUR_MS);
    assert.equal(await dueSince(), leaseEnd, "nobody could take it before the lease was over");
    const again = await claim(project, id);
    assert.notEqual(again.leaseToken, leaseToken);
    await complete(project, id, again.leaseToken, house.now() + HOUR_MS);
    assert.equal(await dueSince(), null);
  });
});

describe("who paused a campaign", () => {
  const pausedBy = async ({ api }: TestProject, id: string) => {
    const { campaign } = await api.getCampaign({ path: { id } });
    const listed = (await api.listCampaigns({})).campaigns.find((each) => each.id === id);
    assert.deepEqual(listed?.pausedBy, campaign.pausedBy);
    return [campaign.pausedBy, campaign.pausedBecause] as const;
  };
  const UNKNOWN = [null, null] as const;

  it("is an agent, with the run that says why", async () => {
    const { project } = await opened("");
    const made = await dueCampaign(house, project);
    const { leaseToken } = await claim(project, made.id);
    const { run } = await project.agent.createAgentRun({
      body: { kind: "evaluate", campaignId: made.id, rationale: "It annoys more than it sells." },
    });
    assert.deepEqual(await pausedBy(project, made.id), UNKNOWN);
    await mutate(project, { ...made, leaseToken }, PAUSE, { runId: run.id });
    assert.deepEqual(await pausedBy(project, made.id), [
      { by: "agent", name: null, at: house.now(), runId: run.id, guardrail: null },
      "It annoys more than it sells.",
    ]);
  });

  it("is a person or a program, until it goes on", async () => {
    const project = await house.project();
    const { client, person } = await clientOf(house, project.projectId, "editor");
    const { id: goalId } = await makeGoal(project);
    const { id } = await launchCampaign(project, { goalId });
    const act = (by: Pick<TestProject["api"], "setCampaignStatus">, action: "launch" | "pause") =>
      by.setCampaignStatus({ path: { id }, body: { action } });
    await act(client, "pause");
    const at = house.now();
    house.advance(HOUR_MS);
    const ofPerson = { by: "human", name: person.name, at, runId: null, guardrail: null };
    assert.deepEqual(await pausedBy(project, id), [ofPerson, null]);
    await act(project.api, "launch");
    assert.deepEqual(await pausedBy(project, id), UNKNOWN);
    await act(project.api, "pause");
    const ofProgram = { by: "api", name: null, at: house.now(), runId: null, guardrail: null };
    assert.deepEqual(await pausedBy(project, id), [ofProgram, null]);
  });
});

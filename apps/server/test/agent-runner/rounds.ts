import assert from "node:assert/strict";
import { type Evaluated, lookAfter, patientFetch, replay } from "@tidings/agent";
import { createClient } from "@tidings/client";
import { uuidFor } from "../../src/domain/ids.ts";
import { DAY_MS, SECOND_MS } from "../../src/platform/clock.ts";
import { decideAs, dueCampaign, showTo } from "../agent.ts";
import { setSettings } from "../email.ts";
import type { TestHouse, TestProject } from "../harness.ts";
import { POLICIES, type PolicyName } from "./policies.ts";
import { type Passed, type Side, startProxy } from "./proxy.ts";
import { startRunner } from "./runners.ts";

/** What both policies of these tests take for a lease. */
export const LEASE_MS = (POLICIES.statistical.maxSeconds + 120) * SECOND_MS;
/** So many of each variant decide a campaign whose B is bought by all and whose A by none. */
const USERS_EACH = 20;
const AT_ONCE = 3;

/** At which request of a runner it is killed, from 1, and on which side. */
export type Kill = { at: number; side: Side };

/**
 * `auto`: the goal lets an agent change its campaigns. `proposed`: people have to approve, and the runner is killed before they did.
 * `approved`: it is killed while it carries out what they have approved.
 */
export type Mode = "auto" | "proposed" | "approved";

/** One round. In `proposed`, people decide before the lease of the killed runner is over, or after another one has looked. */
export type Plan = { mode: Mode; policy: PolicyName; kill: Kill | null; peopleDecide: "early" | "late" };

/** A round that was played, and what its runner requested until it was killed. */
export type Played = Plan & { passed: readonly Passed[] };

type Round = Plan & {
  plan: Plan;
  project: TestProject;
  made: Awaited<ReturnType<typeof dueCampaign>>;
  versionBefore: number;
  passed: readonly Passed[];
};

/** Does something for each, a few at a time. */
export async function each<Item>(items: readonly Item[], act: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items];
  const next = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await act(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
}

/** Looks after everything that is due in a project, in this process; answers what became of each evaluation. */
export async function lookHere(
  house: TestHouse,
  { url, agentKey }: TestProject,
  policy: PolicyName,
): Promise<Evaluated[]> {
  const { signal } = new AbortController();
  const found: Evaluated[] = [];
  const api = createClient(url, agentKey, patientFetch(signal));
  const agent = { api, policy: POLICIES[policy], everyHours: 24, clock: house.now, signal };
  await lookAfter(agent, {
    evaluated: (evaluated) => found.push(evaluated),
    failed: (campaignId, cause) => assert.fail(`${campaignId}: ${cause}`),
  });
  return found;
}

async function configVersion({ database }: TestHouse, { projectId }: TestProject): Promise<number> {
  const { configVersion: version } = await database.kysely
    .selectFrom("projects")
    .select("configVersion")
    .where("id", "=", projectId)
    .executeTakeFirstOrThrow();
  return version;
}

const weightsOf = async ({ project, made }: Round): Promise<number[]> =>
  (await project.api.getCampaign({ path: { id: made.id } })).campaign.variants.map(({ weight }) => weight);

async function countApplied({ database }: TestHouse, { made }: Round): Promise<number> {
  const rows = await database.kysely
    .selectFrom("appliedMutations")
    .select("payloadHash")
    .where("campaignId", "=", uuidFor("cmp", made.id))
    .execute();
  return rows.length;
}

/** A campaign whose B is better than its control, once two days have passed. */
async function prepare(house: TestHouse, plan: Plan): Promise<Round> {
  const project = await house.project();
  await setSettings(house, project, { "safety.maxRunsPerDay": "100" });
  const approvalMode = plan.mode === "auto" ? "auto" : "require_human";
  const goal = { targetEvent: "paid", attributionDays: 1, approvalMode } as const;
  const made = await dueCampaign(house, project, { goal });
  await showTo(project, made, USERS_EACH);
  return { ...plan, plan, project, made, versionBefore: await configVersion(house, project), passed: [] };
}

/** People approve what waits for them; before that nothing has changed. */
async function approve(house: TestHouse, round: Round): Promise<void> {
  const { project, made } = round;
  assert.deepEqual([await weightsOf(round), await countApplied(house, round)], [[50, 50], 0]);
  const { proposals } = await project.api.listProposals({
    query: { campaignId: made.id, status: "pending" },
  });
  for (const { id } of proposals) await decideAs(house, project, id, "approved");
}

/** Has a runner in a process of its own look, and kills it at the request of the plan. */
async function lookAndKill(house: TestHouse, round: Round): Promise<void> {
  const { project, policy, kill } = round;
  let count = 0;
  const proxy = await startProxy(project.url, async (_, side) => {
    if (side === "before") count++;
    if (kill === null || count !== kill.at || side !== kill.side) return "pass";
    await runner.signal("SIGKILL");
    return "drop";
  });
  const runner = await startRunner({ url: proxy.url, agentKey: project.agentKey, policy });
  const report = await runner.look(house.now());
  await runner.end();
  await proxy.close();
  round.passed = proxy.passed;
  if (kill !== null) assert.equal(report, null, `killed ${kill.side} request ${kill.at}`);
  else assert.deepEqual(report?.failures, []);
}

/** What must be so at the end of each round, wherever the runner was killed. */
async function assertDoneOnce(house: TestHouse, round: Round): Promise<void> {
  const { project, made, versionBefore, policy } = round;
  const where = `${round.mode}, ${round.kill?.side} ${round.kill?.at}`;
  assert.deepEqual(await weightsOf(round), [0, 100], where);
  assert.equal(await countApplied(house, round), 1, where);
  assert.equal((await configVersion(house, project)) - versionBefore, 1, where);
  const { runs } = await project.api.listAgentRuns({ query: { kind: "evaluate" } });
  assert.equal(runs.length, 1, `one decision, ${where}`);
  const [run] = runs;
  assert.ok(run);
  const { database } = house;
  const isBilled = policy === "billed";
  const kept = isBilled ? await project.api.getAgentRunTranscript({ path: { id: run.id } }) : null;
  const entries = kept?.transcript.entries ?? [];
  assert.deepEqual(await replay(run, entries), { policy: "statistical@1", fault: null }, where);
  for (const table of ["aiUsage", "aiBillingReports"] as const) {
    const rows = await database.kysely
      .selectFrom(table)
      .select("executionId")
      .where("projectId", "=", project.projectId)
      .execute();
    assert.deepEqual(
      rows.map(({ executionId }) => executionId),
      isBilled ? [run.id] : [],
      where,
    );
  }
  const evaluation = await database.kysely
    .selectFrom("evaluations")
    .select(["evaluationAt", "leaseDigest"])
    .where("campaignId", "=", uuidFor("cmp", made.id))
    .executeTakeFirstOrThrow();
  assert.equal(evaluation.leaseDigest, null, where);
  assert.ok((evaluation.evaluationAt ?? 0) > house.now(), `nothing is stuck, ${where}`);
}

/**
 * Plays rounds side by side, as they share a clock: a runner looks and is killed, its lease runs out, others go on, people approve where
 * they have to. Fails where something was done twice, or without approval, or not at all.
 */
export async function playRounds(house: TestHouse, plans: readonly Plan[]): Promise<Played[]> {
  const rounds: Round[] = [];
  await each(plans, async (plan) => {
    rounds.push(await prepare(house, plan));
  });
  house.advance(2 * DAY_MS);
  const those = (mode: Mode) => rounds.filter((round) => round.mode === mode);
  const look = async ({ project, policy }: Round): Promise<void> => {
    await lookHere(house, project, policy);
  };
  await each(those("approved"), look);
  await each(those("approved"), (round) => approve(house, round));
  await each(rounds, (round) => lookAndKill(house, round));
  const early = rounds.filter(({ mode, peopleDecide }) => mode === "proposed" && peopleDecide === "early");
  await each(early, (round) => approve(house, round));
  house.advance(LEASE_MS);
  await each(rounds, look);
  // What was proposed only now, and what waited for people until now.
  const waiting: Round[] = [];
  for (const round of those("proposed")) if ((await countApplied(house, round)) === 0) waiting.push(round);
  await each(waiting, (round) => approve(house, round));
  await each(waiting, look);
  await each(rounds, (round) => assertDoneOnce(house, round));
  assert.deepEqual(await house.differences(), {});
  return rounds.map(({ plan, passed }) => ({ ...plan, passed }));
}

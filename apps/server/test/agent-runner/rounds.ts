import assert from "node:assert/strict";
import { type Evaluated, lookAfter, patientFetch, replay } from "@tidings/agent";
import { createClient, TidingsError } from "@tidings/client";
import { uuidFor } from "../../src/domain/ids.ts";
import { DAY_MS, SECOND_MS } from "../../src/platform/time/clock.ts";
import { decideAs, dueCampaign, showTo } from "../agent.ts";
import { setSettings } from "../email.ts";
import type { TestHouse, TestProject } from "../harness.ts";
import { POLICIES, type PolicyName } from "./policies.ts";
import { isWrite, type Passed, type Side, startProxy } from "./proxy.ts";
import type { Report } from "./runner-process.ts";
import { startRunner } from "./runners.ts";

/** What both policies of these tests take for a lease. */
export const LEASE_MS = (POLICIES.statistical.maxSeconds + 120) * SECOND_MS;
/** So many of each variant decide a campaign whose B is bought by all and whose A by none: the e-value is 30. */
const USERS_EACH = 13;
const AT_ONCE = 3;

/**
 * What happens to a runner at one of its requests, counted from 1: it is killed; it is stopped until another one has looked; its connection
 * is cut, once; it is answered 429, once.
 */
export type Fault = { kind: "kill" | "stop" | "cut" | "busy"; at: number; side: Side };

/**
 * `auto`: the goal lets an agent change its campaigns. `proposed`: people have to approve, and the runner meets its fault before they did.
 * `approved`: it meets it while it carries out what they have approved.
 */
export type Mode = "auto" | "proposed" | "approved";

/** One round. In `proposed`, people decide before the lease of the first runner is over, or after another one has looked. */
export type Plan = { mode: Mode; policy: PolicyName; fault: Fault | null; peopleDecide: "early" | "late" };

/** A round that was played, and what its first runner requested. */
export type Played = Plan & { passed: readonly Passed[] };

type Round = Plan & {
  plan: Plan;
  project: TestProject;
  made: Awaited<ReturnType<typeof dueCampaign>>;
  versionBefore: number;
  passed: readonly Passed[];
  /** Lets a stopped runner go on, to its end. */
  resume: (() => Promise<void>) | null;
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
  const versionBefore = await configVersion(house, project);
  return { ...plan, plan, project, made, versionBefore, passed: [], resume: null };
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

const reasonOf = ({ answer }: Passed): unknown => (JSON.parse(answer) as { reason?: unknown }).reason;

/** A runner that was stopped past its lease: all that it still wanted to change was refused, and it says so. */
function assertLost(report: Report | null, after: readonly Passed[], where: string): void {
  assert.deepEqual(report?.failures, [], where);
  assert.deepEqual(
    report.evaluated.map(({ result }) => result),
    ["lost"],
    where,
  );
  const changes = after.filter((each) => isWrite(each) && /\/(mutate|complete|proposals)$/.test(each.path));
  assert.ok(changes.length > 0, where);
  for (const each of changes) assert.deepEqual([each.status, reasonOf(each)], [409, "lease_lost"], where);
  const logged = after.filter((each) => isWrite(each) && each.path.endsWith("/agent-runs"));
  for (const { status } of logged) assert.equal(status, 200, `the decision was there already, ${where}`);
}

const whereIs = ({ mode, policy, fault }: Plan): string =>
  `${mode}, ${policy}, ${fault === null ? "no fault" : `${fault.kind} ${fault.side} ${fault.at}`}`;

/** Has a runner in a process of its own look, with the fault of the plan. One that is stopped is left so. */
async function lookWithFault(house: TestHouse, round: Round): Promise<void> {
  const { project, policy, fault } = round;
  const [stopped, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let count = 0;
  const proxy = await startProxy(project.url, async (_, side) => {
    if (side === "before") count++;
    if (fault === null || count !== fault.at || side !== fault.side) return "pass";
    // What it sends again is another request.
    if (fault.kind === "cut" || fault.kind === "busy") return fault.kind === "cut" ? "drop" : "busy";
    await runner.signal(fault.kind === "kill" ? "SIGKILL" : "SIGSTOP");
    if (fault.kind === "kill") return "drop";
    stopped.resolve();
    await resumed.promise;
    return "pass";
  });
  const runner = await startRunner({ url: proxy.url, agentKey: project.agentKey, policy });
  const looked = runner.look(house.now());
  const end = async (): Promise<Report | null> => {
    const report = await looked;
    await runner.end();
    await proxy.close();
    return report;
  };
  round.passed = proxy.passed;
  if (fault?.kind === "stop") {
    await Promise.race([stopped.promise, looked]);
    // On the way to the server, the request itself comes too late as well.
    const before = fault.side === "before" ? fault.at - 1 : fault.at;
    round.resume = async () => {
      await runner.signal("SIGCONT");
      resumed.resolve();
      assertLost(await end(), proxy.passed.slice(before), whereIs(round));
    };
    return;
  }
  const report = await end();
  if (fault?.kind === "kill") return assert.equal(report, null, `was killed: ${whereIs(round)}`);
  assert.deepEqual(report?.failures, [], whereIs(round));
  const wanted = round.mode === "proposed" ? "proposed" : "applied";
  assert.deepEqual(
    report.evaluated.map(({ result }) => result),
    [wanted],
    whereIs(round),
  );
}

/** The transcript of a run; empty where none was kept. */
async function transcriptOf({ project }: Round, id: string) {
  try {
    return (await project.api.getAgentRunTranscript({ path: { id } })).transcript.entries;
  } catch (cause) {
    if (cause instanceof TidingsError && cause.status === 404) return [];
    throw cause;
  }
}

/** What must be so at the end of each round, whatever happened to its runner. */
async function assertDoneOnce(house: TestHouse, round: Round): Promise<void> {
  const { project, made, versionBefore, policy } = round;
  const where = whereIs(round);
  assert.deepEqual(await weightsOf(round), [0, 100], where);
  assert.equal(await countApplied(house, round), 1, where);
  assert.equal((await configVersion(house, project)) - versionBefore, 1, where);
  const { runs } = await project.api.listAgentRuns({ query: { kind: "evaluate" } });
  assert.equal(runs.length, 1, `one decision, ${where}`);
  const [run] = runs;
  assert.ok(run);
  const { database } = house;
  const isBilled = policy === "billed";
  const entries = isBilled ? await transcriptOf(round, run.id) : [];
  // A kill between the run and its transcript leaves a decision whose reasons are lost, and a replay says so.
  const isCutOff = isBilled && entries.length === 0;
  if (isCutOff) assert.equal(round.fault?.kind, "kill", where);
  const fault = isCutOff ? "its transcript was not kept" : null;
  assert.deepEqual(await replay(run, entries), { policy: "statistical@1", fault }, where);
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
 * Plays rounds side by side, as they share a clock: a runner looks and meets its fault, its lease runs out, others go on, people approve where
 * they have to. Fails where something was done twice, or without approval, or not at all.
 */
export async function playRounds(house: TestHouse, plans: readonly Plan[]): Promise<Played[]> {
  const rounds: Round[] = [];
  await each(plans, async (plan) => {
    rounds.push(await prepare(house, plan));
  });
  house.advance(2 * DAY_MS);
  const roundsIn = (mode: Mode) => rounds.filter((round) => round.mode === mode);
  const look = async ({ project, policy }: Round): Promise<void> => {
    await lookHere(house, project, policy);
  };
  await each(roundsIn("approved"), look);
  await each(roundsIn("approved"), (round) => approve(house, round));
  await each(rounds, (round) => lookWithFault(house, round));
  const early = rounds.filter(({ mode, peopleDecide }) => mode === "proposed" && peopleDecide === "early");
  await each(early, (round) => approve(house, round));
  house.advance(LEASE_MS);
  await each(rounds, look);
  await each(rounds, async ({ resume }) => resume?.());
  // What was proposed only now, and what waited for people until now.
  const waiting: Round[] = [];
  for (const round of roundsIn("proposed")) if ((await countApplied(house, round)) === 0) waiting.push(round);
  await each(waiting, (round) => approve(house, round));
  await each(waiting, look);
  await each(rounds, (round) => assertDoneOnce(house, round));
  assert.deepEqual(await house.differences(), {});
  return rounds.map(({ plan, passed }) => ({ ...plan, passed }));
}

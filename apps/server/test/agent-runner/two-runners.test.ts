import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Evaluated, replay } from "@tidings/agent";
import { HOUR_MS } from "../../src/platform/time/clock.ts";
import { dueCampaign } from "../agent.ts";
import { setSettings } from "../email.ts";
import { type TestProject, testHouse } from "../harness.ts";
import { rounds } from "../rounds.ts";
import type { PolicyName } from "./policies.ts";
import { each } from "./rounds.ts";
import { startRunner } from "./runners.ts";

const house = testHouse();

const CAMPAIGNS = 20;
/** Each campaign is looked at so often: 500 evaluations in a long run. */
const LOOKS = Number(process.env.AGENT_LOOKS ?? rounds(2, 25));
const AT_ONCE = 8;

const isClaimed = ({ result }: Evaluated): boolean => result !== "unclaimed";

/** A project with campaigns that are due every hour. */
async function manyDue(atOnce: number): Promise<{ project: TestProject; ids: string[] }> {
  const project = await house.project();
  await setSettings(house, project, {
    "safety.maxRunsPerDay": "10000",
    "safety.maxConcurrentCampaigns": String(atOnce),
  });
  const ids: string[] = [];
  const names = Array.from({ length: CAMPAIGNS }, (_, index) => `Campaign ${index}`);
  await each(names, async (name) => {
    ids.push((await dueCampaign(house, project, { name, goal: { targetEvent: "paid" } })).id);
  });
  return { project, ids: ids.sort() };
}

/** Two runners look at the same time, hour after hour; answers how often each campaign was evaluated, and how often one came too late. */
async function lookTogether(project: TestProject, ids: readonly string[], policy: PolicyName) {
  const employer = { ...project, policy, everyHours: 1 };
  const runners = await Promise.all([startRunner(employer), startRunner(employer)]);
  const found = { late: 0, byRunner: [0, 0] };
  try {
    for (let look = 0; look < LOOKS; look++) {
      // A runner that meets as many leases as are allowed leaves the rest to the other one, or to its next pass.
      const claimed: string[] = [];
      while (claimed.length < CAMPAIGNS) {
        const before = claimed.length;
        const reports = await Promise.all(runners.map((runner) => runner.look(house.now())));
        for (const [index, report] of reports.entries()) {
          assert.deepEqual(report?.failures, []);
          const own = report.evaluated.filter(isClaimed).map(({ campaignId }) => campaignId);
          found.late += report.evaluated.length - own.length;
          found.byRunner[index] = (found.byRunner[index] ?? 0) + own.length;
          claimed.push(...own);
        }
        assert.ok(claimed.length > before, "each time something is claimed, until nothing is left");
      }
      assert.deepEqual(claimed.toSorted(), ids, "each campaign is evaluated by one of the two");
      house.advance(HOUR_MS);
    }
  } finally {
    await Promise.all(runners.map((runner) => runner.end()));
  }
  return found;
}

/** What the server has written down of the evaluations of a project. */
async function ledgerOf({ projectId }: TestProject) {
  const { rows } = await house.database.pool.query<Record<string, number>>(
    `select (select count(*) from evaluation_claims where project_id = $1) as claims,
      (select count(*) from evaluation_claims where project_id = $1 and not is_continuation) as fresh,
      (select count(*) from evaluation_claims where project_id = $1 and ended_by = 'completed') as completed,
      (select sum(granted)::int from agent_days where project_id = $1) as paid,
      (select count(*) from applied_mutations where project_id = $1) as applied,
      (select count(distinct (campaign_id, evaluation_at)) from applied_mutations where project_id = $1) as evaluations,
      (select count(*) from agent_runs where project_id = $1 and kind = 'evaluate') as decisions`,
    [projectId],
  );
  return rows[0];
}

describe("two runners", () => {
  const all = CAMPAIGNS * LOOKS;

  it("share what is due: each evaluation has one lease, is paid once, and is carried out by whoever has it", async () => {
    const { project, ids } = await manyDue(AT_ONCE);
    const { late, byRunner } = await lookTogether(project, ids, "moving");
    const counts = { claims: all, fresh: all, completed: all, paid: all, applied: all };
    assert.deepEqual(await ledgerOf(project), { ...counts, evaluations: all, decisions: all });
    assert.deepEqual(await house.differences(), {});
    if (LOOKS > 2)
      console.log(
        `${all} evaluations: ${byRunner.join(" and ")}; ${late} claims came too late, or were too many`,
      );
  });

  it("decide what can be decided again", async () => {
    const { project, ids } = await manyDue(AT_ONCE);
    await lookTogether(project, ids, "statistical");
    let equal = 0;
    for (let page = 1; equal < all; page++) {
      const { runs } = await project.api.listAgentRuns({ query: { kind: "evaluate", perPage: 100, page } });
      assert.ok(runs.length > 0);
      for (const run of runs) {
        assert.deepEqual(await replay(run, []), { policy: "statistical@1", fault: null });
        equal++;
      }
    }
    if (LOOKS > 2) console.log(`${equal} replays, all equal`);
  });

  it("go on with the rest where as many campaigns as are allowed are in other hands", async () => {
    const { project, ids } = await manyDue(2);
    const [first = ""] = ids;
    await project.agent.claimEvaluation({ path: { id: first }, body: { leaseSeconds: 60 } });
    const runner = await startRunner({ ...project, policy: "statistical" });
    const report = await runner.look(house.now());
    await runner.end();
    const claimed = report?.evaluated.filter(isClaimed).map(({ campaignId }) => campaignId);
    assert.deepEqual(claimed?.sort(), ids.slice(1));
  });
});

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type TestHouse, type TestProject, testHouse } from "../../../../test/harness.ts";
import { exportText, importText } from "../../../../test/portable.ts";
import { HOUR_MS } from "../../../platform/time/clock.ts";
import { listKeys, rotateKey } from "../../access/public.ts";
import { fillMonth } from "./fill.ts";

const house = testHouse();

/** Enough for everything that the statistics claim. The command plays 2,000. */
const MANY = 650;
const FEW = 100;

const fill = (project: TestProject, customers: number) =>
  fillMonth(house.tidings.app, project.projectId, customers);

/** The campaigns of a project, by name. */
async function campaignsOf({ api }: TestProject) {
  const { campaigns } = await api.listCampaigns();
  return new Map(campaigns.map((campaign) => [campaign.name, campaign]));
}

async function resultsOf(project: TestProject, name: string, event: string) {
  const campaign = (await campaignsOf(project)).get(name);
  assert.ok(campaign, name);
  return project.api.getCampaignConversions({ path: { id: campaign.id }, query: { event } });
}

/** Rows of a project whose instant lies after now, by column. */
async function inFuture({ database, now }: TestHouse, { projectId }: TestProject) {
  const columns = {
    events: ["ts"],
    users: ["first_seen_at", "last_seen_at"],
    deliveries: [
      "queued_at",
      "sent_at",
      "delivered_at",
      "shown_at",
      "opened_at",
      "clicked_at",
      "dismissed_at",
      "converted_at",
    ],
    email_outcomes: ["at"],
    push_outcomes: ["observed_at"],
    agent_runs: ["created_at"],
    campaigns: ["created_at", "started_at", "ended_at"],
    audience_versions: ["created_at"],
  };
  const found: Record<string, number> = {};
  for (const [table, names] of Object.entries(columns))
    for (const name of names) {
      const { rows } = await database.pool.query<{ late: number }>(
        `select count(*) as late from ${table} where project_id = $1 and ${name} > $2`,
        [projectId, now()],
      );
      if (rows[0]?.late !== 0) found[`${table}.${name}`] = rows[0]?.late ?? -1;
    }
  return found;
}

describe("the month of the shop", () => {
  let project: TestProject;
  before(async () => {
    project = await house.project();
    assert.equal((await fill(project, MANY)).result, "filled");
  });

  it("has customers with traits, and events in 30 days", async () => {
    const { endUsers, eventsLast7d, activeCampaigns, withheldDeliveries } = await project.api.getOverview();
    assert.equal(endUsers, MANY);
    assert.ok(eventsLast7d > MANY / 2, String(eventsLast7d));
    assert.ok(activeCampaigns >= 4 && withheldDeliveries > 20);
    const { users } = await project.api.listUsers({ query: { perPage: 1 } });
    const traits: Record<string, unknown> = users[0]?.traits ?? {};
    for (const key of ["name", "first_name", "email", "city", "plan", "favourite"])
      assert.equal(typeof traits[key], "string", key);
    const { days } = await project.api.getMetrics({ query: { range: "30d" } });
    assert.ok(days.every(({ events }) => events > 0));
    assert.deepEqual(await inFuture(house, project), {});
  });

  it("has campaigns of every channel and in every state", async () => {
    const campaigns = [...(await campaignsOf(project)).values()];
    const statesOf = (channel: string) =>
      new Set(
        campaigns.filter((each) => each.channel === channel).map(({ effectiveStatus }) => effectiveStatus),
      );
    assert.deepEqual([...statesOf("web_inapp")].sort(), ["draft", "ended", "paused", "running", "scheduled"]);
    assert.deepEqual([...statesOf("email")].sort(), ["draft", "paused", "running"]);
    assert.deepEqual([...statesOf("push")].sort(), ["draft", "ended"]);
  });

  it("has a delivery that converted for each user who converted in time, as pages and mail always do", async () => {
    const campaigns = [...(await campaignsOf(project)).values()].filter(({ channel }) => channel !== "push");
    const campaignIds = campaigns.map(({ id }) => id).join(",");
    const { results } = await project.api.listCampaignResults({ query: { campaignIds } });
    const missing = campaigns.flatMap(({ id, name, stats }) => {
      const converted = results.find(({ campaignId }) => campaignId === id)?.totals.converted ?? 0;
      return converted > stats.converted ? [[name, converted, stats.converted]] : [];
    });
    assert.deepEqual(missing, []);
    assert.ok(results.some(({ totals }) => (totals.converted ?? 0) > 0));
  });

  it("claims one difference, leaves one open, and sounds the alarm about a split", async () => {
    const breakfast = (await resultsOf(project, "Breakfast box", "order_placed")).statistics;
    assert.deepEqual(
      breakfast.variants.flatMap(({ comparison }) => comparison?.verdict ?? []),
      ["better"],
    );
    assert.equal(breakfast.sampleRatio.mismatch, false);
    const open = (await resultsOf(project, "Never run out", "subscribed")).statistics;
    assert.deepEqual(
      open.variants.flatMap(({ comparison }) => comparison?.verdict ?? []),
      ["undecided"],
    );
    assert.ok(open.variants.every(({ matured }) => matured.exposedUsers > 20));
    assert.equal(
      (await resultsOf(project, "Gift cards", "order_placed")).statistics.sampleRatio.mismatch,
      true,
    );
  });

  it("has a proposal that waits for people, and what the agent decided before, in the chain", async () => {
    const { proposals } = await project.api.listProposals();
    const [waiting, ...others] = proposals;
    assert.equal(waiting?.status, "pending");
    assert.ok((waiting?.expiresAt ?? 0) > house.now());
    assert.ok(others.length > 0 && others.every(({ status }) => status === "rejected"));
    const { runs } = await project.api.listAgentRuns({ query: { perPage: 100 } });
    assert.equal(runs.find(({ id }) => id === waiting?.proposedRunId)?.kind, "evaluate");
    const kinds = new Set(runs.map(({ kind }) => kind));
    assert.deepEqual([...kinds].sort(), ["approval", "conclusion", "evaluate", "observation", "plan"]);
    assert.ok(runs.every(({ chain }) => chain !== null));
    assert.ok(runs.some(({ rationale }) => rationale?.startsWith("Users are not split")));
  });

  it("has remarks of the hosted agent, with what its model used in credits", async () => {
    const { rows } = await house.database.pool.query<{ runs: number; credits: number }>(
      `select count(*) as runs, min(u.credits) as credits from ai_usage u
       join agent_runs r on r.project_id = u.project_id and u.execution_id = 'run_' || r.id and r.created_at = u.recorded_at
       where u.project_id = $1 and r.kind in ('observation', 'conclusion')`,
      [project.projectId],
    );
    assert.deepEqual([rows[0]?.runs, (rows[0]?.credits ?? 0) > 5], [5, true]);
    const { ai } = await project.agent.getAgentSettings();
    assert.ok(ai.creditsUsed > 0 && !ai.limitReached);
  });

  it("has mail that may or may not have arrived, that came back, and that stopped", async () => {
    const campaigns = await campaignsOf(project);
    const mailOf = (name: string) =>
      project.api.getCampaignEmail({ path: { id: campaigns.get(name)?.id ?? "" } });
    assert.equal((await mailOf("We miss you")).unknown, 2);
    const newsletter = campaigns.get("The coffee letter")?.stats;
    assert.ok(
      newsletter &&
        newsletter.bounced > 0 &&
        newsletter.opened > newsletter.clicked &&
        newsletter.clicked > 0,
    );
    assert.ok(
      newsletter.unsubscribed / newsletter.sent > 0.01 && newsletter.unsubscribed / newsletter.sent <= 0.02,
    );
    assert.ok(newsletter.complained > 0 && newsletter.complained / newsletter.sent < 0.01);
    const { rows } = await house.database.pool.query<{ reason: string }>(
      "select distinct suppressed_by as reason from email_addresses where project_id = $1 and suppressed_by is not null order by 1",
      [project.projectId],
    );
    assert.deepEqual(
      rows.map(({ reason }) => reason),
      ["bounced", "complained", "manual", "unsubscribed"],
    );
  });

  it("has phones, and pushes of which some arrived, were tapped, or were refused", async () => {
    const { installations } = await project.api.listInstallations({ query: { perPage: 100 } });
    assert.ok(installations.length > 30);
    const { id = "" } = (await campaignsOf(project)).get("Night Shift is back") ?? {};
    const { outcomes } = await project.api.getCampaignPush({ path: { id }, query: { perPage: 100 } });
    assert.deepEqual([...new Set(outcomes.map(({ result }) => result.kind))].sort(), [
      "accepted",
      "rejected",
    ]);
    const { campaign } = await project.api.getCampaign({ path: { id } });
    assert.ok(campaign.stats.sent > campaign.stats.delivered && campaign.stats.clicked > 0);
  });

  it("has a segment with two versions, and a holdout with people on both sides", async () => {
    const { versions } = await project.api.listSegmentVersions({ path: { id: "quiet-customers" } });
    assert.equal(versions.length, 2);
    const { goals } = await project.api.listGoals();
    const goal = goals.find(({ holdoutPercent }) => holdoutPercent > 0);
    const { holdout } = await project.api.getGoalConversions({ path: { id: goal?.id ?? "" } });
    assert.ok(holdout.withheld.matured.exposedUsers > 20 && holdout.served.matured.exposedUsers > 200);
  });

  it("leaves no differences, is not played twice, and leaves nothing to send", async () => {
    assert.deepEqual(await house.differences(), {});
    assert.equal((await fill(project, MANY)).result, "known");
    const before = await house.database.pool.query("select count(*) from email_attempts");
    await house.drain();
    const after = await house.database.pool.query("select count(*) from email_attempts");
    assert.deepEqual(after.rows, before.rows);
    assert.deepEqual(await house.differences(), {});
  });
});

describe("filling a project", () => {
  it("gives every project the same month", async () => {
    const figures = async (): Promise<unknown> => {
      const project = await house.project();
      await fill(project, FEW);
      const stats = [...(await campaignsOf(project)).values()].map(({ name, stats: counted }) => [
        name,
        counted,
      ]);
      const { ai } = await project.agent.getAgentSettings();
      return [stats, (await project.api.getMetrics({ query: { range: "30d" } })).days, ai];
    };
    assert.deepEqual(await figures(), await figures());
  });

  it("is refused where there are users or campaigns", async () => {
    const [used, planned] = [await house.project(), await house.project()];
    await used.api.identify({ body: { userId: "ada" } });
    await planned.api.createCampaign({
      body: { name: "Mine", message: { presentation: "toast", title: "Hi" } },
    });
    for (const project of [used, planned])
      await assert.rejects(fill(project, FEW), /users or campaigns of its own/);
    assert.equal((await campaignsOf(used)).size, 0);
  });

  it("happens once where it is asked for twice at a time", async () => {
    const project = await house.project();
    const [first, second] = await Promise.allSettled([fill(project, FEW), fill(project, FEW)]);
    const results = [first, second].map((each) =>
      each.status === "fulfilled" ? each.value.result : String(each.reason),
    );
    assert.ok(results.includes("filled"), String(results));
    assert.ok(
      results.some((each) => /being filled|known/.test(each)),
      String(results),
    );
    assert.equal((await project.api.getOverview()).endUsers, FEW);
  });

  it("leaves the keys of people as they are", async () => {
    const project = await house.project();
    const keys = () => listKeys(house.database.kysely, project.projectId, 0);
    const { kysely } = house.database;
    await kysely
      .transaction()
      .execute((tx) => rotateKey(tx, project.projectId, "secret", house.now(), HOUR_MS));
    const before = await keys();
    await fill(project, FEW);
    assert.deepEqual(await keys(), before);
    await project.api.getOverview();
  });

  it("can be exported and imported", async () => {
    const project = await house.project();
    await fill(project, FEW);
    const { project: imported } = await importText(house, await exportText(house, project.projectId), "Copy");
    const statsOf = async (owner: TestProject) =>
      [...(await campaignsOf(owner)).values()].map(({ name, stats }) => [name, stats]).sort();
    assert.deepEqual(await statsOf(imported), await statsOf(project));
    assert.deepEqual(await house.differences(), {});
  });
});

import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { describe, it } from "node:test";
import type { TestHouse, TestProject } from "../../../../../test/harness.ts";
import { testHouse } from "../../../../../test/harness.ts";
import { observerOf, RECEIPT } from "../../../../../test/observing.ts";
import { exportText, importText } from "../../../../../test/portable.ts";
import { launchPush, MESSAGE, pushHouse, reachable } from "../../../../../test/push.ts";
import { uuidOf } from "../../../../domain/ids.ts";
import { readMigrations } from "../../../../platform/db/migrate.ts";
import { SECOND_MS } from "../../../../platform/time/clock.ts";

const { house, apns, sendingProject } = await pushHouse();
const there = testHouse();

const MIGRATION = "0079_variants_of_waiting_recipients.sql";
/** The newest migration of the versions that drew a variant when a user began to wait. */
const BEFORE = "0078_revision_of_goals.sql";
const DIFFERENCES = [
  "deliveries: each is of a variant that had weight when it was decided",
  "push: who has devices is active, and nobody else",
];

const soon = async (): Promise<void> => {
  house.advance(61 * SECOND_MS);
  await house.drain();
};

/** Users get a device each, and report the push that comes. */
async function arrive(project: TestProject, users: readonly string[]): Promise<void> {
  const devices = [];
  for (const user of users) devices.push(await reachable(project, user));
  await soon();
  for (const device of devices) {
    const push = apns.taken.find(({ token }) => token === device.token)?.payload.tidings;
    if (push !== undefined) await observerOf(project, device, push).tell(RECEIPT);
  }
}

const usersOf = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${name}-${n}`);

/**
 * A project as a former version left it: users began to wait when A and B had equal weights, got their devices after A was retired, and
 * have deliveries that name the epoch of then. `waiting` still waits.
 */
async function formerProject() {
  const project = await sendingProject();
  const { goal } = await project.api.createGoal({
    body: { name: "Sales", targetEvent: "paid", holdoutPercent: 30 },
  });
  const early = usersOf("early", 24);
  const late = usersOf("late", 8);
  for (const userId of [...early, "waiting"]) await project.sdk.identify({ body: { userId } });
  const variants = ["A", "B"].map((name) => ({ name, weight: 50, message: { ...MESSAGE, title: name } }));
  const { id, variants: made } = await launchPush(project, { goalId: goal.id, variants });
  const campaignId = uuidOf("cmp", id) ?? "";
  await house.drain();
  await arrive(project, early);
  house.advance(SECOND_MS);
  const weights = made.map((each, n) => ({ id: each.id, weight: n * 100 }));
  await project.api.updateCampaign({ path: { id }, body: { variants: weights } });
  house.advance(SECOND_MS);
  for (const userId of late) await project.sdk.identify({ body: { userId } });
  await arrive(project, late);
  const statistics = async (owner = project, campaign = id, goalId = goal.id) => ({
    ...(await owner.api.getCampaignConversions({ path: { id: campaign }, query: { event: "paid" } }))
      .statistics,
    all: (await owner.api.getGoalConversions({ path: { id: goalId } })).holdout,
  });
  const right = await statistics();
  const { pool } = house.database;
  const { rowCount: mistaken } = await pool.query(
    "update deliveries set epoch = 2 where campaign_id = $1 and epoch = 1",
    [campaignId],
  );
  await pool.query(
    "update push_recipients set variant_id = $2 where campaign_id = $1 and state = 'waiting'",
    [campaignId, uuidOf("var", made[0]?.id ?? "")],
  );
  return { project, id, campaignId, statistics, right, mistaken: mistaken ?? 0 };
}

const found = async (server: TestHouse): Promise<string[]> => Object.keys(await server.differences()).sort();

/** Asserts that nothing is said any more of deliveries whose weights are not known, and everything of all others. */
function assertKnown(
  is: Awaited<ReturnType<Awaited<ReturnType<typeof formerProject>>["statistics"]>>,
  { right, mistaken }: Awaited<ReturnType<typeof formerProject>>,
): void {
  assert.equal(is.unknownAllocation, mistaken);
  assert.equal(is.sampleRatio.mismatch, false);
  const exposed = is.sampleRatio.arms.map(({ exposedUsers }) => exposedUsers);
  const before = right.sampleRatio.arms.reduce((sum, arm) => sum + arm.exposedUsers, 0);
  assert.deepEqual(exposed, [0, before - mistaken]);
  // Whom the goal holds out does not depend on the variant.
  assert.ok(right.all.withheld.pending.exposedUsers > 0 && right.all.served.pending.exposedUsers > mistaken);
  assert.deepEqual(is.all, right.all);
  assert.deepEqual(is.holdout, right.holdout);
}

describe("deliveries whose variant a former version drew when their users began to wait", () => {
  it("are of an unknown epoch after the upgrade, and change no other number", async () => {
    const former = await formerProject();
    assert.deepEqual(await found(house), DIFFERENCES);
    const migration = (await readMigrations()).find(({ name }) => name === MIGRATION);
    await house.database.pool.query(migration?.sql ?? "");
    assert.deepEqual(await found(house), []);
    assertKnown(await former.statistics(), former);
    const { rows } = await house.database.pool.query(
      "select state, variant_id from push_recipients where campaign_id = $1 and state <> 'active'",
      [former.campaignId],
    );
    assert.deepEqual(rows, [{ state: "waiting", variant_id: null }]);
    await arrive(former.project, ["waiting"]);
    assert.deepEqual(await found(house), []);
  });

  it("are so too in a project that comes from an older file", async () => {
    const former = await formerProject();
    const [first = "", ...lines] = (await exportText(house, former.project.projectId)).trimEnd().split("\n");
    const header = JSON.stringify({ ...JSON.parse(first), schema: BEFORE });
    const body = [header, ...lines.slice(0, -1)].map((line) => `${line}\n`).join("");
    const { counts } = JSON.parse(lines.at(-1) ?? "");
    const end = JSON.stringify({ type: "end", counts, sha256: hash("sha256", body) });
    there.at(house.now());
    const { project } = await importText(there, `${body}${end}\n`);
    assert.deepEqual(await found(there), []);
    const [campaign] = (await project.api.listCampaigns()).campaigns;
    const [goal] = (await project.api.listGoals()).goals;
    assertKnown(await former.statistics(project, campaign?.id, goal?.id), former);
    const { rows } = await there.database.pool.query(
      "select variant_id from push_recipients where state = 'waiting'",
    );
    assert.deepEqual(rows, [{ variant_id: null }]);
  });

  it("stay as they are in a project that comes from a file of now", async () => {
    const project = await sendingProject();
    await project.sdk.identify({ body: { userId: "ada" } });
    const { id } = await launchPush(project);
    await house.drain();
    house.advance(SECOND_MS);
    await project.api.updateCampaign({ path: { id }, body: { message: { ...MESSAGE, title: "Edited" } } });
    await arrive(project, ["ada"]);
    there.at(house.now());
    const { project: copy } = await importText(there, await exportText(house, project.projectId));
    const { rows } = await there.database.pool.query("select epoch from deliveries where project_id = $1", [
      copy.projectId,
    ]);
    assert.deepEqual(rows, [{ epoch: 2 }]);
  });
});

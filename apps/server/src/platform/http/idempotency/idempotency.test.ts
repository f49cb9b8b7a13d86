import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";
import { DAY_MS } from "../../time/clock.ts";

const house = testHouse();

type Reply = { status: number; text: string; replayed: boolean };

async function post(path: string, key: string, body: unknown, { secretKey }: TestProject): Promise<Reply> {
  const response = await fetch(house.url + path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: {
      authorization: `Bearer ${secretKey}`,
      "content-type": "application/json",
      "idempotency-key": key,
    },
  });
  const replayed = response.headers.get("idempotent-replayed") === "true";
  return { status: response.status, text: await response.text(), replayed };
}

const createGoal = (project: TestProject, key: string, name = "Upgrades"): Promise<Reply> =>
  post("/api/v1/goals", key, { name }, project);

const goalCount = async ({ api }: TestProject): Promise<number> => (await api.listGoals()).goals.length;

const keyCount = async ({ projectId }: TestProject): Promise<number> => {
  const { rows } = await house.database.pool.query<{ count: number }>(
    "select count(*) from idempotency_keys where project_id = $1",
    [projectId],
  );
  return rows[0]?.count ?? 0;
};

describe("duplicates at the same moment", () => {
  it("20 of them have one effect and one answer", async () => {
    const project = await house.project();
    const answers = await Promise.all(Array.from({ length: 20 }, () => createGoal(project, "same")));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    assert.equal(answers.filter(({ replayed }) => !replayed).length, 1);
    assert.equal(await goalCount(project), 1);
  });
  it("20 that ask for different things: one wins, the others conflict", async () => {
    const project = await house.project();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => createGoal(project, "same", `Goal ${index}`)),
    );
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, ...Array.from({ length: 19 }, () => 409)]);
    assert.equal(await goalCount(project), 1);
  });
  it("20 of a request that fails fail, and leave the key free", async () => {
    const project = await house.project();
    const body = { name: "Campaign", message: { presentation: "toast", title: "Hi" }, goalId: "goal_none" };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post("/api/v1/campaigns", "same", body, project)),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([400]));
    assert.equal(await keyCount(project), 0);
    const { status, replayed } = await post("/api/v1/campaigns", "same", { ...body, goalId: null }, project);
    assert.deepEqual([status, replayed], [201, false]);
  });
  it("keys of 20 requests of their own do not hold each other up", async () => {
    const project = await house.project();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => createGoal(project, `key ${index}`)),
    );
    assert.ok(answers.every(({ status, replayed }) => status === 201 && !replayed));
    assert.equal(await goalCount(project), 20);
  });
});

describe("what a key stands for", () => {
  it("one operation, one path and one body of one project", async () => {
    const project = await house.project();
    const first = await createGoal(project, "key");
    const campaign = { name: "Upgrades", message: { presentation: "toast", title: "Hi" } };
    assert.equal((await post("/api/v1/campaigns", "key", campaign, project)).status, 409);
    assert.equal((await createGoal(project, "key", "Other")).status, 409);
    assert.equal((await createGoal(project, "Key")).replayed, false);
    assert.equal((await createGoal(await house.project(), "key")).replayed, false);
    assert.deepEqual(await createGoal(project, "key"), { ...first, replayed: true });
  });
  it("a request that is refused before it does anything leaves the key free", async () => {
    const project = await house.project();
    assert.equal((await createGoal(project, "key", "")).status, 400);
    assert.equal((await createGoal(project, "key", "x".repeat(10_000))).status, 413);
    assert.equal(await keyCount(project), 0);
    const { status, replayed } = await createGoal(project, "key");
    assert.deepEqual([status, replayed], [201, false]);
  });
  it("a refusal of the operation itself leaves the key free", async () => {
    const project = await house.project();
    const { campaign } = await project.api.createCampaign({
      body: { name: "Draft", message: { presentation: "toast", title: "Hi" } },
    });
    const pause = () => post(`/api/v1/campaigns/${campaign.id}/status`, "key", { action: "pause" }, project);
    assert.equal((await pause()).status, 409);
    await project.api.setCampaignStatus({ path: { id: campaign.id }, body: { action: "launch" } });
    assert.deepEqual([(await pause()).status, (await pause()).replayed], [200, true]);
  });
  it("answers what was said then, whatever has become of it", async () => {
    const project = await house.project();
    const first = await createGoal(project, "key");
    const [goal] = (await project.api.listGoals()).goals;
    assert.ok(goal);
    await project.api.updateGoal({ path: { id: goal.id }, body: { name: "Renamed" } });
    assert.deepEqual(await createGoal(project, "key"), { ...first, replayed: true });
  });
  it("is nothing to a read or an SDK call", async () => {
    const { api, sdk } = await house.project();
    const headers = { "idempotency-key": "key" };
    await api.createGoal({ body: { name: "Upgrades" }, headers });
    assert.equal((await api.listGoals({ headers })).goals.length, 1);
    await sdk.track({ body: { userId: "ada", event: "signed_up" }, headers });
    await sdk.track({ body: { userId: "bob", event: "signed_up" }, headers });
  });
  it("is checked by its length", async () => {
    const { api } = await house.project();
    const { status, error } = await refusal(
      api.createGoal({ body: { name: "Upgrades" }, headers: { "idempotency-key": "k".repeat(129) } }),
    );
    assert.deepEqual([status, error], [400, "Idempotency-Key must be 1 to 128 characters"]);
  });
});

describe("how long a key is kept", () => {
  it("24 hours: then it is free, also for another request, once however many come", async () => {
    const project = await house.project();
    await createGoal(project, "key");
    house.advance(DAY_MS - 1);
    assert.equal((await createGoal(project, "key")).replayed, true);
    house.advance(1);
    const answers = await Promise.all(Array.from({ length: 10 }, () => createGoal(project, "key", "Other")));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
    assert.equal(answers.filter(({ replayed }) => !replayed).length, 1);
    assert.equal(await goalCount(project), 2);
    assert.equal(await keyCount(project), 1);
  });
  it("a job forgets the old ones of every project, and only those", async () => {
    const [one, two] = [await house.project(), await house.project()];
    const forgetNow = async (): Promise<number[]> => {
      await house.drain();
      return [await keyCount(one), await keyCount(two)];
    };
    await createGoal(one, "first");
    house.advance(DAY_MS / 2);
    await createGoal(one, "second");
    await createGoal(two, "first");
    assert.deepEqual(await forgetNow(), [2, 1]);
    house.advance(DAY_MS / 2);
    assert.deepEqual(await forgetNow(), [1, 1]);
    assert.equal((await createGoal(two, "first")).replayed, true);
    house.advance(DAY_MS / 2);
    assert.deepEqual(await forgetNow(), [0, 0]);
  });
});

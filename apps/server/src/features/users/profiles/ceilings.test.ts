import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";
import { userRef } from "../../../domain/ids.ts";

const house = testHouse();
/** Tests change users of this house with plain SQL, which the rollups do not see. */
const olderHouse = testHouse();

const identify = ({ sdk }: TestProject, userId: string, traits: Record<string, unknown>) =>
  sdk.identify({ body: { userId, traits } });

const traitsOf = async ({ api }: TestProject, id: string) =>
  (await api.getUser({ path: { id } })).user.traits;

const numbered = (from: number, count: number, value: unknown = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`key_${from + i}`, value]));

const TOO_LARGE =
  "traits must not bring the user to more than 32768 bytes of JSON: say less, or null for traits to take away";
const TOO_MANY =
  "traits must not bring the user to more than 200 traits: say fewer, or null for those to take away";

/** Gives a user more traits than the ceilings allow, as an earlier version could have stored them. */
async function oldUser({ projectId }: TestProject, userId: string, traits: Record<string, unknown>) {
  const { lane, userKey } = userRef(projectId, userId);
  await olderHouse.database.pool.query(
    "update users set traits = $4 where lane = $1 and user_key = $2 and project_id = $3",
    [lane, userKey, projectId, JSON.stringify(traits)],
  );
}

describe("the ceilings of a user's traits", () => {
  it("hold the bytes of many requests together, and write nothing of the one too many", async () => {
    const project = await house.project();
    const refused: string[] = [];
    for (let i = 0; i < 12; i++) {
      const call = identify(project, "ada", { [`big_${i}`]: "x".repeat(4_000) });
      if (i < 8) await call;
      else refused.push((await refusal(call)).error);
    }
    const traits = await traitsOf(project, "ada");
    assert.ok(Buffer.byteLength(JSON.stringify(traits)) <= 32_768);
    assert.equal(Object.keys(traits).length, 8);
    assert.deepEqual(refused, [TOO_LARGE, TOO_LARGE, TOO_LARGE, TOO_LARGE]);
  });

  it("hold the number of keys, to the key", async () => {
    const project = await house.project();
    await identify(project, "ada", numbered(0, 150));
    await identify(project, "ada", numbered(150, 50));
    const { status, error } = await refusal(identify(project, "ada", { plan: "pro", key_0: 2 }));
    assert.deepEqual([status, error], [400, TOO_MANY]);
    assert.equal((await traitsOf(project, "ada")).key_0, 1);
    await identify(project, "ada", { key_0: 3 });
    assert.equal((await traitsOf(project, "ada")).key_0, 3);
  });

  it("hold for the first request of a user, who stays unknown", async () => {
    const project = await house.project();
    assert.equal((await refusal(identify(project, "ada", numbered(0, 201)))).error, TOO_MANY);
    assert.equal((await refusal(project.api.getUser({ path: { id: "ada" } }))).status, 404);
  });

  it("count numbers as the database writes them out", async () => {
    const project = await house.project();
    const numbers = Array.from({ length: 400 }, () => 1e300);
    assert.equal((await refusal(identify(project, "ada", { numbers }))).error, TOO_LARGE);
  });

  it("refuse one, and not those that are written together with it", async () => {
    const project = await house.project();
    await identify(project, "full", numbered(0, 200));
    const ids = Array.from({ length: 40 }, (_, i) => `user ${i}`);
    const [full, ...others] = await Promise.allSettled(
      ["full", ...ids].map((userId) => identify(project, userId, { plan: "pro" })),
    );
    assert.equal(full?.status, "rejected");
    assert.ok(others.every(({ status }) => status === "fulfilled"));
    for (const id of ids) assert.deepEqual(await traitsOf(project, id), { plan: "pro" });
    assert.equal(Object.keys(await traitsOf(project, "full")).length, 200);
  });

  it("let a user who has more keep it, shrink, and not grow", async () => {
    const project = await olderHouse.project();
    await identify(project, "ada", {});
    await oldUser(project, "ada", { ...numbered(0, 300, "x".repeat(200)) });
    await identify(project, "ada", { key_0: "y".repeat(200) });
    await identify(project, "ada", { key_1: "short" });
    await identify(project, "ada", { key_2: null });
    assert.equal((await refusal(identify(project, "ada", { key_3: "x".repeat(500) }))).error, TOO_LARGE);
    const more = identify(project, "ada", { key_3: "", ...numbered(400, 10) });
    assert.equal((await refusal(more)).error, TOO_MANY, "fewer bytes, and more keys");
    assert.equal(Object.keys(await traitsOf(project, "ada")).length, 299);
  });

  it("are given room again by null, which takes a trait away", async () => {
    const project = await house.project();
    await identify(project, "ada", numbered(0, 200));
    await identify(project, "ada", { key_0: null, plan: "pro", nothing: null });
    const traits = await traitsOf(project, "ada");
    assert.equal(Object.keys(traits).length, 200);
    assert.deepEqual([traits.plan, "key_0" in traits, "nothing" in traits], ["pro", false, false]);
  });

  it("leave no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { askAs } from "../../../../../test/asking.ts";
import { setSettings } from "../../../../../test/email.ts";
import { refusal, sharedHouse, type TestProject } from "../../../../../test/harness.ts";
import { giveRole, makePerson } from "../../../../../test/people.ts";

const house = sharedHouse();

const namesOf = async ({ agent }: TestProject, userIds: string[]): Promise<string[]> =>
  (await agent.listUserNames({ body: { userIds } })).users.map(({ userId, name }) => `${userId}: ${name}`);

const identify = ({ api }: TestProject, userId: string, traits: Record<string, unknown>) =>
  api.identify({ body: { userId, traits } });

describe("listUserNames", () => {
  it("names users by either id, in the order asked, and leaves out who is not there", async () => {
    const project = await house.project();
    await identify(project, "ada", { name: "Ada Lovelace", nickname: "Countess" });
    await identify(project, "grace", { email: "grace@example.com" });
    await identify(project, "quiet", { plan: "pro" });
    const { user } = await project.api.getUser({ path: { id: "ada" } });
    const { users } = await project.agent.listUserNames({ body: { userIds: [user.id] } });
    assert.deepEqual(users, [{ userId: user.id, id: user.id, externalUserId: "ada", name: "Ada Lovelace" }]);
    // An own id may be written as ours are.
    await identify(project, "eu_01a21319-0000-7000-8000-000000000000", { name: "Odd" });
    assert.deepEqual(
      await namesOf(project, [
        "quiet",
        "nobody",
        "grace",
        "ada",
        "ada",
        "eu_01a21319-0000-7000-8000-000000000000",
      ]),
      [
        "quiet: null",
        "grace: grace@example.com",
        "ada: Ada Lovelace",
        "eu_01a21319-0000-7000-8000-000000000000: Odd",
      ],
    );
    await setSettings(house, project, { "users.nameTrait": "nickname" });
    assert.deepEqual(await namesOf(project, ["ada", "grace"]), ["ada: Countess", "grace: grace@example.com"]);
    const found = await project.agent.findUsers({ body: { q: "countess" } });
    assert.deepEqual(
      found.users.map(({ externalUserId, name, by }) => [externalUserId, name, by]),
      [["ada", "Countess", "name"]],
      "what a user is called finds the user",
    );
    await project.api.eraseUser({ path: { id: "ada" } });
    assert.deepEqual(await namesOf(project, ["ada", user.id]), []);
  });

  it("answers viewers, for users of their own project only, up to 200 at once", async () => {
    const [mine, other] = [await house.project(), await house.project()];
    await identify(other, "ada", { name: "Ada" });
    const { user } = await other.api.getUser({ path: { id: "ada" } });
    assert.deepEqual(await namesOf(mine, ["ada", user.id]), []);
    const viewer = await makePerson(house);
    await giveRole(house, other.projectId, viewer, "viewer");
    const path = "/api/v1/users/names";
    const seen = await askAs(house, viewer, other.projectId, ["POST", path, { userIds: ["ada"] }]);
    assert.deepEqual([seen.status, (seen.body.users as unknown[]).length], [200, 1]);
    assert.notEqual(
      (await askAs(house, viewer, mine.projectId, ["POST", path, { userIds: ["ada"] }])).status,
      200,
    );
    const many = Array.from({ length: 200 }, (_, index) => `${"🎯".repeat(120)}${index}`);
    await identify(other, many[199] ?? "", { name: "Last" });
    assert.deepEqual(await namesOf(other, many), [`${many[199]}: Last`]);
    for (const userIds of [[], [...many, "one more"], [""], ["a\0b"], ["x".repeat(257)], "ada", [7]]) {
      const refused = await refusal(other.agent.listUserNames({ body: { userIds: userIds as string[] } }));
      assert.match(refused.error, /^userIds/, JSON.stringify(userIds).slice(0, 40));
    }
    assert.equal((await refusal(other.sdk.listUserNames({ body: { userIds: ["ada"] } }))).status, 403);
  });
});

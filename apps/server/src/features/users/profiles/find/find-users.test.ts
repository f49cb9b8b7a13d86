import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { launchEmail, sendingProject } from "../../../../../test/email.ts";
import { refusal, type TestProject, testHouse } from "../../../../../test/harness.ts";
import { type SmtpPeer, startSmtp } from "../../../../../test/peers/smtp.ts";
import { defaultLimits } from "../../../../platform/limits.ts";
import { MINUTE_MS } from "../../../../platform/time/clock.ts";

const AMONG = 40;
const house = testHouse({ limits: { ...defaultLimits, usersSearched: AMONG } });
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());

const find = ({ agent }: TestProject, q: string) => agent.findUsers({ body: { q } });

/** The users who are found, each as `id by what`. */
const foundAs = async (project: TestProject, q: string): Promise<string[]> =>
  (await find(project, q)).users.map(({ externalUserId, by }) => `${externalUserId} by ${by}`);

async function people(project: TestProject, users: Readonly<Record<string, Record<string, unknown>>>) {
  for (const [userId, traits] of Object.entries(users)) {
    house.advance(1);
    await project.api.identify({ body: { userId, traits } });
  }
}

describe("findUsers", () => {
  it("finds who is meant by an id, an address or a name, or by a part of them", async () => {
    const project = await house.project();
    await people(project, {
      "cust-10330-0p": { first_name: "Claire", last_name: "Moreau", email: "Claire.Moreau@example.com" },
      "cust-10331-0p": { firstName: "Émile", lastName: "Moreau", email: "emile@example.com" },
      "cust-2": { name: 'Ada "Countess" Lovelace', plan: "moreau" },
      "50%_off": { name: "赤 🔴" },
    });
    const { user } = await project.api.getUser({ path: { id: "cust-2" } });
    for (const [q, expected] of [
      ["cust-2", ["cust-2 by id"]],
      [user.id, ["cust-2 by id"]],
      [" cust-2\n", ["cust-2 by id"]],
      ["CUST-1033", ["cust-10331-0p by id", "cust-10330-0p by id"]],
      ["claire.moreau@EXAMPLE.com", ["cust-10330-0p by email"]],
      ["emile@", ["cust-10331-0p by email"]],
      ["claire moreau", ["cust-10330-0p by name"]],
      ["Moreau, Émile", ["cust-10331-0p by name"]],
      ["countess", ["cust-2 by name"]],
      ["赤", ["50%_off by name"]],
      ["%_", ["50%_off by id"]],
      ["cust Lovelace", ["cust-2 by id"]],
      ["pl_n", []],
      ["plan", []],
      ["  ", []],
      ["nobody@example.com", []],
      ["\\", []],
    ] as const)
      assert.deepEqual(await foundAs(project, q), expected, q);
    const [claire] = (await find(project, "claire")).users;
    const { id } = (await project.api.getUser({ path: { id: "cust-10330-0p" } })).user;
    assert.deepEqual(claire, {
      id,
      externalUserId: "cust-10330-0p",
      name: "Claire Moreau",
      email: "Claire.Moreau@example.com",
      isVisitor: false,
      by: "name",
    });
  });

  it("puts the exact one first, answers five, and says that there are more", async () => {
    const project = await house.project();
    await people(project, {
      first: { email: "jo@example.com" },
      ...Object.fromEntries(
        Array.from({ length: 6 }, (_, n) => [`jo-${n}`, { email: `jo@example.com.${n}` }]),
      ),
    });
    const { users, more, searchedAll } = await find(project, "JO@example.com");
    assert.deepEqual(
      users.map(({ externalUserId }) => externalUserId),
      ["first", "jo-5", "jo-4", "jo-3", "jo-2"],
    );
    assert.deepEqual([more, searchedAll], [true, true]);
    assert.equal((await find(project, "jo-3")).more, false);
  });

  it("looks for parts among the newest alone, and for ids and addresses of mail among all", async () => {
    const project = await sendingProject(house, smtp.port);
    await people(project, { old: { email: "Old@example.com", name: "Olga" } });
    await launchEmail(project);
    house.advance(MINUTE_MS);
    await house.drain();
    const crowd = Array.from({ length: AMONG }, (_, n) => ({ userId: `user-${n}`, traits: {} }));
    house.advance(1);
    await project.api.identifyBatch({ body: { users: crowd } });
    assert.deepEqual(
      [await foundAs(project, "olga"), (await find(project, "olga")).searchedAll],
      [[], false],
    );
    assert.deepEqual(await foundAs(project, "old"), ["old by id"]);
    assert.deepEqual(await foundAs(project, "OLD@example.com"), ["old by email"]);
    await people(project, { old: { email: "new@example.com" } });
    assert.deepEqual(await foundAs(project, "old@example.com"), [], "an address that the user had before");
  });

  it("shows users of its own project only, and refuses what cannot be looked for", async () => {
    const [mine, other] = [await house.project(), await house.project()];
    await people(other, { ada: { email: "ada@example.com" } });
    const { user } = await other.api.getUser({ path: { id: "ada" } });
    for (const q of ["ada", "ada@example.com", user.id])
      assert.deepEqual(await find(mine, q), { users: [], more: false, searchedAll: true });
    for (const q of ["", "a\0b", "x".repeat(321)])
      assert.match((await refusal(find(mine, q))).error, /^q must/, q.slice(0, 20));
    assert.equal((await refusal(mine.sdk.findUsers({ body: { q: "ada" } }))).status, 403);
  });
});

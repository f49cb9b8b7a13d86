import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createClient } from "@tidings/client";
import { askAs } from "../../../../test/asking.ts";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";
import { giveRole, makePerson, type TestPerson } from "../../../../test/people.ts";
import { idOfKey } from "../../../../test/people-world.ts";
import { keepSecrets } from "../../../../test/secrets/secrets-of-the-run.ts";

const house = testHouse();
const PATH = "/api/people/keys";
/** Within this time a change of keys is felt everywhere. */
const BELIEVED_MS = 5_000;
const MINUTE_MS = 60_000;

type Listed = { id: string; kind: string; ending: string | null; expiresAt: number | null; isLent: boolean };

async function owned(): Promise<{ project: TestProject; owner: TestPerson }> {
  const project = await house.project();
  const owner = await makePerson(house);
  await giveRole(house, project.projectId, owner, "owner");
  return { project, owner };
}

async function keysOf({ projectId }: TestProject, owner: TestPerson, kind: string): Promise<Listed[]> {
  const { body } = await askAs(house, owner, projectId, ["GET", PATH]);
  return (body.keys as Listed[]).filter((key) => key.kind === kind);
}

/** The key in an answer. */
function keyIn({ status, body }: { status: number; body: Record<string, unknown> }): string {
  assert.equal(status, 201, JSON.stringify(body));
  keepSecrets(String(body.key));
  return String(body.key);
}

const rotate = (owner: TestPerson, { projectId }: TestProject, kind: string, graceMinutes: number) =>
  askAs(house, owner, projectId, ["POST", `${PATH}/${kind}/rotate`, { graceMinutes }]);
const make = (owner: TestPerson, { projectId }: TestProject, kind: string, headers = {}) =>
  askAs(house, owner, projectId, ["POST", PATH, { kind }], headers);
const revoke = (owner: TestPerson, { projectId }: TestProject, id: string) =>
  askAs(house, owner, projectId, ["DELETE", `${PATH}/${id}`]);

/** 200, or the status of the refusal. */
async function statusWith(key: string): Promise<number> {
  const asking = createClient(house.url, key).listCampaigns();
  return asking.then(
    () => 200,
    async () => (await refusal(asking)).status,
  );
}

describe("the keys of a project", () => {
  it("are listed by kind, never as they are but where they are publishable", async () => {
    const { project, owner } = await owned();
    const { text, body } = await askAs(house, owner, project.projectId, ["GET", PATH]);
    const { secretKey, agentKey, publishableKey } = project;
    assert.ok(!text.includes(secretKey) && !text.includes(agentKey));
    const shown = { createdAt: house.now(), expiresAt: null, isLent: false };
    const shownKey = (kind: string, key: string) => ({
      id: idOfKey(key),
      kind,
      ending: key.slice(-4),
      ...shown,
      publishableKey: kind === "publishable" ? key : null,
    });
    assert.deepEqual(body.keys, [
      shownKey("publishable", publishableKey),
      shownKey("secret", secretKey),
      shownKey("agent", agentKey),
    ]);
  });

  for (const [kind, name] of [
    ["secret", "secretKey"],
    ["agent", "agentKey"],
  ] as const)
    it(`of the kind ${kind} are replaced: the former one answers until its grace is over, then 401`, async () => {
      const { project, owner } = await owned();
      const former = project[name];
      const key = keyIn(await rotate(owner, project, kind, 60));
      house.advance(BELIEVED_MS);
      assert.deepEqual([await statusWith(key), await statusWith(former)], [200, 200]);
      house.advance(60 * MINUTE_MS - BELIEVED_MS - 1);
      assert.equal(await statusWith(former), 200);
      house.advance(BELIEVED_MS + 1);
      assert.deepEqual([await statusWith(key), await statusWith(former)], [200, 401]);
      assert.deepEqual(
        (await keysOf(project, owner, kind)).map(({ ending }) => ending),
        [key.slice(-4)],
      );
    });

  it("of the kind send are made when they are needed, listed, replaced and revoked as others", async () => {
    const { project, owner } = await owned();
    assert.deepEqual(await keysOf(project, owner, "send"), []);
    const first = keyIn(await make(owner, project, "send"));
    assert.match(first, /^pk_send_[0-9A-Za-z]{32}$/);
    const { text } = await askAs(house, owner, project.projectId, ["GET", PATH]);
    assert.ok(!text.includes(first));
    // Known where others answer, and refused: it may not list campaigns.
    assert.equal(await statusWith(first), 403);
    const second = keyIn(await rotate(owner, project, "send", 60));
    house.advance(BELIEVED_MS);
    assert.deepEqual([await statusWith(first), await statusWith(second)], [403, 403]);
    house.advance(60 * MINUTE_MS);
    assert.deepEqual([await statusWith(first), await statusWith(second)], [401, 403]);
    assert.deepEqual(
      (await keysOf(project, owner, "send")).map(({ ending, isLent }) => [ending, isLent]),
      [[second.slice(-4), false]],
    );
    assert.equal((await revoke(owner, project, idOfKey(second))).status, 204);
    house.advance(BELIEVED_MS);
    assert.equal(await statusWith(second), 401);
    assert.equal(await statusWith(project.secretKey), 200);
  });

  it("of the publishable kind are replaced as well, and lists of projects show the new one", async () => {
    const { project, owner } = await owned();
    const key = keyIn(await rotate(owner, project, "publishable", 0));
    house.advance(BELIEVED_MS);
    await createClient(house.url, key).identify({ body: { userId: "ada" } });
    assert.equal((await refusal(project.sdk.identify({ body: { userId: "ada" } }))).status, 401);
    const further = keyIn(await make(owner, project, "publishable"));
    const { body } = await askAs(house, owner, "-", ["GET", "/api/people/me"]);
    const mine = body.projects as { publishableKey: string }[];
    assert.equal(mine.length, 1);
    assert.ok([key, further].includes(mine[0]?.publishableKey ?? ""));
  });

  it("never get a longer life from another rotation", async () => {
    const { project, owner } = await owned();
    await rotate(owner, project, "secret", 10);
    const until = house.now() + 10 * MINUTE_MS;
    const second = keyIn(await rotate(owner, project, "secret", 1_440));
    keyIn(await rotate(owner, project, "secret", 1_440));
    const ends = (await keysOf(project, owner, "secret")).map(({ expiresAt }) => expiresAt);
    const tomorrow = house.now() + 1_440 * MINUTE_MS;
    assert.deepEqual(ends, [null, tomorrow, tomorrow, until]);
    await rotate(owner, project, "secret", 0);
    house.advance(BELIEVED_MS);
    assert.deepEqual([await statusWith(second), await statusWith(project.secretKey)], [401, 401]);
  });

  it("are made beside each other and revoked one by one", async () => {
    const { project, owner } = await owned();
    const key = keyIn(await make(owner, project, "secret"));
    assert.deepEqual([await statusWith(key), await statusWith(project.secretKey)], [200, 200]);
    assert.equal((await revoke(owner, project, idOfKey(project.secretKey))).status, 204);
    house.advance(BELIEVED_MS);
    assert.deepEqual([await statusWith(key), await statusWith(project.secretKey)], [200, 401]);
    assert.equal((await revoke(owner, project, idOfKey(project.secretKey))).status, 404);
  });

  it("of another project are not there", async () => {
    const { project, owner } = await owned();
    const { project: other } = await owned();
    assert.equal((await revoke(owner, project, idOfKey(other.secretKey))).status, 404);
    house.advance(BELIEVED_MS);
    assert.equal(await statusWith(other.secretKey), 200);
  });

  for (const [kind, first] of [
    ["agent", 1],
    ["send", 0],
  ] as const)
    it(`of the kind ${kind} are no more than twenty, however many are asked for at once`, async () => {
      const { project, owner } = await owned();
      const answers = await Promise.all(Array.from({ length: 22 }, () => make(owner, project, kind)));
      for (const { status, body } of answers) if (status === 201) keepSecrets(String(body.key));
      assert.equal(answers.filter(({ status }) => status === 201).length, 20 - first);
      const refused = answers.filter(({ status }) => status !== 201);
      for (const { status, body } of refused)
        assert.deepEqual([status, body.error], [409, `There are 20 ${kind} keys already: revoke one first.`]);
      assert.equal((await keysOf(project, owner, kind)).length, 20);
    });

  it("are replaced once where two people ask at once, or one after the other, and one key stays", async () => {
    const { project, owner } = await owned();
    const answers = await Promise.all([1, 2, 3].map(() => rotate(owner, project, "secret", 0)));
    answers.map(keyIn);
    assert.equal((await keysOf(project, owner, "secret")).length, 1);
  });

  it("refuse a grace that is none, and kinds that there are not", async () => {
    const { project, owner } = await owned();
    for (const graceMinutes of [-1, 43_201, 0.5, "60", null])
      assert.equal((await rotate(owner, project, "secret", graceMinutes as number)).status, 400);
    assert.equal((await rotate(owner, project, "none", 0)).status, 400);
    assert.equal((await make(owner, project, "none")).status, 400);
    assert.equal((await keysOf(project, owner, "secret")).length, 1);
  });

  it("come again for the same Idempotency-Key; neither that record nor the audit log has them", async () => {
    const { project, owner } = await owned();
    const first = await make(owner, project, "secret", { "idempotency-key": "once" });
    const key = keyIn(first);
    const again = await make(owner, project, "secret", { "idempotency-key": "once" });
    assert.deepEqual([again.text, again.headers.get("idempotent-replayed")], [first.text, "true"]);
    await rotate(owner, project, "secret", 5);
    await revoke(owner, project, idOfKey(key));
    const { rows } = await house.database.pool.query<{ operation: string; target: string; detail: object }>(
      "select operation, target, detail from audit_entries where project_id = $1 order by id",
      [project.projectId],
    );
    assert.deepEqual(
      rows.map(({ operation, target }) => [operation, target]),
      [
        ["createKey", "secret"],
        ["rotateKey", "secret"],
        ["revokeKey", "secret"],
      ],
    );
    assert.deepEqual(rows.at(-1)?.detail, { before: { ending: key.slice(-4) } });
    const kept = await house.database.pool.query("select body from idempotency_keys where project_id = $1", [
      project.projectId,
    ]);
    assert.ok(!JSON.stringify([rows, kept.rows]).includes(key));
  });
});

describe("a project", () => {
  it("is made by an operator, works at once, and is renamed by its owner", async () => {
    const operator = await makePerson(house, { role: "owner", isOperator: true });
    const { status, body } = await askAs(house, operator, "-", [
      "POST",
      "/api/people/projects",
      { name: "  Shop 💌 " },
    ]);
    assert.equal(status, 201);
    const { projectId, publishableKey, secretKey, agentKey } = body as unknown as TestProject;
    keepSecrets(secretKey, agentKey);
    assert.deepEqual([await statusWith(secretKey), await statusWith(agentKey)], [200, 200]);
    await createClient(house.url, publishableKey).identify({ body: { userId: "ada" } });
    const owner = await makePerson(house);
    await giveRole(house, projectId, owner, "owner");
    const renamed = await askAs(house, owner, projectId, [
      "PUT",
      "/api/people/project/name",
      { name: "Store" },
    ]);
    assert.equal(renamed.status, 204);
    const me = await askAs(house, owner, "-", ["GET", "/api/people/me"]);
    assert.deepEqual(
      (me.body.projects as { name: string }[]).map(({ name }) => name),
      ["Store"],
    );
    const { rows } = await house.database.pool.query<{ operation: string; detail: object }>(
      "select operation, detail from audit_entries where target = $1 order by id",
      [projectId],
    );
    assert.deepEqual(rows, [
      { operation: "createProject", detail: { fields: ["name"], after: { name: "Shop 💌" } } },
      {
        operation: "renameProject",
        detail: { fields: ["name"], before: { name: "Shop 💌" }, after: { name: "Store" } },
      },
    ]);
    for (const name of ["", " ", "x".repeat(81), "a\nb"])
      assert.equal(
        (await askAs(house, owner, projectId, ["PUT", "/api/people/project/name", { name }])).status,
        400,
      );
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { askAs } from "../../../test/asking.ts";
import { type TestProject, testHouse } from "../../../test/harness.ts";
import { giveRole, makePerson, signedInAgo, type TestPerson } from "../../../test/people.ts";
import { hashOf } from "../../../test/perimeter.ts";
import { keepSecrets } from "../../../test/secrets/secrets-of-the-run.ts";
import { settingGroups } from "../../features.ts";
import { FRESH_MS } from "../../platform/http/admission/admit-person.ts";
import { emailSettings } from "../email/sender/settings.pure.ts";
import { readSettings, settingSealedAs } from "./public.ts";
import { settingsByKey } from "./rules.ts";

const SETTING_KEYS = [...settingsByKey(settingGroups).keys()];
const house = testHouse();
const SMTP = "smtp://ada:hunter2-of-the-mail@[2d00::25]:2525";
keepSecrets("hunter2-of-the-mail");
const PATH = "/api/people/settings";

async function owned(): Promise<{ project: TestProject; owner: TestPerson }> {
  const project = await house.project();
  const owner = await makePerson(house);
  await giveRole(house, project.projectId, owner, "owner");
  return { project, owner };
}

const change = (owner: TestPerson, scope: string, changes: object, more: object = {}) =>
  askAs(house, owner, scope, ["PATCH", PATH, { changes, ...more }]);

type Listed = {
  settings: ({ key: string } & Record<string, unknown>)[];
  newest: number;
  identitySecret: unknown;
};

async function list(owner: TestPerson, scope: string): Promise<Listed> {
  const { status, body } = await askAs(house, owner, scope, ["GET", PATH]);
  assert.equal(status, 200);
  return body as Listed;
}

const one = async (owner: TestPerson, scope: string, key: string) =>
  (await list(owner, scope)).settings.find((setting) => setting.key === key) ?? assert.fail(key);

async function entriesOf(owner: TestPerson) {
  const { rows } = await house.database.pool.query<{ operation: string; detail: object }>(
    "select operation, detail from audit_entries where by_id = $1 and operation <> 'signIn' order by id",
    [owner.id],
  );
  return rows;
}

describe("settings of a project", () => {
  it("are all listed but those of the organization, which are listed there", async () => {
    const { project, owner } = await owned();
    const boss = await makePerson(house, { role: "owner" });
    const keysOf = ({ settings }: Listed) => settings.map(({ key }) => key);
    const isOrganizations = (key: string): boolean => key.startsWith("org.");
    assert.deepEqual(
      keysOf(await list(owner, project.projectId)),
      SETTING_KEYS.filter((key) => !isOrganizations(key)),
    );
    assert.deepEqual(keysOf(await list(boss, "-")), SETTING_KEYS.filter(isOrganizations));
  });

  it("say how they are given, what they are by default, and who changed them last", async () => {
    const { project, owner } = await owned();
    const { projectId } = project;
    const cap = await one(owner, projectId, "email.capMax");
    assert.deepEqual(
      [cap.value, cap.fallback, cap.isDefault, cap.control, cap.lastChange],
      [3, 3, true, { kind: "number", min: 0, max: 1_000 }, null],
    );
    const controls = ["email.trackOpens", "email.provider", "email.postalAddress", "email.from"];
    const kinds = await Promise.all(controls.map((key) => one(owner, projectId, key)));
    assert.deepEqual(
      kinds.map(({ control }) => (control as { kind: string }).kind),
      ["flag", "choice", "lines", "text"],
    );
    const at = house.now();
    assert.equal((await change(owner, projectId, { "email.capMax": "5" })).status, 200);
    house.advance(60_000);
    const changed = await one(owner, projectId, "email.capMax");
    assert.deepEqual(
      [changed.value, changed.isDefault, changed.lastChange],
      [5, false, { by: owner.name, at }],
    );
    assert.equal((await change(owner, projectId, { "email.capMax": "" })).status, 200);
    const back = await one(owner, projectId, "email.capMax");
    assert.deepEqual(
      [back.value, back.isDefault, back.lastChange],
      [3, true, { by: owner.name, at: house.now() }],
    );
  });

  it("change all at once or not at all, with the log and one audit entry", async () => {
    const { project, owner } = await owned();
    const { projectId } = project;
    const { status, body } = await change(owner, projectId, {
      "email.capMax": "5",
      "email.trackOpens": "false",
      "email.capHours": "24",
    });
    assert.equal(status, 200);
    const at = house.now();
    assert.deepEqual(body.changed, [
      { key: "email.capMax", before: null, after: 5, by: owner.name, at },
      { key: "email.trackOpens", before: null, after: false, by: owner.name, at },
      { key: "email.capHours", before: null, after: 24, by: owner.name, at },
    ]);
    const refused = await change(owner, projectId, { "email.perMinute": "9", "email.capMax": "1001" });
    assert.deepEqual(
      [refused.status, refused.body],
      [400, { error: "email.capMax must be a whole number from 0 to 1000" }],
    );
    assert.equal((await one(owner, projectId, "email.perMinute")).value, null);
    const log = await askAs(house, owner, projectId, ["GET", `${PATH}/log?limit=2`]);
    const changes = log.body.changes as { key: string; id: number }[];
    assert.deepEqual(
      changes.map(({ key }) => key),
      ["email.capHours", "email.trackOpens"],
    );
    const older = await askAs(house, owner, projectId, [
      "GET",
      `${PATH}/log?before=${String(log.body.next)}`,
    ]);
    assert.deepEqual(
      [(older.body.changes as { key: string }[]).map(({ key }) => key), older.body.next],
      [["email.capMax"], null],
    );
    const [entry, ...more] = await entriesOf(owner);
    assert.deepEqual(more, []);
    assert.deepEqual(entry, {
      operation: "changePeopleSettings",
      detail: {
        fields: ["changes"],
        after: ["email.capMax", "email.trackOpens", "email.capHours"],
      },
    });
  });

  it("keep secrets sealed, and show them nowhere: list, log, audit log, refusals", async () => {
    const { project, owner } = await owned();
    const { projectId } = project;
    const { kysely } = house.database;
    const { secrets } = house.tidings.app;
    const answers = [
      (await change(owner, projectId, { "email.smtpUrl": SMTP })).text,
      (await change(owner, projectId, { "email.smtpUrl": `${SMTP} `, "email.capMax": "x" })).text,
      (await change(owner, projectId, { [SMTP]: "1" })).text,
      JSON.stringify(await list(owner, projectId)),
      (await askAs(house, owner, projectId, ["GET", `${PATH}/log`])).text,
      JSON.stringify(await entriesOf(owner)),
    ];
    assert.doesNotMatch(answers.join("\n"), /hunter2/);
    const shown = await one(owner, projectId, "email.smtpUrl");
    assert.deepEqual([shown.value, shown.isSecret, shown.isDefault], ["set", true, false]);
    assert.equal((await readSettings(kysely, secrets, projectId, emailSettings))["email.smtpUrl"], SMTP);
    const { sealed } = await kysely
      .selectFrom("settings")
      .select("sealed")
      .where("projectId", "=", projectId)
      .executeTakeFirstOrThrow();
    assert.equal(secrets.open(sealed ?? Buffer.alloc(0), settingSealedAs(projectId, "email.smtpUrl")), SMTP);
  });

  it("refuse what another person changed after it was seen, and take it once it was", async () => {
    const { project, owner } = await owned();
    const { projectId } = project;
    const other = await makePerson(house, { role: "owner" });
    const { newest } = await list(owner, projectId);
    await change(other, projectId, { "email.capMax": "7" });
    const late = await change(
      owner,
      projectId,
      { "email.capMax": "5", "email.capHours": "9" },
      { seen: newest },
    );
    assert.deepEqual(
      [late.status, late.body],
      [409, { error: `email.capMax was changed by ${other.name} meanwhile: look at it, and save again` }],
    );
    assert.equal((await change(owner, projectId, { "email.capHours": "9" }, { seen: newest })).status, 200);
    const seen = (await list(owner, projectId)).newest;
    assert.equal((await change(owner, projectId, { "email.capMax": "5" }, { seen })).status, 200);
  });

  it("ask for a sign-in of the last ten minutes", async () => {
    const { project, owner } = await owned();
    await signedInAgo(house, owner, FRESH_MS);
    const { status, body } = await change(owner, project.projectId, { "email.capMax": "5" });
    assert.deepEqual([status, body.reason], [403, "confirm"]);
    assert.equal((await one(owner, project.projectId, "email.capMax")).value, 3);
  });

  it("send the key of a model to no other host than the one for which it was given", async () => {
    const { project, owner } = await owned();
    const { projectId } = project;
    keepSecrets("model-key-of-ada");
    const key = { "agent.modelKey": "model-key-of-ada" };
    const modelAt = (host: string) => ({ "agent.modelUrl": `https://${host}/v1` });
    assert.equal((await change(owner, projectId, { ...modelAt("[2d00::1]"), ...key })).status, 200);
    for (const host of ["[2d00::2]", "[2d00::1]:8443"]) {
      const { status, text, body } = await change(owner, projectId, modelAt(host));
      assert.equal(status, 400);
      assert.match(String(body.error), /^agent\.modelKey must be given again, or cleared/);
      assert.doesNotMatch(text, /model-key-of-ada/);
    }
    assert.equal((await change(owner, projectId, { "agent.modelUrl": "https://[2d00::1]/v2" })).status, 200);
    assert.equal((await change(owner, projectId, { "agent.modelUrl": "" })).status, 200);
    assert.equal((await change(owner, projectId, modelAt("[2d00::2]"))).status, 400, "nor in two steps");
    assert.equal((await change(owner, projectId, { ...modelAt("[2d00::2]"), ...key })).status, 200);
    assert.equal(
      (await change(owner, projectId, { ...modelAt("[2d00::3]"), "agent.modelKey": "" })).status,
      200,
    );
    assert.equal((await change(owner, projectId, modelAt("[2d00::4]"))).status, 200, "there is no key");
  });

  it("lead owners to nothing in the server's own network; operators may say so", async () => {
    const { project, owner } = await owned();
    const { projectId } = project;
    const operator = await makePerson(house, { role: "owner", isOperator: true });
    for (const [key, value] of [
      ["agent.modelUrl", "http://127.0.0.1:1/v1"],
      ["agent.modelUrl", "https://10.0.0.5/v1"],
      ["agent.modelUrl", "https://localhost/v1"],
      ["agent.modelUrl", "https://a.localhost/v1"],
      ["agent.modelUrl", "https://[::7f00:1]/v1"],
      ["email.smtpUrl", "smtp://169.254.169.254:80"],
      ["email.smtpUrl", "smtp://mail"],
      ["email.smtpUrl", "smtp://a.localhost.:25"],
      ["email.smtpUrl", "smtps://[fd00::1]"],
    ] as const) {
      const { status, body } = await change(owner, projectId, { [key]: value, "email.capMax": "9" });
      const error = `${key} leads to this server or its network: an operator has to set it.`;
      assert.deepEqual([status, body.error], [403, error], value);
      assert.equal((await change(operator, projectId, { [key]: value })).status, 200, value);
      assert.equal((await change(owner, projectId, { [key]: value })).status, 200, "it stays as it is");
      assert.equal((await change(operator, projectId, { [key]: "" })).status, 200);
    }
    const typed = await change(owner, projectId, { "email.smtpUrl": "smtp://nowhere.invalid" });
    assert.notEqual(typed.status, 200, "nor to a name that leads nowhere");
    assert.equal((await one(owner, projectId, "email.capMax")).value, 3);
  });

  it("have a domain marked as verified by operators, or for a mail server of the project", async () => {
    const { project, owner } = await owned();
    const { projectId } = project;
    const mark = { "email.domainVerified": "acme.example" };
    const refused = await change(owner, projectId, mark);
    assert.match(String(refused.body.error), /^email\.domainVerified is set by hand by operators/);
    assert.equal(refused.status, 403);
    assert.equal((await change(owner, projectId, { "email.smtpUrl": SMTP })).status, 200);
    assert.equal((await change(owner, projectId, mark)).status, 200);
    const { body } = await change(owner, projectId, { "email.smtpUrl": "" });
    assert.deepEqual(
      (body.changed as { key: string }[]).map(({ key }) => key),
      ["email.smtpUrl", "email.domainVerified"],
    );
    const operator = await makePerson(house, { role: "owner", isOperator: true });
    assert.equal((await change(operator, projectId, mark)).status, 200);
  });

  it("are changed by one of many who saw the same", async () => {
    const { project, owner } = await owned();
    const { projectId } = project;
    const { newest } = await list(owner, projectId);
    const answers = await Promise.all(
      [11, 12, 13, 14].map((cap) =>
        change(owner, projectId, { "email.capMax": String(cap) }, { seen: newest }),
      ),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409]);
    assert.deepEqual(await house.differences(projectId), {});
  });

  it("refuse what is none, too much, or the organization's", async () => {
    const { project, owner } = await owned();
    const { projectId } = project;
    const bad: [object, RegExp][] = [
      [{ "email.nonsense": "1" }, /^email\.nonsense is not a setting/],
      [{ "org.spendCapUsd": "1" }, /^org\.spendCapUsd belongs to the organization/],
      [{ "email.from": "ada\u2028@b.example" }, /^email\.from must be an address/],
      [{ "email.postalAddress": "💌".repeat(501) }, /^email\.postalAddress must be 1 to 500 characters/],
      [{ "ai.prices": "x".repeat(20_001) }, /must be at most 20000 characters/],
      [{ "email.capMax": 5 }, /must be/],
      [{ "identity.required": "true" }, /^identity\.required needs an identity secret first/],
      [
        Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`a.b${index}`, ""])),
        /1 to 100 settings/,
      ],
    ];
    for (const [changes, error] of bad) {
      const { status, body } = await change(owner, projectId, changes);
      assert.equal(status, 400, JSON.stringify(body));
      assert.match(String(body.error), error);
    }
    assert.deepEqual(await entriesOf(owner), []);
    const boss = await makePerson(house, { role: "owner" });
    const misplaced = await change(boss, "-", { "email.capMax": "1" });
    assert.match(String(misplaced.body.error), /^email\.capMax belongs to a project/);
  });
});

describe("settings of the organization", () => {
  it("are changed under all projects, with rules that look at each other", async () => {
    const boss = await makePerson(house, { role: "owner" });
    const half = await change(boss, "-", { "org.periodStart": "2026-01-01" });
    assert.match(String(half.body.error), /^org\.periodStart and org\.periodEnd must be set/);
    const set = await change(boss, "-", {
      "org.spendCapUsd": "12.50",
      "org.priceTiers": "0.02 to 10000, 0.012",
    });
    assert.equal(set.status, 200);
    assert.equal((await one(boss, "-", "org.spendCapUsd")).value, 12.5);
    const log = await askAs(house, boss, "-", ["GET", `${PATH}/log`]);
    assert.deepEqual(
      (log.body.changes as { key: string; by: string }[]).map(({ key, by }) => [key, by]),
      [
        ["org.priceTiers", boss.name],
        ["org.spendCapUsd", boss.name],
      ],
    );
    assert.equal((await change(boss, "-", { "org.spendCapUsd": "", "org.priceTiers": "" })).status, 200);
  });
});

describe("settings of the organization of a managed server", () => {
  const managed = testHouse({ mode: "managed" });

  it("are changed by operators alone; others may leave them as they are", async () => {
    const [boss, operator] = [
      await makePerson(managed, { role: "owner" }),
      await makePerson(managed, { role: "owner", isOperator: true }),
    ];
    const cap = (person: TestPerson, value: string) =>
      askAs(managed, person, "-", ["PATCH", PATH, { changes: { "org.spendCapUsd": value } }]);
    const refused = await cap(boss, "1000000");
    assert.deepEqual(
      [refused.status, refused.body],
      [403, { error: "org.spendCapUsd is for operators: one of them has to set it." }],
    );
    assert.equal((await cap(operator, "5")).status, 200);
    assert.equal((await cap(boss, "5")).status, 200, "nothing changes");
    assert.equal((await cap(boss, "")).status, 403);
  });
});

describe("the identity secret", () => {
  const ask = (owner: TestPerson, { projectId }: TestProject, body: object, key?: string) =>
    askAs(
      house,
      owner,
      projectId,
      ["POST", `${PATH}/identity-secret`, body],
      key === undefined ? {} : { "idempotency-key": key },
    );

  it("is made on first use, shown, and replaced with a grace period; no log has it", async () => {
    const { project, owner } = await owned();
    const first = await ask(owner, project, {}, "first");
    const secret = String(first.body.secret);
    keepSecrets(secret);
    assert.deepEqual([first.status, first.body.isNew], [200, true]);
    assert.deepEqual((await ask(owner, project, {})).body, { secret, isNew: false });
    await change(owner, project.projectId, { "identity.required": "true" });
    const next = await ask(owner, project, { rotate: true, graceMinutes: 60 });
    const other = String(next.body.secret);
    keepSecrets(other);
    assert.notEqual(other, secret);
    house.advance(6_000);
    const identify = (signedWith: string) =>
      project.sdk.identify({ body: { userId: "ada", userHash: hashOf(signedWith, "ada") } });
    await identify(secret);
    await identify(other);
    const listed = (await list(owner, project.projectId)).identitySecret as { formerUntil: number };
    assert.equal(listed.formerUntil, house.now() - 6_000 + 3_600_000);
    house.advance(3_600_000);
    await assert.rejects(identify(secret), /identif|userHash|prove/i);
    await identify(other);
    const entries = await entriesOf(owner);
    assert.deepEqual(
      entries
        .filter(({ operation }) => operation === "showIdentitySecret")
        .map(({ detail }) => (detail as { after: object }).after),
      [{ secret: "made" }, { secret: "shown" }, { secret: "replaced", graceMinutes: 60 }],
    );
    assert.doesNotMatch(JSON.stringify(entries), new RegExp(`${secret}|${other}`));
  });

  it("comes again for the same Idempotency-Key, which keeps it sealed", async () => {
    const { project, owner } = await owned();
    const first = await ask(owner, project, {}, "again");
    keepSecrets(String(first.body.secret));
    const again = await ask(owner, project, {}, "again");
    assert.deepEqual([again.text, again.headers.get("idempotent-replayed")], [first.text, "true"]);
    const { rows } = await house.database.pool.query<{ body: string }>(
      "select body from idempotency_keys where project_id = $1",
      [project.projectId],
    );
    assert.equal(rows.length, 1);
    assert.ok(!rows.some(({ body }) => body.includes(String(first.body.secret))));
  });
});

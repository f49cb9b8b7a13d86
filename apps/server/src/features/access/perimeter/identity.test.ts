import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { describe, it } from "node:test";
import { install } from "../../../../test/devices.ts";
import { setSettings } from "../../../../test/email.ts";
import { launchCampaign } from "../../../../test/factories.ts";
import { refusal, type TestProject, testClients, testHouse } from "../../../../test/harness.ts";
import { BELIEVED_MS, hashOf, hashUntil, provingProject, secretOf } from "../../../../test/perimeter.ts";
import { createTidings } from "../../../app.ts";
import { createSecrets } from "../../../platform/secrets/secrets.ts";
import { SettingError } from "../../../platform/settings/setting.ts";
import { listSettingChanges } from "../../settings/public.ts";

const house = testHouse();
const HOUR_MS = 3_600_000;

async function unidentified(call: Promise<unknown>): Promise<void> {
  const { status, body } = await refusal(call);
  assert.deepEqual([status, body], [401, { error: "Could not identify user" }]);
}

const isKnown = async ({ api }: TestProject, userId: string): Promise<boolean> =>
  (await api.listUsers()).users.some(({ externalUserId }) => externalUserId === userId);

type Ask = (project: TestProject, userId: string, userHash?: string) => Promise<unknown>;

const proofOf = (userHash: string | undefined) => (userHash === undefined ? {} : { userHash });

/** The operations that name a user with the publishable key, each with a request that succeeds once the user is proven. */
const ASKS: Readonly<Record<string, Ask>> = {
  identify: ({ sdk }, userId, userHash) => sdk.identify({ body: { userId, ...proofOf(userHash) } }),
  getMessages: ({ sdk }, userId, userHash) => sdk.getMessages({ query: { userId, ...proofOf(userHash) } }),
  async sendDeliveryFeedback(project, userId, userHash) {
    const { sdk, api } = project;
    // Listing deliveries needs the secret key, and no proof.
    const { deliveries } = await api.listUserDeliveries({ path: { id: "ada" } });
    const id = deliveries[0]?.id ?? assert.fail("ada has a delivery");
    const feedback = { type: "shown" as const, userId, feedbackId: "f" };
    return sdk.sendDeliveryFeedback({ path: { id }, body: { ...feedback, ...proofOf(userHash) } });
  },
  async setInstallationBinding(project, userId, userHash) {
    const { installationId, headers, read } = await install(project);
    const { bindingGeneration, revision } = await read();
    const body = { requestId: "r", bindingGeneration, revision, userId, ...proofOf(userHash) };
    return project.sdk.setInstallationBinding({ path: { installationId }, headers, body });
  },
};

/** A project that demands proof, with ada, who has a delivery. */
async function provingShop(): Promise<{ project: TestProject; secret: string }> {
  const { project, secret } = await provingProject(house);
  await launchCampaign(project);
  await project.sdk.getMessages({ query: { userId: "ada", userHash: hashOf(secret, "ada") } });
  return { project, secret };
}

for (const [operation, ask] of Object.entries(ASKS)) {
  describe(`${operation} where users have to be proven`, () => {
    it("takes the right hash in both spellings of hex, and in the header", async () => {
      const { project, secret } = await provingShop();
      const right = hashOf(secret, "ada");
      await ask(project, "ada", right);
      await ask(project, "ada", right.toUpperCase());
    });

    it("refuses a missing hash, a wrong one and one of another user", async () => {
      const { project, secret } = await provingShop();
      const right = hashOf(secret, "ada");
      const wrong = [
        undefined,
        "",
        " ",
        right.slice(0, -1),
        right.slice(0, -2),
        `${right}0`,
        `${right}\n`,
        ` ${right}`,
        `0x${right}`,
        right.replace(/./, (first) => (first === "0" ? "1" : "0")),
        right.replace(/.$/, (last) => (last === "0" ? "1" : "0")),
        "g".repeat(64),
        "0".repeat(64),
        "ａ".repeat(64),
        "x".repeat(256),
        Buffer.from(right, "hex").toString("base64"),
        hashOf(secret, "bob"),
        hashOf(secret, "ADA"),
        hashOf(secret, ""),
        hashOf("", "ada"),
        hashOf(project.publishableKey, "ada"),
        hash("sha256", `${secret}ada`),
        hashOf(await secretOf(house, await house.project()), "ada"),
      ];
      for (const userHash of wrong) await unidentified(ask(project, "ada", userHash));
      await unidentified(ask(project, "bob", right));
    });

    it("names the field of a hash that is no text, or no text at all that could be one", async () => {
      const { project } = await provingShop();
      const long = await refusal(ask(project, "ada", "x".repeat(257)));
      assert.deepEqual([long.status, long.error], [400, "userHash must be at most 256 characters"]);
      if (operation === "getMessages") return;
      for (const odd of [1, true, null, ["x"], { a: 1 }]) {
        const { status, error } = await refusal(ask(project, "ada", odd as unknown as string));
        assert.deepEqual([status, error], [400, "userHash must be a string"]);
      }
    });

    it("asks for none, and looks at none, where that is not required", async () => {
      const project = await house.project();
      await launchCampaign(project);
      await project.sdk.getMessages({ query: { userId: "ada" } });
      await ask(project, "ada");
      await ask(project, "ada", "nonsense");
    });
  });
}

describe("a user hash", () => {
  it("in the query twice is refused", async () => {
    const { project, secret } = await provingProject(house);
    const right = hashOf(secret, "ada");
    for (const query of [`userHash=${right}&userHash=${right}`, `userHash=${right}&userHash=`]) {
      const response = await fetch(`${house.url}/api/v1/messages?userId=ada&${query}`, {
        headers: { authorization: `Bearer ${project.publishableKey}` },
      });
      assert.equal(response.status, 400);
      assert.deepEqual(await response.json(), { error: "userHash must be a string" });
    }
  });

  it("may come in the header, where the request itself has none", async () => {
    const { project, secret } = await provingProject(house);
    const { sdk } = project;
    const right = hashOf(secret, "ada");
    const headers = (value: string) => ({ headers: { "X-User-Hash": value } });
    await sdk.identify({ body: { userId: "ada" }, ...headers(right.toUpperCase()) });
    await sdk.getMessages({ query: { userId: "ada" }, ...headers(right) });
    await unidentified(sdk.identify({ body: { userId: "bob" }, ...headers(right) }));
    await unidentified(sdk.identify({ body: { userId: "ada" }, ...headers(`${right}, ${right}`) }));
    await unidentified(sdk.identify({ body: { userId: "ada" }, ...headers("x".repeat(4_000)) }));
    await unidentified(sdk.identify({ body: { userId: "ada", userHash: "no" }, ...headers(right) }));
  });

  it("may have an end, to the millisecond, which nobody else can move", async () => {
    const { project, secret } = await provingProject(house);
    const expires = house.now() + HOUR_MS;
    const identify = (userHash: string, userId = "ada") =>
      project.sdk.identify({ body: { userId, userHash } });
    const right = hashUntil(secret, "ada", expires);
    await identify(right);
    await unidentified(identify(right, "bob"));
    const later = right.replace(String(expires), String(expires + HOUR_MS));
    const wrong = [later, right.slice(0, -1), right.replace("v1", "v2"), right.replace(`${expires}`, "")];
    for (const each of [...wrong, hashUntil(secret, "ada", Math.floor(expires / 1_000))])
      await unidentified(identify(each));
    // A user with a chosen id gets no hash of another user, because the two forms are made of different bytes.
    const chosen = hashOf(secret, `v1.${expires}.ada`);
    for (const each of [`v1.${expires}.${chosen}`, chosen]) await unidentified(identify(each));
    house.advance(HOUR_MS - 1);
    await identify(right);
    house.advance(1);
    await unidentified(identify(right));
    await identify(hashOf(secret, "ada"));
  });

  it("is of the bytes of the id, whatever that looks like", async () => {
    const { project, secret } = await provingProject(house);
    const ids = [
      "42",
      "042",
      "4.2e1",
      "-0",
      "TRUE!",
      "null-1",
      " ada ",
      "Ада",
      "💥🎯",
      "e\u0301",
      "\u00e9",
      "a+b@c.de",
      "ß/?&=#%",
    ];
    for (const userId of [...ids, "x".repeat(256), "💥".repeat(256)]) {
      const userHash = hashOf(secret, userId);
      await project.sdk.identify({ body: { userId, userHash } });
      const answer = await project.sdk.getMessages({ query: { userId, userHash } });
      assert.equal(answer.userId, userId);
      await unidentified(
        project.sdk.identify({ body: { userId: `${[...userId].slice(1).join("")}y`, userHash } }),
      );
    }
    // Two Unicode spellings of one letter are two users, when they are stored and when they are proven.
    await unidentified(
      project.sdk.identify({ body: { userId: "\u00e9", userHash: hashOf(secret, "e\u0301") } }),
    );
  });

  it("that is wrong writes nothing and shows nothing", async () => {
    const { project } = await provingShop();
    const { sdk, api } = project;
    const userHash = "0".repeat(64);
    await unidentified(sdk.getMessages({ query: { userId: "eve", userHash } }));
    await unidentified(sdk.identify({ body: { userId: "eve", traits: { plan: "pro" }, userHash } }));
    const { headers, installationId, read } = await install(project);
    const body = { requestId: "r", bindingGeneration: 0, revision: 0, userId: "eve", userHash };
    await unidentified(sdk.setInstallationBinding({ path: { installationId }, headers, body }));
    assert.equal(await isKnown(project, "eve"), false);
    assert.deepEqual([(await read()).userId, (await read()).revision], [null, 0]);
    const { deliveries } = await api.listUserDeliveries({ path: { id: "ada" } });
    assert.deepEqual(
      deliveries.map(({ state }) => state),
      ["queued"],
    );
  });

  it("is neither kept nor answered", async () => {
    const { project, secret } = await provingShop();
    const right = hashOf(secret, "ada");
    const answers = [];
    for (const ask of Object.values(ASKS)) answers.push(await ask(project, "ada", right));
    assert.ok(!JSON.stringify(answers).includes(right));
    const { rows: tables } = await house.database.pool.query<{ name: string }>(
      "select format('%I.%I', table_schema, table_name) as name from information_schema.tables where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')",
    );
    assert.ok(tables.length > 20);
    for (const { name } of tables) {
      const { rows } = await house.database.pool.query(`select t::text as row from ${name} t`);
      assert.ok(!JSON.stringify(rows).includes(right), name);
      assert.ok(!JSON.stringify(rows).includes(secret), name);
    }
  });
});

describe("who needs no proof", () => {
  it("nobody, whom an app binds when its user signs out", async () => {
    const { project, secret } = await provingProject(house);
    const { sdk } = project;
    const { installationId, headers } = await install(project);
    const bind = (requestId: string, revision: number, userId: string | null, userHash?: string) => {
      const body = { requestId, bindingGeneration: revision, revision, userId, ...proofOf(userHash) };
      return sdk.setInstallationBinding({ path: { installationId }, headers, body });
    };
    assert.equal((await bind("in", 0, "ada", hashOf(secret, "ada"))).installation.userId, "ada");
    assert.equal((await bind("out", 1, null)).installation.userId, null);
  });

  it("a secret key, and an event", async () => {
    const { project } = await provingProject(house);
    await project.sdk.track({ body: { userId: "ada", event: "opened" } });
    await project.api.trackBatch({ body: { events: [{ userId: "bob", event: "opened" }] } });
    assert.equal((await project.api.getUser({ path: { id: "bob" } })).user.externalUserId, "bob");
  });

  it("is not the older form of feedback, which names no user", async () => {
    const { project, secret } = await provingShop();
    const { deliveries } = await project.api.listUserDeliveries({ path: { id: "ada" } });
    const path = { id: deliveries[0]?.id ?? "" };
    await unidentified(project.sdk.sendDeliveryFeedback({ path, body: { type: "shown" } }));
    const userHash = hashOf(secret, "ada");
    await unidentified(project.sdk.sendDeliveryFeedback({ path, body: { type: "shown", userHash } }));
  });
});

it("a repeat of a binding is one, whatever proves it", async () => {
  const { project, secret } = await provingProject(house);
  const { installationId, headers } = await install(project);
  const ask = (userHash: string) => {
    const body = { requestId: "r", bindingGeneration: 0, revision: 0, userId: "ada", userHash };
    return project.sdk.setInstallationBinding({ path: { installationId }, headers, body });
  };
  const first = await ask(hashOf(secret, "ada"));
  const next = await secretOf(house, project, { rotate: true });
  house.advance(BELIEVED_MS);
  assert.deepEqual(await ask(hashOf(next, "ada")), first);
});

describe("the setting", () => {
  it("holds in every process within five seconds, on and off", async () => {
    const project = await house.project();
    const there = await house.elsewhere(project);
    const secret = await secretOf(house, project);
    const ask = ({ sdk }: TestProject) => sdk.identify({ body: { userId: "ada" } });
    for (const each of [project, there]) await ask(each);
    await setSettings(house, project, { "identity.required": "true" });
    house.advance(BELIEVED_MS);
    for (const each of [project, there]) {
      await unidentified(ask(each));
      await ASKS.identify?.(each, "ada", hashOf(secret, "ada"));
    }
    await setSettings(house, project, { "identity.required": "false" });
    house.advance(BELIEVED_MS);
    for (const each of [project, there]) await ask(each);
  });

  it("cannot be turned on before there is a secret", async () => {
    const project = await house.project();
    await assert.rejects(
      setSettings(house, project, { "identity.required": "true", "email.capMax": "5" }),
      (error: unknown) =>
        error instanceof SettingError &&
        error.message ===
          'identity.required needs an identity secret first: make it (Settings in the dashboard, or "tidings identity secret")',
    );
    await setSettings(house, project, { "identity.required": "false" });
    await ASKS.identify?.(project, "ada");
  });
});

describe("an identity secret", () => {
  it("is made once however many ask, is the project's own, and is in the log without its text", async () => {
    const project = await house.project();
    const secrets = await Promise.all(Array.from({ length: 5 }, () => secretOf(house, project)));
    assert.equal(new Set(secrets).size, 1);
    assert.match(secrets[0] ?? "", /^[0-9a-f]{64}$/);
    assert.notEqual(await secretOf(house, await house.project()), secrets[0]);
    await secretOf(house, project, { rotate: true, by: "ada" });
    const log = await listSettingChanges(house.database.kysely, project.projectId);
    assert.deepEqual(
      log.map(({ at: _, ...change }) => change),
      [
        { key: "identity.secret", before: "set", after: "set", by: "ada" },
        { key: "identity.secret", before: null, after: "set", by: "test" },
      ],
    );
    assert.deepEqual(await house.differences(), {});
  });

  it("is believed for its grace after it was replaced, and no longer", async () => {
    const { project, secret: first } = await provingProject(house);
    const ask = (secret: string) =>
      project.sdk.identify({ body: { userId: "ada", userHash: hashOf(secret, "ada") } });
    const second = await secretOf(house, project, { rotate: true, graceMs: 24 * HOUR_MS });
    house.advance(BELIEVED_MS);
    await ask(first);
    await ask(second);
    house.advance(22 * HOUR_MS);
    // Another rotation does not prolong the grace of earlier secrets.
    const third = await secretOf(house, project, { rotate: true, graceMs: 24 * HOUR_MS });
    house.advance(2 * HOUR_MS - BELIEVED_MS - 1);
    await ask(first);
    house.advance(1 + BELIEVED_MS);
    await unidentified(ask(first));
    await ask(second);
    await ask(third);
  });

  it("ends at once, and those before it, where there is to be no grace", async () => {
    const { project, secret: first } = await provingProject(house);
    const ask = (secret: string) =>
      project.sdk.identify({ body: { userId: "ada", userHash: hashOf(secret, "ada") } });
    const second = await secretOf(house, project, { rotate: true, graceMs: 24 * HOUR_MS });
    const third = await secretOf(house, project, { rotate: true });
    house.advance(BELIEVED_MS);
    await unidentified(ask(first));
    await unidentified(ask(second));
    await ask(third);
    const { rows } = await house.database.pool.query("select from identity_secrets where project_id = $1", [
      project.projectId,
    ]);
    assert.equal(rows.length, 1);
  });

  it("that cannot be opened proves nobody, and keeps nothing else from working", async () => {
    const { project, secret } = await provingProject(house);
    const { app } = house.tidings;
    const lost = createSecrets(Buffer.alloc(32, "another key"));
    const { config, database, log, clock } = app;
    const tidings = createTidings({ config, database, log, clock, secrets: lost });
    const { sdk, api } = testClients(await tidings.listen(), project);
    try {
      await unidentified(sdk.identify({ body: { userId: "ada", userHash: hashOf(secret, "ada") } }));
      await sdk.track({ body: { userId: "ada", event: "e" } });
      await api.createGoal({ body: { name: "Upgrades" } });
    } finally {
      await tidings.server.close();
    }
  });
});

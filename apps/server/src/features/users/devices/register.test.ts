import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CAPABILITIES, deviceOf, install, newCapability } from "../../../../test/devices.ts";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";
import { installationRef } from "../../../domain/ids.ts";
import { asHouse } from "../../../platform/http/contract/endpoint.ts";
import { authenticateInstallation, findInstallation, type InstallationRow } from "./public.ts";

const house = testHouse();
const URL_OF = "/api/v1/sdk/installations";

const APP = { appId: "com.example.app", platform: "ios" as const, environment: "production" as const };
const fresh = {
  ...APP,
  userId: null,
  bindingGeneration: 0,
  revision: 0,
  tokenRevision: 0,
  hasToken: false,
  permission: "unknown",
  consent: false,
  lastActiveAt: null,
  capabilities: { actions: [], channels: [], richImages: false },
};

type Bootstrap = Parameters<TestProject["sdk"]["bootstrapInstallation"]>[0]["body"];
const bootstrap = ({ sdk }: TestProject, body: Record<string, unknown>) =>
  sdk.bootstrapInstallation({ body: body as Bootstrap });

/** Sends a request without the typed client and answers the response as it came. */
async function ask(
  path: string,
  init: RequestInit,
): Promise<{ status: number; text: string; headers: Headers }> {
  const { status, headers, text } = await fetch(house.url + path, init).then(async (response) => ({
    status: response.status,
    headers: response.headers,
    text: await response.text(),
  }));
  return { status, headers, text };
}

describe("bootstrapInstallation", () => {
  it("makes an installation that nobody uses yet", async () => {
    const project = await house.project();
    const capability = newCapability();
    const answer = await bootstrap(project, { ...APP, installationId: "phone", capability });
    assert.deepEqual(answer, { installation: { ...fresh, id: "phone", createdAt: house.now() } });
    assert.deepEqual(await deviceOf(project, "phone", capability).read(), answer.installation);
  });

  it("answers a repeat with the installation as it is", async () => {
    const project = await house.project();
    const device = await install(project);
    const changed = await device.bind("anna");
    house.advance(1_000);
    const again = await bootstrap(project, { ...APP, ...device, headers: undefined });
    assert.deepEqual(again.installation, changed);
    assert.equal((await project.api.listInstallations()).total, 1);
  });

  it("refuses the same id with anything else", async () => {
    const project = await house.project();
    const { installationId, capability } = await install(project);
    const same = { ...APP, installationId, capability };
    for (const other of [
      { capability: newCapability() },
      { capability: `${capability}A` },
      { appId: "com.example.App" },
      { platform: "android" },
      { environment: "development" },
    ]) {
      const { status, error, body } = await refusal(bootstrap(project, { ...same, ...other }));
      assert.equal(status, 409);
      assert.equal(error, "installationId is in use, with another capability, app, platform or environment");
      assert.deepEqual(Object.keys(body as object), ["error"]);
    }
    assert.deepEqual((await bootstrap(project, same)).installation.revision, 0);
  });

  it("makes one of many that come at once, whoever brings which capability", async () => {
    const project = await house.project();
    const capabilities = [newCapability(), newCapability()];
    const calls = Array.from({ length: 40 }, (_, i) =>
      bootstrap(project, { ...APP, installationId: "phone", capability: capabilities[i % 2] }),
    );
    const outcomes = await Promise.allSettled(calls);
    const won = outcomes.map(({ status }) => status === "fulfilled");
    assert.equal(won.filter(Boolean).length, 20);
    assert.equal(new Set(won.filter((_, i) => i % 2 === 0)).size, 1);
    assert.equal((await project.api.listInstallations()).total, 1);
  });

  it("keeps the same id in two projects apart", async () => {
    const [one, two] = [await house.project(), await house.project()];
    const device = await install(one, { installationId: "phone" });
    const other = await install(two, { installationId: "phone" });
    await device.bind("anna");
    assert.deepEqual([(await device.read()).userId, (await other.read()).userId], ["anna", null]);
    assert.equal((await refusal(deviceOf(two, "phone", device.capability).read())).status, 404);
  });

  it("takes each field at its limits", async () => {
    const project = await house.project();
    for (const body of [
      { installationId: "x", appId: "a", capability: "-".repeat(43) },
      { installationId: "_-aZ9".padEnd(128, "x"), appId: "💥".repeat(256), capability: "_".repeat(128) },
    ]) {
      const { installation } = await bootstrap(project, { ...APP, ...body });
      assert.deepEqual([installation.id, installation.appId], [body.installationId, body.appId]);
    }
  });

  const good = { ...APP, installationId: "phone", capability: "c".repeat(43) };
  const refused: [string, Record<string, unknown>, string][] = [
    ["no id", { installationId: undefined }, "installationId is required"],
    ["an empty id", { installationId: "" }, "installationId must not be empty"],
    [
      "an id of 129 characters",
      { installationId: "x".repeat(129) },
      "installationId must be at most 128 characters",
    ],
    ["an id with a dot", { installationId: "a.b" }, "installationId must be made of A-Z, a-z, 0-9, - and _"],
    [
      "an id with a newline",
      { installationId: "a\n" },
      "installationId must be made of A-Z, a-z, 0-9, - and _",
    ],
    ["an app of 257 emoji", { appId: "💥".repeat(257) }, "appId must be at most 256 characters"],
    ["a platform of another case", { platform: "iOS" }, "platform must be one of ios, android, web"],
    ["another environment", { environment: "test" }, "environment must be one of development, production"],
    ["a short capability", { capability: "c".repeat(42) }, "capability must be at least 43 characters"],
    ["a long capability", { capability: "c".repeat(129) }, "capability must be at most 128 characters"],
    [
      "plain base64",
      { capability: `${"c".repeat(42)}+` },
      "capability must be made of A-Z, a-z, 0-9, - and _",
    ],
    ["padding", { capability: `${"c".repeat(43)}=` }, "capability must be made of A-Z, a-z, 0-9, - and _"],
    ["a capability that is a number", { capability: 5 }, "capability must be a string"],
    [
      "a key too many",
      { userId: "anna" },
      "userId: unknown field, known here are installationId, appId, platform, environment, capability",
    ],
    ["a NUL", { appId: "a\0" }, "appId must not contain NUL characters or unpaired surrogates"],
  ];
  for (const [name, change, message] of refused) {
    it(`refuses ${name}`, async () => {
      const project = await house.project();
      const { status, error } = await refusal(bootstrap(project, { ...good, ...change }));
      assert.deepEqual([status, error], [400, message]);
      assert.equal((await project.api.listInstallations()).total, 0);
    });
  }

  it("cuts a refusal off at 256 characters", async () => {
    const project = await house.project();
    const { status, body } = await refusal(bootstrap(project, { ...good, ["💥".repeat(1_000)]: 1 }));
    const { error } = body as { error: string };
    assert.deepEqual([status, [...error].length, Object.keys(body as object)], [400, 256, ["error"]]);
    assert.ok(error.isWellFormed() && error.startsWith("💥"));
  });
});

describe("the capability", () => {
  it("of another, and an id that is not known, are answered alike", async () => {
    const project = await house.project();
    const [mine, theirs] = [await install(project), await install(project)];
    const elsewhere = await install(await house.project());
    const answers = [
      deviceOf(project, mine.installationId, theirs.capability),
      deviceOf(project, mine.installationId, newCapability()),
      deviceOf(project, "nowhere", mine.capability),
      deviceOf(project, elsewhere.installationId, elsewhere.capability),
    ].map(async (device) => {
      const headers = { ...device.headers, authorization: `Bearer ${project.publishableKey}` };
      const { status, text } = await ask(`${URL_OF}/${device.installationId}`, { headers });
      return { status, text };
    });
    for (const answer of await Promise.all(answers))
      assert.deepEqual(answer, { status: 404, text: '{"error":"Installation not found"}' });
  });

  it("is needed by every change, and none has an effect without it", async () => {
    const project = await house.project();
    const device = await install(project);
    const before = await device.read();
    const thief = deviceOf(project, device.installationId, newCapability());
    const given = { requestId: "r", bindingGeneration: 0, revision: 0, tokenRevision: 0 };
    const sent = { path: { installationId: device.installationId }, headers: thief.headers };
    const { tokenRevision: _, ...guards } = given;
    const facts = { permission: "granted" as const, consent: true, capabilities: CAPABILITIES };
    for (const call of [
      () => project.sdk.setInstallationBinding({ ...sent, body: { ...guards, userId: "anna" } }),
      () => project.sdk.setInstallationFacts({ ...sent, body: { ...guards, ...facts } }),
      () => project.sdk.setInstallationToken({ ...sent, body: { ...given, token: "t" } }),
      () => project.sdk.recordInstallationActivity({ ...sent, body: guards }),
    ])
      assert.deepEqual(await refusal(call()).then(({ status, error }) => [status, error]), [
        404,
        "Installation not found",
      ]);
    assert.deepEqual(await device.read(), before);
    assert.equal((await project.api.listUsers()).total, 0);
  });

  it("is asked for by name, and never repeated", async () => {
    const project = await house.project();
    const { installationId } = await install(project);
    const name = "X-Service-Installation-Capability";
    const cases: [Record<string, string>, string][] = [
      [{}, `${name} is required`],
      [{ [name]: "" }, `${name} must be at least 43 characters`],
      [{ [name]: "secret" }, `${name} must be at least 43 characters`],
      [{ [name]: "s".repeat(129) }, `${name} must be at most 128 characters`],
      [{ [name]: `${"s".repeat(42)}.` }, `${name} must be made of A-Z, a-z, 0-9, - and _`],
    ];
    for (const [headers, error] of cases) {
      const authorization = `Bearer ${project.publishableKey}`;
      const answer = await ask(`${URL_OF}/${installationId}`, { headers: { ...headers, authorization } });
      assert.deepEqual([answer.status, JSON.parse(answer.text)], [400, { error }]);
      assert.equal(answer.headers.get("access-control-allow-origin"), "*");
    }
  });

  it("and the token are stored nowhere that an answer shows, the capability nowhere at all", async () => {
    const project = await house.project();
    const device = await install(project);
    await device.bind("anna");
    await device.put("the-token-itself");
    const listed = await project.api.listInstallations();
    assert.doesNotMatch(JSON.stringify([listed, await device.read()]), /the-token-itself|verifier|digest/);
    const tables = ["installations", "installation_acknowledgements", "installation_tokens"];
    for (const table of tables) {
      const { rows } = await house.database.pool.query(`select t::text as row from ${table} t`);
      assert.ok(rows.length > 0);
      const text = JSON.stringify(rows);
      assert.ok(!text.includes(device.capability), table);
      assert.ok(!text.includes(Buffer.from(device.capability).toString("hex")), table);
    }
  });
});

describe("for push", () => {
  it("an installation is found by its id, and shared with whoever proves to be it", async () => {
    const project = await house.project();
    const { projectId } = project;
    const device = await install(project, { installationId: "phone" });
    await device.put("t");
    const { tidings, database } = house;
    const ref = installationRef(projectId, "phone");
    const found: InstallationRow | null = await findInstallation(database.kysely, projectId, ref);
    assert.equal(found?.hasToken, true);
    const ctx = {
      app: tidings.app,
      db: database.kysely,
      projectId,
      ...asHouse("publishable"),
      now: house.now(),
      isProven: () => false,
    };
    const { row } = await authenticateInstallation(ctx, "phone", device.capability);
    assert.deepEqual(row, found);
    assert.equal(await findInstallation(database.kysely, projectId, installationRef(projectId, "no")), null);
    await assert.rejects(authenticateInstallation(ctx, "phone", newCapability()), { code: "not_found" });
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CAPABILITIES, type Device, deviceOf, install, rowOf } from "../../../../test/devices.ts";
import { refusal, testHouse } from "../../../../test/harness.ts";
import { collide } from "../../../../test/waiting.ts";
import { MAX_COUNTER } from "./schema.ts";

const house = testHouse();

const stale = (name: string) => `${name} is not that of the installation; read it again`;

/** The refusal of a change, after which the installation is as it was. */
async function refusedBy(device: Device, change: () => Promise<unknown>): Promise<[number, string]> {
  const before = await device.read();
  const { status, error, body } = await refusal(change());
  assert.deepEqual(Object.keys(body as object), ["error"]);
  assert.deepEqual(await device.read(), before);
  return [status, error];
}

describe("setInstallationBinding", () => {
  it("makes the user known, raises the generation, and takes consent and activity away", async () => {
    const project = await house.project();
    const device = await install(project);
    await device.say();
    await device.put("t");
    const used = await device.use();
    assert.deepEqual([used.consent, used.lastActiveAt, used.hasToken], [true, house.now(), true]);

    const bound = await device.bind("anna");
    const changed = { userId: "anna", bindingGeneration: 1, revision: 4, consent: false, lastActiveAt: null };
    assert.deepEqual(bound, { ...used, ...changed });
    assert.deepEqual(await device.read(), bound);
    const { user } = await project.api.getUser({ path: { id: "anna" } });
    assert.deepEqual([user.traits, user.firstSeenAt], [{}, house.now()]);
    // Binding a device to a user does not make the user active.
    assert.equal((await project.api.getOverview()).endUsers, 1);
    const { rows } = await house.database.pool.query("select from active_users where project_id = $1", [
      project.projectId,
    ]);
    assert.equal(rows.length, 0);

    const unbound = await device.bind(null);
    assert.deepEqual(unbound, { ...bound, userId: null, bindingGeneration: 2, revision: 5 });
  });

  it("to the same user changes nothing but the revision", async () => {
    const device = await install(await house.project());
    await device.bind("anna");
    await device.say();
    const before = await device.use();
    assert.deepEqual(await device.bind("anna"), { ...before, revision: 4 });
    const unbound = await device.bind(null);
    assert.deepEqual(await device.bind(null), { ...unbound, revision: 6 });
  });

  it("leaves a user who is known as they were", async () => {
    const project = await house.project();
    await project.sdk.identify({ body: { userId: "anna", traits: { plan: "pro" } } });
    const { user } = await project.api.getUser({ path: { id: "anna" } });
    house.advance(1_000);
    await (await install(project)).bind("anna");
    assert.deepEqual((await project.api.getUser({ path: { id: "anna" } })).user, user);
  });

  it("takes ids of 1 to 256 characters of any script, and no others", async () => {
    const project = await house.project();
    const device = await install(project);
    for (const userId of ["x", "💥".repeat(256), "アンナ"])
      assert.equal((await device.bind(userId)).userId, userId);
    for (const [userId, error] of [
      ["", "userId must not be empty"],
      ["💥".repeat(257), "userId must be at most 256 characters"],
      ["a\0", "userId must not contain NUL characters or unpaired surrogates"],
    ] as const)
      assert.deepEqual(await refusedBy(device, () => device.bind(userId)), [400, error]);
    const missing = () => device.bind(undefined as unknown as null);
    assert.deepEqual(await refusedBy(device, missing), [400, "userId is required"]);
    assert.equal((await project.api.listUsers()).total, 3);
  });

  it("makes no user when it is refused", async () => {
    const project = await house.project();
    const device = await install(project);
    assert.deepEqual(await refusedBy(device, () => device.bind("anna", { revision: 1 })), [
      409,
      stale("revision"),
    ]);
    assert.equal((await project.api.listUsers()).total, 0);
  });
});

describe("setInstallationFacts", () => {
  it("replaces facts, and leaves user, token and activity", async () => {
    const device = await install(await house.project());
    await device.bind("anna");
    await device.put("t");
    const before = await device.use();
    const facts = { permission: "granted", consent: true, capabilities: CAPABILITIES };
    assert.deepEqual(await device.say(), { ...before, ...facts, revision: 4 });
    const capabilities = { actions: [], channels: [], richImages: false };
    const fewer = { permission: "denied" as const, consent: false, capabilities };
    const after = await device.say(fewer);
    assert.deepEqual(after, { ...before, ...fewer, revision: 5 });
    assert.deepEqual(await device.read(), after);
  });

  const wide = "💥";
  it("takes every list and text at its limit, counted in characters", async () => {
    const device = await install(await house.project());
    const named = (length: number, count: number) =>
      Array.from({ length: count }, (_, i) => wide.repeat(length - 2) + String(i).padStart(2, "0"));
    const capabilities = {
      actions: named(64, 32),
      channels: named(128, 64),
      richImages: true,
      categories: named(128, 16).map((id) => ({
        id,
        actions: ["a", "B", "-", "_".repeat(64)].map((action) => ({ id: action, title: wide.repeat(64) })),
      })),
    };
    assert.deepEqual((await device.say({ capabilities })).capabilities, capabilities);
    assert.deepEqual((await device.read()).capabilities, capabilities);
  });

  const none = { actions: [], channels: [], richImages: false };
  const category = { id: "c", actions: [{ id: "reply", title: "Reply" }] };
  const many = (count: number) => Array.from({ length: count }, (_, i) => `${i}`);
  const twice = "must not have an entry twice";
  const cases: [string, Record<string, unknown>, string][] = [
    ["an action twice", { actions: ["a", "b", "a"] }, `capabilities.actions ${twice}`],
    ["33 actions", { actions: many(33) }, "capabilities.actions must be at most 32 entries"],
    [
      "65 characters",
      { actions: [wide.repeat(65)] },
      "capabilities.actions[0] must be at most 64 characters",
    ],
    ["an empty action", { actions: [""] }, "capabilities.actions[0] must not be empty"],
    ["a channel twice", { channels: [wide, wide] }, `capabilities.channels ${twice}`],
    ["65 channels", { channels: many(65) }, "capabilities.channels must be at most 64 entries"],
    [
      "129 characters",
      { channels: ["x".repeat(129)] },
      "capabilities.channels[0] must be at most 128 characters",
    ],
    ["images of a text", { richImages: "yes" }, "capabilities.richImages must be true or false"],
    ["no images", { richImages: undefined }, "capabilities.richImages is required"],
    ["a category twice", { categories: [category, category] }, `capabilities.categories ${twice}`],
    [
      "17 categories",
      { categories: many(17).map((id) => ({ ...category, id })) },
      "capabilities.categories must be at most 16 entries",
    ],
    [
      "an action of a category twice",
      { categories: [{ id: "c", actions: [category.actions[0], { id: "reply", title: "Other" }] }] },
      `capabilities.categories[0].actions ${twice}`,
    ],
    [
      "five actions of a category",
      { categories: [{ id: "c", actions: many(5).map((id) => ({ id, title: id })) }] },
      "capabilities.categories[0].actions must be at most 4 entries",
    ],
    [
      "an action id with a space",
      { categories: [{ id: "c", actions: [{ id: "a b", title: "x" }] }] },
      "capabilities.categories[0].actions[0].id must be made of A-Z, a-z, 0-9, - and _",
    ],
    [
      "a title of 65 characters",
      { categories: [{ id: "c", actions: [{ id: "a", title: wide.repeat(65) }] }] },
      "capabilities.categories[0].actions[0].title must be at most 64 characters",
    ],
    [
      "a key too many",
      { sound: true },
      "capabilities.sound: unknown field, known here are actions, channels, richImages, categories",
    ],
    ["no categories but null", { categories: null }, "capabilities.categories must be a list"],
  ];
  for (const [name, change, error] of cases) {
    it(`refuses ${name}`, async () => {
      const device = await install(await house.project());
      const capabilities = { ...none, ...change } as typeof none;
      assert.deepEqual(await refusedBy(device, () => device.say({ capabilities })), [400, error]);
    });
  }
  it("lets two categories have the same action", async () => {
    const device = await install(await house.project());
    const capabilities = { ...none, categories: [category, { ...category, id: "d" }] };
    assert.deepEqual((await device.say({ capabilities })).capabilities, capabilities);
  });
  it("refuses facts that are none", async () => {
    const device = await install(await house.project());
    const say = (facts: Record<string, unknown>) => refusedBy(device, () => device.say(facts));
    const permissions = "unknown, not_determined, denied, provisional, granted";
    assert.deepEqual(await say({ permission: "maybe" }), [400, `permission must be one of ${permissions}`]);
    assert.deepEqual(await say({ consent: null }), [400, "consent must be true or false"]);
    assert.deepEqual(await say({ token: "t" }), [
      400,
      "token: unknown field, known here are requestId, bindingGeneration, revision, permission, consent, capabilities",
    ]);
    assert.deepEqual(await say({ capabilities: { ...none, actions: ["x".repeat(262_144)] } }), [
      413,
      "Request body too large: at most 262144 bytes",
    ]);
  });
});

describe("recordInstallationActivity", () => {
  it("keeps the server's time, which never goes back", async () => {
    const device = await install(await house.project());
    const first = await device.use();
    assert.equal(first.lastActiveAt, house.now());
    house.advance(5_000);
    const second = await device.use();
    assert.deepEqual(second, { ...first, revision: 2, lastActiveAt: house.now() });
    house.advance(-3_000);
    assert.deepEqual(await device.use(), { ...second, revision: 3 });
  });
  it("takes no time of the device", async () => {
    const device = await install(await house.project());
    assert.deepEqual(await refusedBy(device, () => device.use({ lastActiveAt: 5 } as object)), [
      400,
      "lastActiveAt: unknown field, known here are requestId, bindingGeneration, revision",
    ]);
  });
});

describe("the guards", () => {
  it("are whole numbers up to 4503599627370495", async () => {
    const device = await install(await house.project());
    for (const name of ["revision", "bindingGeneration"] as const) {
      for (const value of [MAX_COUNTER, 1])
        assert.deepEqual(await refusedBy(device, () => device.use({ [name]: value })), [409, stale(name)]);
      const over = await refusedBy(device, () => device.use({ [name]: MAX_COUNTER + 1 }));
      assert.deepEqual(over, [400, `${name} must be at most 4503599627370495`]);
      for (const value of [-1, 0.5, "0", null, 1e300])
        assert.equal((await refusedBy(device, () => device.use({ [name]: value } as object)))[0], 400);
    }
    const put = (tokenRevision: number) => refusedBy(device, () => device.put("t", { tokenRevision }));
    assert.deepEqual(await put(MAX_COUNTER), [409, stale("tokenRevision")]);
    assert.deepEqual(await put(MAX_COUNTER + 1), [400, "tokenRevision must be at most 4503599627370495"]);
  });
  it("let the last change through, and none after it", async () => {
    const project = await house.project();
    const device = await install(project);
    await house.database.pool.query("update installations set revision = $1 where project_id = $2", [
      MAX_COUNTER - 1,
      project.projectId,
    ]);
    assert.equal((await device.use()).revision, MAX_COUNTER);
    assert.deepEqual(await refusedBy(device, () => device.use()), [409, "revision cannot rise any further"]);
  });
  it("name a request in 1 to 128 characters", async () => {
    const device = await install(await house.project());
    assert.equal((await device.use({ requestId: "💥".repeat(128) })).revision, 1);
    for (const requestId of ["", "💥".repeat(129), "a\0b"])
      assert.equal((await refusedBy(device, () => device.use({ requestId })))[0], 400);
  });
});

describe("among several servers", () => {
  it("of changes with the same guards exactly one wins", async () => {
    const project = await house.project();
    const elsewhere = await house.elsewhere(project);
    const device = await install(project);
    const there = deviceOf(elsewhere, device.installationId, device.capability);
    const calls = Array.from({ length: 16 }, (_, i) => () => {
      const requestId = `one of many ${i}`;
      return (i % 2 === 0 ? device : there).use({ requestId, bindingGeneration: 0, revision: 0 });
    });
    const outcomes = await collide(house, rowOf(device), calls);
    const refused = outcomes.filter((each) => each.status === "rejected").map(({ reason }) => String(reason));
    assert.equal(refused.length, 15);
    assert.deepEqual([...new Set(refused)], [`Error: ${stale("revision")}`]);
    assert.equal((await device.read()).revision, 1);
    assert.deepEqual(await house.differences(), {});
  });
});

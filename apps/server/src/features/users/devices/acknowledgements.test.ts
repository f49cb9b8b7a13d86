import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CAPABILITIES, type Device, deviceOf, install, rowOf } from "../../../../test/devices.ts";
import { refusal, testHouse } from "../../../../test/harness.ts";
import { collide } from "../../../../test/waiting.ts";
import { KEPT_ACKNOWLEDGEMENTS } from "./rules.ts";

const house = testHouse();

const USED = [409, "requestId was used for another request"];
const STALE = [409, "revision is not that of the installation; read it again"];

const refused = (change: Promise<unknown>) => refusal(change).then(({ status, error }) => [status, error]);

const NONE = { actions: [], channels: [], richImages: false };

/** Makes a change of every kind, each with all of its guards, so that it can be repeated exactly. */
async function lived(device: Device) {
  const acts = [
    (given: object) => device.bind("anna", given),
    (given: object) => device.say({}, given),
    (given: object) => device.put("one", given),
    (given: object) => device.use(given),
    (given: object) => device.bind("ben", given),
    (given: object) => device.say({ permission: "denied", consent: false, capabilities: NONE }, given),
    (given: object) => device.bind("ben", given),
    (given: object) => device.put("two", given),
    (given: object) => device.bind(null, given),
    (given: object) => device.put(null, given),
    (given: object) => device.say({ capabilities: CAPABILITIES }, given),
    (given: object) => device.bind("anna", given),
  ];
  const done = [];
  for (const [i, act] of acts.entries()) {
    house.advance(1_000);
    const { bindingGeneration, revision, tokenRevision } = await device.read();
    const given = { requestId: `act ${i}`, bindingGeneration, revision };
    const body = i === 2 || i === 7 || i === 9 ? { ...given, tokenRevision } : given;
    done.push({ again: () => act(body), answer: await act(body) });
  }
  return done;
}

describe("a request that is repeated", () => {
  it("is answered what it was answered first, and changes nothing", async () => {
    const project = await house.project();
    const device = await install(project);
    const done = await lived(device);
    const now = await device.read();
    assert.equal(new Set(done.map(({ answer }) => JSON.stringify(answer))).size, done.length);
    house.advance(60_000);
    for (const { again, answer } of [...done, ...done.toReversed()]) assert.deepEqual(await again(), answer);
    assert.deepEqual(await device.read(), now);
    assert.deepEqual(await house.differences(), {});
  });

  it("with another body is refused, whatever its guards say", async () => {
    const device = await install(await house.project());
    const given = { requestId: "r", bindingGeneration: 0, revision: 0 };
    const bound = await device.bind("anna", given);
    assert.deepEqual(await refused(device.bind("ben", given)), USED);
    assert.deepEqual(await refused(device.bind(null, given)), USED);
    assert.deepEqual(await refused(device.bind("anna", { requestId: "r" })), USED);
    assert.deepEqual(await refused(device.use({ requestId: "r" })), USED);
    assert.deepEqual(await device.read(), bound);
  });

  it("is the same whatever the order of its keys, and another in another operation", async () => {
    const project = await house.project();
    const device = await install(project);
    const path = { installationId: device.installationId };
    const { headers } = device;
    const body = {
      requestId: "r",
      bindingGeneration: 0,
      revision: 0,
      permission: "granted" as const,
      consent: true,
    };
    const [one, other] = [
      { ...body, capabilities: { actions: ["a"], channels: [], richImages: true } },
      { capabilities: { richImages: true, channels: [], actions: ["a"] }, ...body },
    ];
    const first = await project.sdk.setInstallationFacts({ path, headers, body: one });
    assert.deepEqual(await project.sdk.setInstallationFacts({ path, headers, body: other }), first);

    const use = { requestId: "activity", bindingGeneration: 0, revision: 1 };
    await device.use(use);
    assert.deepEqual(await refused(device.bind(null, use)), USED);
  });

  it("belongs to its installation", async () => {
    const project = await house.project();
    const given = { requestId: "r", bindingGeneration: 0, revision: 0 };
    for (const device of [await install(project), await install(project)])
      assert.equal((await device.use(given)).revision, 1);
  });

  it("while it is under way, has one effect and one answer", async () => {
    const project = await house.project();
    const elsewhere = await house.elsewhere(project);
    const device = await install(project);
    const there = deviceOf(elsewhere, device.installationId, device.capability);
    const given = { requestId: "r", bindingGeneration: 0, revision: 0 };
    const calls = Array.from({ length: 16 }, (_, i) => () => (i % 2 === 0 ? device : there).use(given));
    const answers = await collide(house, rowOf(device), calls);
    const value = await device.read();
    assert.equal(value.revision, 1);
    for (const answer of answers) assert.deepEqual(answer, { status: "fulfilled", value });
  });

  it("of a refusal is judged anew: only what was done is kept", async () => {
    const device = await install(await house.project());
    const given = { requestId: "r", bindingGeneration: 0, revision: 1 };
    assert.deepEqual(await refused(device.use(given)), STALE);
    await device.use();
    assert.equal((await device.use(given)).revision, 2);
  });
});

describe("the latest 128 acknowledgements", () => {
  const given = (i: number) => ({ requestId: `use ${i}`, bindingGeneration: 0, revision: i });

  it("are kept, and no more: 127, 128, 129", async () => {
    const project = await house.project();
    const device = await install(project);
    const kept = async () => {
      const { rows } = await house.database.pool.query<{ count: number }>(
        "select count(*) as count from installation_acknowledgements where project_id = $1",
        [project.projectId],
      );
      return rows[0]?.count;
    };
    const first = await device.use(given(0));
    for (let i = 1; i < 127; i++) await device.use(given(i));
    assert.equal(await kept(), 127);
    assert.deepEqual(await device.use(given(0)), first);
    await device.use(given(127));
    assert.equal(await kept(), KEPT_ACKNOWLEDGEMENTS);
    // A repeat does not make an acknowledgement last longer.
    for (let times = 0; times < 3; times++) assert.deepEqual(await device.use(given(0)), first);
    const last = await device.use(given(128));
    assert.equal(await kept(), KEPT_ACKNOWLEDGEMENTS);
    assert.deepEqual(await refused(device.use(given(0))), STALE);
    assert.equal((await device.use(given(1))).revision, 2);
    assert.deepEqual(await device.read(), last);
    assert.deepEqual(await house.differences(), {});
  });

  it("say what they said, up to the last that is left", async () => {
    const device = await install(await house.project());
    const done = await lived(device);
    const { bindingGeneration } = await device.read();
    for (let i = done.length; i < KEPT_ACKNOWLEDGEMENTS + done.length - 1; i++) {
      await device.use({ bindingGeneration });
      const left = done.slice(Math.max(0, i + 1 - KEPT_ACKNOWLEDGEMENTS));
      if (i % 16 === 0 || left.length < done.length)
        for (const { again, answer } of left) assert.deepEqual(await again(), answer);
      const [oldest] = done.slice(0, done.length - left.length);
      if (oldest !== undefined) assert.equal((await refusal(oldest.again())).status, 409);
    }
    assert.deepEqual(await house.differences(), {});
  });
});

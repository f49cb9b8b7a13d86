import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { networkOf } from "../../src/platform/http/budgets/address-budget.ts";
import { defaultLimits } from "../../src/platform/limits.ts";
import { testHouse } from "../harness.ts";

/** A key as it could be one. */
const guess = (): string => `pk_pub_${randomBytes(16).toString("hex")}`;

describe("keys that do not exist", () => {
  const house = testHouse({
    rateLimits: {},
    limits: { ...defaultLimits, unknownKeysPerAddress: 3, unknownKeys: 60 },
  });

  const ask = (key: string): Promise<Response> =>
    fetch(`${house.url}/api/v1/messages?userId=ada`, { headers: { authorization: `Bearer ${key}` } });

  it("are looked up so often a minute, and known keys go on all the same", async () => {
    const { publishableKey } = await house.project();
    assert.equal((await ask(publishableKey)).status, 200);
    const missing = guess();
    const statuses = [];
    // The second time is remembered, and nothing is looked up.
    for (const key of [missing, missing, guess(), guess()]) statuses.push((await ask(key)).status);
    assert.deepEqual(statuses, [401, 401, 401, 401]);
    const refused = await ask(guess());
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "20"]);
    assert.match(await refused.text(), /keys that do not exist/);
    assert.equal((await ask(missing)).status, 401);
    // Known keys are looked up every few seconds.
    for (let seconds = 0; seconds < 12; seconds += 3) {
      assert.equal((await ask(publishableKey)).status, 200);
      house.advance(3_000);
    }
    house.advance(8_000);
    assert.equal((await ask(guess())).status, 401);
  });

  it("do not use up what new keys need, which give back what they took", async () => {
    house.advance(60_000);
    for (let n = 0; n < 6; n++) assert.equal((await ask((await house.project()).publishableKey)).status, 200);
    const { publishableKey } = await house.project();
    const many = await Promise.all(Array.from({ length: 20 }, () => ask(publishableKey)));
    for (const { status } of many) assert.equal(status, 200);
  });
});

describe("requests without a key", () => {
  const house = testHouse({
    rateLimits: {},
    limits: {
      ...defaultLimits,
      linkRequestsPerAddress: 2,
      hookRequestsPerAddress: 2,
      hookRequests: 1,
      fileRequestsPerAddress: 2,
    },
  });

  for (const [path, method, times] of [
    ["/e/nothing/click", "GET", 2],
    ["/hooks/email/inbound", "POST", 1],
    ["/docs", "GET", 2],
  ] as const)
    it(`${path}: so many a minute of one address, and of all`, async () => {
      const ask = () => fetch(house.url + path, { method });
      for (let time = 0; time < times; time++) assert.notEqual((await ask()).status, 429);
      const refused = await ask();
      assert.equal(refused.status, 429);
      const wait = Number(refused.headers.get("retry-after"));
      assert.ok(wait >= 1 && wait <= 60);
      house.advance(wait * 1_000);
      assert.notEqual((await ask()).status, 429);
    });

  it("media and the script share the budget of pages; probes have none", async () => {
    house.advance(60_000);
    const ask = async (path: string) => (await fetch(house.url + path)).status;
    const found = [
      await ask("/media/none/none.png"),
      await ask("/tidings.js"),
      await ask("/media/none/none.png"),
    ];
    assert.equal(found.at(-1), 429);
    for (const path of ["/healthz", "/readyz", "/metrics"]) assert.equal(await ask(path), 200);
  });
});

describe("networkOf", () => {
  for (const [address, network] of [
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "::ffff:192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["::1", "0:0:0:0"],
  ] as const)
    it(`${address} is of ${network}`, () => assert.equal(networkOf(address), network));
});

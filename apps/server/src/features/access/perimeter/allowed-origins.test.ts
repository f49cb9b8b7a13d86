import assert from "node:assert/strict";
import { request as rawRequest } from "node:http";
import { describe, it } from "node:test";
import { setSettings } from "../../../../test/email.ts";
import { launchCampaign } from "../../../../test/factories.ts";
import { type TestProject, testHouse } from "../../../../test/harness.ts";
import { BELIEVED_MS, hashOf, secretOf } from "../../../../test/perimeter.ts";

const house = testHouse();
const limited = testHouse({ rateLimits: { track: 2 } });
const SHOP = "https://shop.example";
const REFUSED = { error: "Pages of this origin may not use this key (origins.allowed)." };

type Shown = { status: number; body: unknown; allowed: string | null; vary: string | null };

async function shownIn(answer: Promise<Response>): Promise<Shown> {
  const { status, headers, ...response } = await answer.then(async (each) => ({
    status: each.status,
    headers: each.headers,
    text: await each.text(),
  }));
  return {
    status,
    body: response.text === "" ? null : JSON.parse(response.text),
    allowed: headers.get("access-control-allow-origin"),
    vary: headers.get("vary"),
  };
}

/** Sends a request as a page of an origin does, or as an app does, which sends no Origin. */
const ask = (
  url: string,
  key: string,
  origin: string | null,
  path = "/api/v1/track",
  body: unknown = { userId: "ada", event: "opened" },
): Promise<Shown> =>
  shownIn(
    fetch(url + path, {
      method: body === null ? "GET" : "POST",
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === null ? {} : { "content-type": "application/json" }),
        ...(origin === null ? {} : { origin }),
      },
      ...(body === null ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    }),
  );

async function listedProject(origins = `${SHOP}, https://*.acme.example`): Promise<TestProject> {
  const project = await house.project();
  await setSettings(house, project, { "origins.allowed": origins });
  return project;
}

describe("a project without a list", () => {
  it("is open to pages of every origin", async () => {
    const { url, publishableKey } = await house.project();
    for (const origin of [null, SHOP, "null", "nonsense"]) {
      const { status, allowed, vary } = await ask(url, publishableKey, origin);
      assert.deepEqual([status, allowed, vary], [200, "*", null]);
    }
  });
});

describe("a project with a list", () => {
  it("answers pages of its origins with their origin, and apps without one", async () => {
    const { url, publishableKey } = await listedProject();
    for (const origin of [SHOP, "https://www.acme.example"]) {
      const { status, allowed, vary } = await ask(url, publishableKey, origin);
      assert.deepEqual([status, allowed, vary], [200, origin, "Origin"]);
    }
    const app = await ask(url, publishableKey, null);
    assert.deepEqual([app.status, app.allowed, app.vary], [200, null, "Origin"]);
  });

  it("refuses pages of all others, and tells the browser to keep that from them", async () => {
    const project = await listedProject();
    await launchCampaign(project);
    for (const origin of [
      "https://evil.example",
      "http://shop.example",
      "https://shop.example:8443",
      "https://shop.example.evil.example",
      "https://acme.example",
      "https://evilacme.example",
      "null",
      "",
      "*",
      "HTTPS://SHOP.EXAMPLE",
      `${SHOP}, ${SHOP}`,
      "x".repeat(8_000),
    ]) {
      for (const [path, body] of [
        ["/api/v1/track", { userId: "eve", event: "opened" }],
        ["/api/v1/identify", { userId: "eve" }],
        ["/api/v1/messages?userId=eve", null],
        [`/api/v1/deliveries/del_${"A".repeat(43)}/event`, { type: "shown" }],
        ["/api/v1/sdk/installations", {}],
      ] as const) {
        const refused = await ask(project.url, project.publishableKey, origin, path, body);
        assert.deepEqual(refused, { status: 403, body: REFUSED, allowed: null, vary: "Origin" });
      }
    }
    const { users } = await project.api.listUsers();
    assert.deepEqual(users, []);
  });

  it("refuses before it reads the body", async () => {
    const { url, publishableKey } = await listedProject();
    const huge = await ask(url, publishableKey, "https://evil.example", undefined, "x".repeat(100_000));
    assert.deepEqual([huge.status, huge.body], [403, REFUSED]);
    // Sends the head of a request alone; its body never comes.
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const waiting = rawRequest(`${url}/api/v1/track`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${publishableKey}`,
          origin: "https://evil.example",
          "content-type": "application/json",
          "content-length": 1_000,
        },
      });
      waiting.on("response", (response) => {
        resolve(response.statusCode);
        waiting.destroy();
      });
      waiting.on("error", reject).flushHeaders();
    });
    assert.equal(status, 403);
  });

  it("lets pages of its origins read refusals, and those of others not even who may not ask", async () => {
    const { url, publishableKey, secretKey, agentKey } = await listedProject();
    const bad = await ask(url, publishableKey, SHOP, undefined, "{");
    assert.deepEqual([bad.status, bad.allowed], [400, SHOP]);
    const large = await ask(url, publishableKey, SHOP, undefined, "x".repeat(100_000));
    assert.deepEqual([large.status, large.allowed], [413, SHOP]);
    const wrongKey = await ask(url, agentKey, SHOP);
    assert.deepEqual([wrongKey.status, wrongKey.allowed], [403, SHOP]);
    assert.notDeepEqual(wrongKey.body, REFUSED);
    const both = await ask(url, secretKey, "https://evil.example");
    assert.deepEqual([both.body, both.allowed], [REFUSED, null]);
    const stranger = await ask(url, `pk_pub_${"A".repeat(32)}`, "https://evil.example");
    assert.deepEqual([stranger.status, stranger.allowed], [401, "*"]);
  });

  it("leaves preflights open, which carry no key", async () => {
    const { url } = await listedProject();
    const answer = await shownIn(
      fetch(`${url}/api/v1/track`, {
        method: "OPTIONS",
        headers: { origin: "https://evil.example", "access-control-request-method": "POST" },
      }),
    );
    assert.deepEqual([answer.status, answer.allowed], [204, "*"]);
  });

  it("asks nothing of management, which no page may read", async () => {
    const { url, secretKey } = await listedProject();
    const made = await ask(url, secretKey, "https://evil.example", "/api/v1/goals", { name: "Upgrades" });
    assert.deepEqual([made.status, made.allowed, made.vary], [201, null, null]);
  });

  it("spends no budget on pages that it refuses", async () => {
    const project = await limited.project();
    await setSettings(limited, project, { "origins.allowed": SHOP });
    for (let request = 0; request < 5; request++)
      assert.equal((await ask(project.url, project.publishableKey, "https://evil.example")).status, 403);
    for (const status of [200, 200, 429])
      assert.equal((await ask(project.url, project.publishableKey, SHOP)).status, status);
  });

  it("looks at the origin before it looks at who a user is", async () => {
    const project = await listedProject();
    const secret = await secretOf(house, project);
    await setSettings(house, project, { "identity.required": "true" });
    const identify = (origin: string, userHash: string) =>
      ask(project.url, project.publishableKey, origin, "/api/v1/identify", { userId: "ada", userHash });
    const right = hashOf(secret, "ada");
    assert.equal((await identify("https://evil.example", right)).status, 403);
    const wrong = await identify(SHOP, "no");
    assert.deepEqual([wrong.status, wrong.allowed], [401, SHOP]);
    assert.equal((await identify(SHOP, right)).status, 200);
  });
});

it("a list holds in every process within five seconds, set, changed and cleared", async () => {
  const project = await house.project();
  const there = await house.elsewhere(project);
  const everywhere = async (expected: readonly (readonly [string, number])[]) => {
    for (const { url } of [project, there])
      for (const [origin, status] of expected)
        assert.equal((await ask(url, project.publishableKey, origin)).status, status, `${origin} at ${url}`);
  };
  const [one, other] = ["https://one.example", "https://other.example"];
  await everywhere([
    [one, 200],
    [other, 200],
  ]);
  for (const [list, expected] of [
    [one, [200, 403]],
    [other, [403, 200]],
    ["", [200, 200]],
  ] as const) {
    await setSettings(house, project, { "origins.allowed": list });
    house.advance(BELIEVED_MS);
    await everywhere([
      [one, expected[0]],
      [other, expected[1]],
    ]);
  }
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sharedHouse } from "./harness.ts";
import { assertRefused, request } from "./samples.ts";

const house = sharedHouse();

/** Asks with the key of a project, and sends what no typed client would. */
async function ask(key: string, path: string, body?: object) {
  const authorization = { authorization: `Bearer ${key}` };
  if (body === undefined) return request(`${house.url}/api/v1${path}`, { headers: authorization });
  return request(`${house.url}/api/v1${path}`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { ...authorization, "content-type": "application/json" },
  });
}

const message = { presentation: "toast", title: "Hi" };
const everyone = { name: "C", message, launch: true };

describe("a misspelled field of a campaign", () => {
  const cases: [body: object, error: string][] = [
    [{ targetting: { traits: {} } }, "targetting: unknown field, did you mean targeting?"],
    [{ audiance: { kind: "all" } }, "audiance: unknown field, did you mean audience?"],
    [{ page: ["/x"] }, "page: unknown field, did you mean pages?"],
    [{ deliver_from: 1 }, "deliver_from: unknown field, did you mean deliverFrom?"],
    [{ targeting: { trait: { a: 1 } } }, "targeting.trait: unknown field, did you mean traits?"],
    [
      { targeting: { events: { notSeen: ["x"] } } },
      "targeting.events.notSeen: unknown field, did you mean not_seen?",
    ],
    [{ message: { ...message, Titel: "x" } }, "message.Titel: unknown field, did you mean title?"],
    [
      { message: undefined, variants: [{ message, wieght: 3 }] },
      "variants[0].wieght: unknown field, did you mean weight?",
    ],
  ];
  for (const [change, error] of cases) {
    it(`launches nothing: ${error}`, async () => {
      const { secretKey, api } = await house.project();
      assertRefused(await ask(secretKey, "/campaigns", { ...everyone, ...change }), 400, error);
      assert.equal((await api.listCampaigns()).total, 0);
    });
  }
});

describe("a field of a query that nobody knows", () => {
  it("is refused, where it would have narrowed the answer", async () => {
    const { secretKey } = await house.project();
    const known = "q, traitKey, traitValue, activeSince, firstSeenSince, visitors, page, perPage, cursor";
    const cases: [path: string, error: string][] = [
      ["/users?search=ada", `search: unknown field, known here are ${known}`],
      ["/users?per_page=5", "per_page: unknown field, did you mean perPage?"],
      ["/campaigns?state=draft", "state: unknown field, did you mean status?"],
      ["/overview?range=7d", "range: unknown field, none is taken here"],
    ];
    for (const [path, error] of cases) assertRefused(await ask(secretKey, path), 400, error);
  });
});

describe("what an app or a page sends", () => {
  const event = { userId: "ada", event: "upgraded" };

  it("is not recorded where an event would lose its properties, its time or its id", async () => {
    const { publishableKey, api } = await house.project();
    const cases: [more: object, error: RegExp][] = [
      [{ properties: { plan: "pro" } }, /^properties: unknown field, did you mean props\?$/],
      [{ Props: {} }, /^Props: unknown field, did you mean props\?$/],
      [{ timestamp: 1 }, /^timestamp: unknown field, an event is recorded at the time when it arrives/],
      [{ ts: 1 }, /^ts: unknown field, an event is recorded at the time when it arrives/],
      [{ event_id: "a" }, /^event_id: unknown field, did you mean eventId\?$/],
      [{ messageId: "a" }, /^messageId: unknown field, did you mean eventId\?$/],
    ];
    for (const [more, error] of cases)
      assertRefused(await ask(publishableKey, "/track", { ...event, ...more }), 400, error);
    assert.equal((await api.listUsers()).total, 0);
    assert.equal((await api.listEvents()).total, 0);
  });

  it("is told so for each event of a batch", async () => {
    const { secretKey, api } = await house.project();
    const events = [
      event,
      { ...event, timestamp: 1_768_000_000_000 },
      { ...event, properties: {} },
      { ...event, context: {} },
    ];
    const { status, text } = await ask(secretKey, "/track/batch", { events });
    assert.equal(status, 200);
    assert.deepEqual(JSON.parse(text), {
      ok: 2,
      refused: 2,
      results: [
        { ok: true },
        { ok: false, error: "timestamp: unknown field, did you mean ts?" },
        { ok: false, error: "properties: unknown field, did you mean props?" },
        { ok: true },
      ],
    });
    assert.equal((await api.listEvents()).total, 2);
  });

  it("is not taken where a user would lose their traits", async () => {
    const { publishableKey, api } = await house.project();
    const cases: [more: object, error: string][] = [
      [{ properties: { plan: "pro" } }, "properties: unknown field, did you mean traits?"],
      [{ email: "ada@acme.example" }, "email: unknown field, put it into traits"],
      [
        { timestamp: 1 },
        "timestamp: unknown field, a user is seen at the time when the request arrives (POST /api/v1/identify/batch takes firstSeenAt, with the secret key)",
      ],
      [{ TRAITS: {} }, "TRAITS: unknown field, did you mean traits?"],
    ];
    for (const [more, error] of cases)
      assertRefused(await ask(publishableKey, "/identify", { userId: "ada", ...more }), 400, error);
    assert.equal((await api.listUsers()).total, 0);
  });

  it("is refused where it names somebody or says something as other products do", async () => {
    const { secretKey, api } = await house.project();
    const user = { userId: "ada", traits: {} };
    /** By product, what its calls have beside what ours have. */
    const ofOthers = {
      segment: ["previousId", "groupId", "properties", "messageId", "timestamp", "originalTimestamp"],
      rudderStack: ["anonymous_id", "user_id", "userProperties", "original_timestamp"],
      postHog: [
        "distinct_id",
        "$anon_distinct_id",
        "$set",
        "$set_once",
        "$unset",
        "$groups",
        "uuid",
        "alias",
      ],
      customerIo: [
        "identifiers",
        "cio_id",
        "anonymous_id",
        "data",
        "attributes",
        "name",
        "id",
        "customer_id",
      ],
      mixpanel: [
        "$distinct_id",
        "$device_id",
        "$user_id",
        "$identified_id",
        "$insert_id",
        "time",
        "$add",
        "$append",
      ],
      amplitude: [
        "device_id",
        "event_type",
        "event_properties",
        "user_properties",
        "groups",
        "insert_id",
        "country",
      ],
      braze: ["external_id", "braze_id", "user_alias", "first_name", "email", "time", "attributes"],
    };
    const onlyOfEvents = ["messageId", "uuid", "$insert_id", "event_properties", "insert_id", "event_type"];
    for (const [product, names] of Object.entries(ofOthers)) {
      for (const name of names) {
        const refused = new RegExp(`^${name.replace("$", "\\$")}: unknown field, `);
        assertRefused(await ask(secretKey, "/track", { ...event, [name]: "x" }), 400, refused);
        if (!onlyOfEvents.includes(name))
          assertRefused(await ask(secretKey, "/identify", { ...user, [name]: "x" }), 400, refused);
      }
      const events = [event, ...names.map((name) => ({ ...event, [name]: "x" }))];
      const { results } = JSON.parse((await ask(secretKey, "/track/batch", { events })).text) as {
        results: { ok: boolean }[];
      };
      assert.deepEqual(
        results.map(({ ok }) => ok),
        events.map((each) => each === event),
        product,
      );
    }
    const total = Object.keys(ofOthers).length;
    assert.deepEqual([(await api.listUsers()).total, (await api.listEvents()).total], [1, total]);
  });

  it("may have fields that mean nothing to the server", async () => {
    const { publishableKey, api } = await house.project();
    const more = { context: { library: "x" }, sentAt: 1, integrations: {}, toString: 1, constructor: "x" };
    assert.equal((await ask(publishableKey, "/track", { ...event, ...more })).status, 200);
    assert.equal((await ask(publishableKey, "/identify", { userId: "ada", ...more })).status, 200);
    assert.equal((await api.listEvents()).total, 1);
  });

  it("names the user as it must", async () => {
    const { publishableKey } = await house.project();
    assertRefused(
      await ask(publishableKey, "/track", { user_id: "ada", event: "upgraded", properties: {} }),
      400,
      "userId is required, or anonymousId of a visitor who is not signed in",
    );
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Input } from "@tidings/client";
import { recorded } from "../../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";

const house = testHouse();

type Track = Input<"track">["body"];

/** An object whose compact JSON has exactly this many bytes. */
const objectOf = (bytes: number): Record<string, unknown> => ({ k: "x".repeat(bytes - '{"k":""}'.length) });

const track = ({ sdk }: TestProject, body: Track) => sdk.track({ body });

const times = async (project: TestProject, userId: string, name: string) =>
  (await recorded(house, project, userId, name)).length;

describe("track", () => {
  it("appends an event at the time it is received", async () => {
    const project = await house.project();
    const first = house.now();
    assert.deepEqual(await track(project, { userId: "anna", event: "paid", props: { amount: 5 } }), {
      ok: true,
    });
    house.advance(1_000);
    assert.deepEqual(await track(project, { userId: "anna", event: "paid", eventId: "e1" }), { ok: true });
    const events = await recorded(house, project, "anna", "paid");
    const own = events[0]?.eventId ?? "";
    assert.match(own, /^[0-9a-f-]{36}$/, "an event that came without an id gets one of ours");
    assert.deepEqual(events, [
      { name: "paid", props: { amount: 5 }, ts: first, eventId: own },
      { name: "paid", props: null, ts: first + 1_000, eventId: "e1" },
    ]);
  });

  it("appends each time without an eventId", async () => {
    const project = await house.project();
    const body = { userId: "anna", event: "paid", props: { amount: 5 } };
    await Promise.all(Array.from({ length: 30 }, () => track(project, body)));
    assert.equal(await times(project, "anna", "paid"), 30);
  });

  it("takes text of any script as it is", async () => {
    const project = await house.project();
    const props = { キー: "値 🎉", $pathname: "/é", nested: { a: [1, null, "ß", "e\u0301"] }, "": 0 };
    const body = { userId: "ânna 🎉", event: "購入 💳", props, eventId: "ид-🎉" };
    await track(project, body);
    const [event] = await recorded(house, project, "ânna 🎉", "購入 💳");
    assert.deepEqual([event?.props, event?.eventId], [props, "ид-🎉"]);
    assert.equal(await times(project, "ânna 🎉", "購入"), 0);
  });

  it("takes each field at its limit", async () => {
    const project = await house.project();
    const fits: readonly Partial<Track>[] = [
      { userId: "x".repeat(256) },
      { userId: "🎉".repeat(256) },
      { event: "x" },
      { event: "x".repeat(80) },
      { event: "🎉".repeat(80) },
      { eventId: "x" },
      { eventId: "x".repeat(128) },
      { eventId: "🎉".repeat(128) },
      { props: {} },
      { props: objectOf(4_096) },
      { props: { k: "é".repeat(2_044) } },
    ];
    for (const fields of fits) {
      const body = { userId: "anna", event: "paid", ...fields };
      assert.deepEqual(await track(project, body), { ok: true });
      assert.ok((await times(project, body.userId, body.event)) > 0);
    }
  });

  const refused: readonly [string, Record<string, unknown>, string?][] = [
    [
      "no user",
      { userId: undefined },
      "userId is required, or anonymousId of a visitor who is not signed in",
    ],
    ["an empty user", { userId: "" }],
    ["a user of 257 characters", { userId: "x".repeat(257) }, "userId must be at most 256 characters"],
    ["a user of 257 emoji", { userId: "🎉".repeat(257) }],
    ["a user that is a number", { userId: 5 }],
    ["a user with a NUL", { userId: "a\0b" }],
    ["no event", { event: undefined }, "event is required"],
    ["an empty event", { event: "" }],
    ["an event of 81 characters", { event: "x".repeat(81) }, "event must be at most 80 characters"],
    ["an event of 81 emoji", { event: "🎉".repeat(81) }],
    ["an event with half a character", { event: "a\ud83c" }],
    ["props that are a list", { props: [1] }],
    ["props that are a text", { props: "x" }],
    ["props that are null", { props: null }],
    ["props of 4097 bytes", { props: objectOf(4_097) }],
    ["props of 4098 bytes in 2053 characters", { props: { k: "é".repeat(2_045) } }],
    ["props with a NUL", { props: { a: [{ b: "\0" }] } }],
    ["an empty eventId", { eventId: "" }],
    ["an eventId of 129 characters", { eventId: "x".repeat(129) }],
    ["an eventId that is a number", { eventId: 5 }],
  ];
  for (const [name, fields, message] of refused) {
    it(`refuses ${name}`, async () => {
      const project = await house.project();
      const body = { userId: "anna", event: "paid", ...fields } as Track;
      const { status, error } = await refusal(track(project, body));
      assert.deepEqual([status, error], [400, message ?? error]);
      assert.equal(await times(project, "anna", "paid"), 0);
    });
  }

  it("is for the publishable and the secret key", async () => {
    const project = await house.project();
    const body = { userId: "anna", event: "paid" };
    assert.deepEqual(await project.api.track({ body }), { ok: true });
    assert.equal(await times(project, "anna", "paid"), 1);
    assert.equal((await refusal(project.agent.track({ body }))).status, 403);
  });
});

describe("track with an eventId", () => {
  const PAID = { userId: "anna", event: "paid", props: { amount: 5, lines: { a: 1, b: 2 } }, eventId: "e1" };

  it("does nothing for the same event again", async () => {
    const project = await house.project();
    const first = house.now();
    await track(project, PAID);
    house.advance(60_000);
    assert.deepEqual(await track(project, PAID), { ok: true });
    const reordered = { ...PAID, props: { lines: { b: 2, a: 1 }, amount: 5 } };
    assert.deepEqual(await track(project, reordered), { ok: true });
    const events = await recorded(house, project, "anna", "paid");
    assert.deepEqual(
      events.map(({ ts }) => ts),
      [first],
    );
  });

  it("refuses it for another event, and keeps the first", async () => {
    const project = await house.project();
    await track(project, PAID);
    const others: readonly Track[] = [
      { ...PAID, event: "refunded" },
      { ...PAID, props: { amount: 6, lines: { a: 1, b: 2 } } },
      { ...PAID, props: { amount: 5 } },
      { userId: "anna", event: "paid", eventId: "e1" },
    ];
    for (const body of others) assert.equal((await refusal(track(project, body))).status, 409);
    assert.equal(await times(project, "anna", "refunded"), 0);
    assert.deepEqual(
      (await recorded(house, project, "anna", "paid")).map(({ props }) => props),
      [PAID.props],
    );
  });

  it("takes it from another user and in another project", async () => {
    const [one, two] = [await house.project(), await house.project()];
    await track(one, PAID);
    await track(one, { ...PAID, userId: "ben", props: { other: true } });
    await track(two, { ...PAID, props: { other: true } });
    assert.deepEqual(
      [await times(one, "anna", "paid"), await times(one, "ben", "paid"), await times(two, "anna", "paid")],
      [1, 1, 1],
    );
  });

  it("records one of many that arrive at once", async () => {
    const project = await house.project();
    const answers = await Promise.all(Array.from({ length: 50 }, () => track(project, PAID)));
    assert.ok(answers.every(({ ok }) => ok));
    assert.equal(await times(project, "anna", "paid"), 1);
  });

  it("records one of many that differ, and refuses the others", async () => {
    const project = await house.project();
    const tries = Array.from({ length: 30 }, (_, amount) => track(project, { ...PAID, props: { amount } }));
    const results = await Promise.allSettled(tries);
    const won = results.findIndex(({ status }) => status === "fulfilled");
    assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
    for (const each of results)
      if (each.status === "rejected") assert.equal((await refusal(Promise.reject(each.reason))).status, 409);
    assert.deepEqual(
      (await recorded(house, project, "anna", "paid")).map(({ props }) => props),
      [{ amount: won }],
    );
  });

  it("leaves no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});

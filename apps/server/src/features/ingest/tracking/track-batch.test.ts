import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Input } from "@tidings/client";
import { setSettings } from "../../../../test/email.ts";
import { feedback, launchCampaign, messagesOf, recorded } from "../../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";
import { BELIEVED_MS } from "../../../../test/usage.ts";
import { collide } from "../../../../test/waiting.ts";
import { userRef } from "../../../domain/ids.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../platform/time/clock.ts";
import { retireOldEvents } from "../../users/events/retire.ts";

const house = testHouse();

type Item = Input<"trackBatch">["body"]["events"][number];

const batch = async ({ api }: TestProject, events: readonly unknown[]) =>
  (await api.trackBatch({ body: { events: events as Item[] } })).results;

/** Times of a user's events of one name, oldest first. */
const times = async (project: TestProject, userId: string, name: string): Promise<number[]> =>
  (await recorded(house, project, userId, name)).map(({ ts }) => ts);

const PAID = { userId: "anna", event: "paid" };

describe("trackBatch", () => {
  it("records every event, of either key", async () => {
    const project = await house.project();
    const events = [PAID, PAID, { ...PAID, userId: "ben", props: { amount: 5 }, eventId: "e1" }];
    for (const client of [project.sdk, project.api]) {
      const { results } = await client.trackBatch({ body: { events } });
      assert.deepEqual(results, [{ ok: true }, { ok: true }, { ok: true }]);
    }
    assert.equal((await times(project, "anna", "paid")).length, 4);
    assert.deepEqual(await times(project, "ben", "paid"), [house.now()]);
    assert.equal((await refusal(project.agent.trackBatch({ body: { events } }))).status, 403);
  });

  it("answers in order, and does not hold up an event for another", async () => {
    const project = await house.project();
    const items: readonly [unknown, boolean][] = [
      [PAID, true],
      [{ event: "paid" }, false],
      [{ userId: "anna" }, false],
      [{ ...PAID, userId: "x".repeat(257) }, false],
      [{ ...PAID, event: "🎉".repeat(80) }, true],
      [{ ...PAID, event: "🎉".repeat(81) }, false],
      [{ ...PAID, props: [] }, false],
      [{ ...PAID, props: { k: "x".repeat(4_088) } }, true],
      [{ ...PAID, props: { k: "x".repeat(4_089) } }, false],
      [{ ...PAID, eventId: "" }, false],
      [{ ...PAID, eventId: "x".repeat(129) }, false],
      ["paid", false],
      [null, false],
      [[PAID], false],
      [{ ...PAID, userId: "ben" }, true],
    ];
    const results = await batch(
      project,
      items.map(([item]) => item),
    );
    assert.deepEqual(
      results.map(({ ok }) => ok),
      items.map(([, ok]) => ok),
    );
    assert.ok(results.every((result) => result.ok || result.error.length > 0));
    assert.equal((await times(project, "anna", "paid")).length, 2);
    assert.equal((await times(project, "ben", "paid")).length, 1);
  });

  it("says of each event what track says", async () => {
    const project = await house.project();
    const bad = [{ event: "paid" }, { ...PAID, userId: 5 }, { ...PAID, event: "" }, { ...PAID, props: [] }];
    const results = await batch(project, bad);
    for (const [i, body] of bad.entries()) {
      const { error } = await refusal(project.sdk.track({ body: body as Item }));
      assert.deepEqual(results[i], { ok: false, error });
    }
  });

  it("takes 1 to 500 events", async () => {
    const project = await house.project();
    const events = (count: number) => Array.from({ length: count }, (_, i) => ({ ...PAID, userId: `u${i}` }));
    assert.equal((await batch(project, events(500))).filter(({ ok }) => ok).length, 500);
    for (const count of [0, 501]) assert.equal((await refusal(batch(project, events(count)))).status, 400);
    assert.equal((await times(project, "u499", "paid")).length, 1);
    assert.equal((await times(project, "u0", "paid")).length, 1);
  });

  it("takes 500 events that are as large as an event may be, and says how large a body may be", async () => {
    const project = await house.project();
    const props = { k: "x".repeat(4_096 - '{"k":""}'.length) };
    const userId = (index: number) => "🎉".repeat(253) + String(index).padStart(3, "0");
    const largest = (index: number) => ({
      userId: userId(index),
      event: "購".repeat(80),
      props,
      eventId: "é".repeat(128),
    });
    const events = Array.from({ length: 500 }, (_, index) => largest(index));
    assert.ok((await batch(project, events)).every(({ ok }) => ok));
    const wide = events.map((event) => ({ ...event, more: "x".repeat(16_000) }));
    const { status, error } = await refusal(batch(project, wide));
    assert.deepEqual(
      [status, error],
      [413, "Request body too large: at most 9234432 bytes, send fewer events at once"],
    );
  });

  it("refuses an event with a number that cannot be kept, and no other", async () => {
    const project = await house.project();
    const at = `${project.url}/api/v1/track/batch`;
    const body = `{"events":[
      {"userId":"anna","event":"paid","props":{"amount":1}},
      {"userId":"anna","event":"paid","props":{"order":{"id":[1161888007138312192]}}},
      {"userId":"anna","event":"paid","props":{"a":0.1,"b":1e3},"ts":1e400},
      {"userId":"anna","event":"paid","props":{"a":"1161888007138312192, 1e400"}},
      1e400,
      {"userId":"ben","event":"paid"}
    ]}`;
    const headers = { authorization: `Bearer ${project.secretKey}`, "content-type": "application/json" };
    const { results } = (await (await fetch(at, { method: "POST", headers, body })).json()) as {
      results: unknown[];
    };
    const lost = (field: string) => ({
      ok: false,
      error: `${field} is a number that cannot be kept exactly: send it as a text`,
    });
    const OK = { ok: true };
    assert.deepEqual(results, [OK, lost("props.order.id[0]"), lost("ts"), OK, lost("event"), OK]);
    assert.deepEqual(
      [(await times(project, "anna", "paid")).length, (await times(project, "ben", "paid")).length],
      [2, 1],
    );
  });

  it("refuses a body that is no list of events", async () => {
    const { api } = await house.project();
    for (const body of [{}, { events: null }, { events: {} }, { events: "x" }, []]) {
      const call = api.trackBatch({ body: body as { events: Item[] } });
      assert.equal((await refusal(call)).status, 400);
    }
  });

  it("keeps one event per eventId, within a batch as between batches", async () => {
    const project = await house.project();
    const once = { ...PAID, eventId: "e1" };
    const ok = async (events: readonly Item[]) => (await batch(project, events)).map((result) => result.ok);
    assert.deepEqual(await ok([once, once]), [true, true]);
    assert.deepEqual(await ok([once, { ...once, event: "refunded" }, PAID]), [true, false, true]);
    assert.deepEqual(await times(project, "anna", "refunded"), []);
    await Promise.all(Array.from({ length: 10 }, () => batch(project, [once, once, once])));
    assert.equal((await times(project, "anna", "paid")).length, 2);
    const [clash] = await batch(project, [{ ...once, props: { other: true } }]);
    const alone = await refusal(project.sdk.track({ body: { ...once, props: { other: true } } }));
    assert.deepEqual([clash, alone.status], [{ ok: false, error: alone.error }, 409]);
  });
});

describe("repeats", () => {
  /** So long after a repeat that none is expected any more. */
  const expectNone = (): void => {
    house.advance(MINUTE_MS);
  };

  it("are told from new events, whether they come when they are expected or not", async () => {
    const project = await house.project();
    const event = (n: number, amount = n) => ({ ...PAID, eventId: `e${n}`, props: { amount } });
    const all = (results: readonly { ok: boolean }[]) => results.map(({ ok }) => ok);
    expectNone();
    assert.deepEqual(all(await batch(project, [event(0), event(1)])), [true, true]);
    const firstTs = house.now();
    house.advance(1_000);
    const unexpected = [event(1), event(2), event(0, 7), event(3)];
    assert.deepEqual(all(await batch(project, unexpected)), [true, true, false, true]);
    const expected = [event(4), event(3), event(2, 7)];
    assert.deepEqual(all(await batch(project, expected)), [true, true, false]);
    const secondTs = house.now();
    expectNone();
    assert.deepEqual(all(await batch(project, [event(4), event(5), event(3, 0)])), [true, true, false]);
    const rows = await recorded(house, project, "anna", "paid");
    const kept = rows.map(({ props, ts }) => ({ ...Object(props), ts }));
    assert.deepEqual(
      kept.toSorted((a, b) => a.amount - b.amount),
      [firstTs, firstTs, secondTs, secondTs, secondTs, house.now()].map((ts, amount) => ({ amount, ts })),
    );
  });

  it("of an event that another process is just recording wait for it", async () => {
    const project = await house.project();
    await batch(project, [PAID]);
    expectNone();
    const { lane, userKey } = userRef(project.projectId, "anna");
    const text = `
      insert into events (lane, user_key, event_id, project_id, name, props, ts)
      values ($1, $2, 'e1', $3, 'paid', '{"amount": 1}', $4)`;
    const values = [lane, userKey, project.projectId, house.now()];
    const send = (amount: number) => batch(project, [{ ...PAID, eventId: "e1", props: { amount } }]);
    const [answer] = await collide(house, { text, values }, [() => send(1)]);
    assert.deepEqual(answer, { status: "fulfilled", value: [{ ok: true }] });
    assert.equal((await send(2))[0]?.ok, false);
    assert.equal((await times(project, "anna", "paid")).length, 2);
    // Nothing else of that event was recorded here.
    await house.database.pool.query("delete from events where event_id = 'e1' and user_key = $1", [userKey]);
    assert.deepEqual(await house.differences(project.projectId), {});
  });
});

describe("trackBatch with ts", () => {
  it("takes the time of an event in any form, up to now and from ten years back", async () => {
    const project = await house.project();
    const now = house.now();
    const oldest = now - 3_650 * DAY_MS;
    const cases: readonly [unknown, string | null][] = [
      [now, null],
      [new Date(now).toISOString(), null],
      [new Date(now + 2 * HOUR_MS).toISOString().replace("Z", "+02:00"), null],
      [oldest, null],
      [now + 1, "ts must not be in the future"],
      [oldest - 1, "ts must be at most 3650 days old"],
      [
        Math.floor(now / 1_000),
        `ts must be epoch milliseconds, and ${Math.floor(now / 1_000)} looks like seconds`,
      ],
      [now * 1_000, "ts must be epoch milliseconds"],
      [now - 0.5, "ts must be whole milliseconds"],
      [String(now), "ts must be a number, without quotation marks"],
      ["2025-01-01T10:00:00", "ts must have an offset from UTC: send 2025-01-01T10:00:00Z if it is UTC"],
      ["2025-01-01", "ts must have a time and an offset"],
      [-1, "ts must be epoch milliseconds"],
      [null, "ts must be epoch milliseconds"],
    ];
    const answer = await project.api.trackBatch({
      body: { events: cases.map(([ts]) => ({ ...PAID, ts })) as Item[] },
    });
    const taken = cases.filter(([, fault]) => fault === null).length;
    assert.deepEqual([answer.ok, answer.refused], [taken, cases.length - taken]);
    for (const [index, [ts, fault]] of cases.entries()) {
      const result = answer.results[index];
      const error = result?.ok === false ? result.error : null;
      assert.ok(fault === null ? error === null : error?.startsWith(fault), `${ts}: ${error}`);
    }
    assert.deepEqual(await times(project, "anna", "paid"), [oldest, now, now, now]);
  });

  it("refuses what is older than the project keeps events, so that nothing counts twice", async () => {
    const project = await house.project();
    await setSettings(house, project, { "retention.eventsDays": "10" });
    house.advance(BELIEVED_MS);
    const edge = house.now() - 10 * DAY_MS;
    const events = [edge - 1, edge].map((ts) => ({ ...PAID, ts, eventId: String(ts) }));
    const error =
      "ts must be at most 10 days old, which is how long this project keeps events (retention.eventsDays)";
    assert.deepEqual(await batch(project, events), [{ ok: false, error }, { ok: true }]);
    assert.equal((await project.api.getUser({ path: { id: "anna" } })).user.firstSeenAt, edge);
    house.advance(1);
    await retireOldEvents(house.tidings.app);
    assert.equal((await project.api.listEvents()).total, 0);
    assert.deepEqual(
      (await batch(project, events)).map(({ ok }) => ok),
      [false, false],
    );
    assert.equal((await project.api.getMetrics()).totals.events, 1);
  });

  it("is taken by a project whose time of keeping events cannot be read: it deletes none either", async () => {
    const project = await house.project();
    const { kysely } = house.database;
    const ofProject = { projectId: project.projectId, key: "retention.eventsDays" };
    await kysely
      .insertInto("settings")
      .values({ ...ofProject, value: '"for ever"', updatedAt: house.now() })
      .execute();
    assert.deepEqual(await batch(project, [{ ...PAID, ts: house.now() - 400 * DAY_MS }]), [{ ok: true }]);
    await kysely.deleteFrom("settings").where("projectId", "=", project.projectId).execute();
  });

  it("is for the secret key only", async () => {
    const project = await house.project();
    const events = [{ ...PAID, ts: house.now() - 1 }, PAID];
    const { results } = await project.sdk.trackBatch({ body: { events } });
    assert.deepEqual(
      results.map(({ ok }) => ok),
      [false, true],
    );
    assert.deepEqual(await times(project, "anna", "paid"), [house.now()]);
  });

  it("converts by the time of the event, not of the import", async () => {
    const project = await house.project();
    const { goal } = await project.api.createGoal({ body: { name: "Pay", targetEvent: "paid" } });
    const { id } = await launchCampaign(project, { goalId: goal.id });
    const shownAt = house.now();
    for (const user of ["early", "late"]) {
      const [message] = await messagesOf(project, user);
      assert.ok(message);
      await feedback(project, message.deliveryId, user, "shown");
    }
    house.advance(DAY_MS);
    await batch(project, [
      { userId: "early", event: "paid", ts: shownAt - 1 },
      { userId: "late", event: "paid", ts: shownAt + 7 },
    ]);
    const { deliveries } = await project.api.listCampaignDeliveries({ path: { id } });
    const convertedAt = Object.fromEntries(deliveries.map((each) => [each.externalUserId, each.convertedAt]));
    assert.deepEqual(convertedAt, { early: null, late: shownAt + 7 });
    const { campaign } = await project.api.getCampaign({ path: { id } });
    assert.equal(campaign.stats.converted, 1);
  });

  it("leaves no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});

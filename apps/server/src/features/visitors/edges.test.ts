import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startFile, uploadFile } from "../../../test/bringing.ts";
import { setSettings } from "../../../test/email.ts";
import { feedback, messagesOf } from "../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../test/harness.ts";
import { BELIEVED_MS, secretOf } from "../../../test/perimeter.ts";
import {
  bringEventsOf,
  launchForVisitors,
  openBrowser,
  rowsOfPerson,
  visitedProject,
} from "../../../test/visitors.ts";
import { defaultLimits } from "../../platform/limits.ts";
import { DAY_MS, HOUR_MS } from "../../platform/time/clock.ts";
import { forgetVisitors } from "./forget-loop.ts";

const house = testHouse({ limits: { ...defaultLimits, userEventNames: 4 } });

const namesOf = async ({ api }: TestProject, id: string): Promise<string[]> =>
  (await api.listUserEvents({ path: { id } })).events.map(({ name }) => name).toSorted();

async function droppedIn({ projectId }: TestProject): Promise<number | undefined> {
  const { rows } = await house.database.pool.query<{ dropped: number }>(
    "select sum(dropped)::int4 as dropped from identities where project_id = $1",
    [projectId],
  );
  return rows[0]?.dropped;
}

describe("what a user has no room for when a visitor becomes the user", () => {
  it("is dropped and counted: names of events, and all traits together", async () => {
    const project = await visitedProject(house);
    const browser = openBrowser(project, "room");
    for (const name of ["a", "b", "c"]) await browser.track(name);
    await browser.identify({ one: 1, two: 2, three: 3 });
    for (const event of ["c", "d", "e"]) await project.sdk.track({ body: { userId: "ada", event } });
    const many = Array.from({ length: defaultLimits.userTraitKeys - 2 }, (_, n) => [`t${n}`, n]);
    const own = { one: "own", ...Object.fromEntries(many) };
    await project.api.identifyBatch({ body: { users: [{ userId: "ada", traits: own }] } });
    await browser.signIn("ada");
    const names = await namesOf(project, "ada");
    assert.equal(names.length, 5);
    assert.deepEqual(names.filter((name) => name === "c").length, 2);
    const { user } = await project.api.getUser({ path: { id: "ada" } });
    assert.deepEqual(user.traits, own);
    // One of the names, and the two traits that the user lacked.
    assert.equal(await droppedIn(project), 3);
    assert.deepEqual(await house.differences(), {});
  });

  it("is not what the server owns: that stays as it is", async () => {
    const project = await visitedProject(house);
    const browser = openBrowser(project, "owned");
    await browser.identify({ plan: "visitor", role: "visitor", color: "red" });
    await project.api.identify({ body: { userId: "ada", traits: { plan: "pro", role: "admin" } } });
    await browser.signIn("ada");
    const { user } = await project.api.getUser({ path: { id: "ada" } });
    assert.deepEqual(user.traits, { plan: "pro", role: "admin", color: "red" });
    assert.deepEqual(await house.differences(), {});
  });
});

/** What each operation of pages says to a body. */
const statuses = (project: TestProject, body: Record<string, unknown>) =>
  Promise.all(
    ["track", "identify"].map(async (path) => {
      const answer = await fetch(`${house.url}/api/v1/${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${project.publishableKey}`, "content-type": "application/json" },
        body: JSON.stringify({ ...body, ...(path === "track" ? { event: "looked" } : {}) }),
      });
      return answer.status;
    }),
  );

describe("the id of a visitor", () => {
  it("is 1 to 250 characters of any script, and the id of no program that knows none", async () => {
    const project = await visitedProject(house);
    for (const anonymousId of [
      "a",
      "x".repeat(250),
      "é".repeat(250),
      "名前",
      "a b",
      "' or 1=1 --",
      "%",
      "__proto__",
    ])
      assert.deepEqual(await statuses(project, { anonymousId }), [200, 200], anonymousId);
    for (const anonymousId of [
      "",
      " ",
      "x".repeat(251),
      "null",
      "undefined",
      "NaN",
      "[object Object]",
      "\u0000",
      "a\u0000b",
      "$anon:a",
      "\ud800",
      5,
      null,
    ])
      assert.deepEqual(await statuses(project, { anonymousId }), [400, 400], String(anonymousId));
    assert.deepEqual(await house.differences(), {});
  });

  it("of another project is another visitor", async () => {
    const [first, second] = [await visitedProject(house), await visitedProject(house)];
    await openBrowser(first, "same").track("looked");
    await openBrowser(second, "same").signIn("ada");
    assert.deepEqual(await namesOf(second, "ada"), []);
    await openBrowser(first, "same").signIn("ben");
    assert.deepEqual(await namesOf(first, "ben"), ["looked"]);
    assert.deepEqual(await house.differences(), {});
  });

  it("is refused as that of a user everywhere", async () => {
    const project = await visitedProject(house);
    const { sdk, api } = project;
    const userId = "$anon:b1";
    const message = /must not begin with \$anon:/;
    const calls = [
      () => sdk.track({ body: { userId, event: "looked" } }),
      () => sdk.identify({ body: { userId } }),
      () => api.identify({ body: { userId, anonymousId: "b2" } }),
      () => sdk.getMessages({ query: { userId } }),
      () =>
        sdk.sendDeliveryFeedback({
          path: { id: "del_1" },
          body: { userId, type: "shown", feedbackId: "f1" },
        }),
    ];
    for (const call of calls) {
      const refused = await refusal(call());
      assert.equal(refused.status, 400);
      assert.match(refused.error, message);
    }
    const tracked = await api.trackBatch({ body: { events: [{ userId, event: "looked" }] } });
    assert.match(JSON.stringify(tracked.results), message);
    const identified = await api.identifyBatch({ body: { users: [{ userId }] } });
    assert.match(JSON.stringify(identified.results), message);
    for (const [kind, file] of [
      ["users", `id,plan\n${userId},pro\nada,pro\n`],
      ["events", `id,event,timestamp\n${userId},looked,2025-06-01\nada,looked,2025-06-01\n`],
    ] as const) {
      const brought = await startFile(house, project, await uploadFile(project, file, { kind }));
      assert.deepEqual([brought.written, brought.refused], [1, 1], kind);
    }
    assert.deepEqual(await rowsOfPerson(house, project, userId), {});
    assert.deepEqual(await house.differences(), {});
  });

  it("with that of a user names two, where only one can be meant", async () => {
    const project = await visitedProject(house);
    const body = { userId: "ada", anonymousId: "b1" };
    assert.equal((await refusal(project.sdk.track({ body: { ...body, event: "looked" } }))).status, 400);
    const query = { userId: "ada" };
    assert.equal(
      (await refusal(project.sdk.getMessages({ query, headers: { "x-anonymous-id": "b1" } }))).status,
      400,
    );
  });
});

describe("a report about a delivery", () => {
  it("of before the sign-in counts for the user's, by either id, in the older form too, and once", async () => {
    const project = await visitedProject(house);
    const campaign = await launchForVisitors(project);
    const browser = openBrowser(project, "reports");
    const [message] = await browser.messages();
    const id = message?.deliveryId ?? "";
    const report = (body: Record<string, unknown>) =>
      project.sdk.sendDeliveryFeedback({ path: { id }, body: { type: "shown", ...body } });
    const first = await report({ anonymousId: "reports", feedbackId: "f1" });
    const older = await report({});
    assert.deepEqual([older.userId, older.anonymousId], [undefined, "reports"]);
    await browser.signIn("ada");
    const repeats = [
      await report({ anonymousId: "reports", feedbackId: "f1" }),
      await report({ userId: "ada", feedbackId: "f1" }),
    ];
    for (const { receiptId, acknowledgedAt } of repeats)
      assert.deepEqual([receiptId, acknowledgedAt], [first.receiptId, first.acknowledgedAt]);
    assert.equal((await report({})).receiptId, older.receiptId);
    assert.equal((await report({ type: "clicked" })).userId, "ada");
    const others = [{ userId: "ben" }, { anonymousId: "other" }];
    for (const named of others)
      assert.equal((await refusal(report({ ...named, feedbackId: "f2" }))).status, 404);
    const { stats } = (await project.api.getCampaign({ path: { id: campaign.id } })).campaign;
    assert.deepEqual([stats.shown, stats.clicked], [1, 1]);
    assert.deepEqual(await house.differences(), {});
  });

  it("that the visitor left is that of the user, and counts for what the visitor left", async () => {
    const project = await visitedProject(house);
    const campaign = await launchForVisitors(project);
    const browser = openBrowser(project, "left");
    const [own] = await messagesOf(project, "ada");
    const [theirs] = await browser.messages();
    await feedback(project, own?.deliveryId ?? "", "ada", "shown");
    await browser.signIn("ada");
    await browser.feedback(theirs?.deliveryId ?? "", "shown");
    await feedback(project, theirs?.deliveryId ?? "", "ada", "dismissed");
    const older = await project.sdk.sendDeliveryFeedback({
      path: { id: theirs?.deliveryId ?? "" },
      body: { type: "shown" },
    });
    assert.equal(older.userId, "ada");
    const { stats } = (await project.api.getCampaign({ path: { id: campaign.id } })).campaign;
    assert.deepEqual([stats.shown, stats.dismissed], [2, 1]);
    assert.deepEqual(await house.differences(), {});
  });
});

describe("where users have to be proven", () => {
  it("a visitor's id alone shows and changes nothing of the user whom the visitor became", async () => {
    const project = await visitedProject(house);
    await launchForVisitors(project);
    const browser = openBrowser(project, "proof");
    await browser.identify({ color: "red" });
    assert.equal((await browser.messages()).length, 1);
    await browser.signIn("ada");
    assert.equal((await browser.messages()).length, 1);
    await secretOf(house, project);
    await setSettings(house, project, { "identity.required": "true" });
    house.advance(BELIEVED_MS);
    assert.deepEqual(await browser.messages(), []);
    const answer = await project.sdk.identify({
      body: { anonymousId: "proof", traits: { color: "blue", more: 1 } },
    });
    assert.deepEqual(answer.ignored?.toSorted(), ["color", "more"]);
    const { user } = await project.api.getUser({ path: { id: "ada" } });
    assert.deepEqual(user.traits, { color: "red" });
    assert.equal((await refusal(openBrowser(project, "other").signIn("ada"))).status, 401);
    // Visitors who are no users need no proof.
    assert.equal((await openBrowser(project, "other").messages()).length, 1);
    assert.deepEqual(await house.differences(), {});
  });
});

describe("forgetting visitors", () => {
  it("leaves those who come back, also where they only ask for messages", async () => {
    const project = await visitedProject(house);
    await launchForVisitors(project);
    const comesBack = openBrowser(project, "comes back");
    const stays = openBrowser(project, "stays away");
    const [message] = await comesBack.messages();
    await stays.messages();
    await comesBack.feedback(message?.deliveryId ?? "", "shown");
    await comesBack.feedback(message?.deliveryId ?? "", "dismissed");
    for (let day = 0; day < 40; day++) {
      house.advance(DAY_MS);
      assert.deepEqual(await comesBack.messages(), []);
      await forgetVisitors(house.tidings.app);
    }
    assert.ok("users" in (await rowsOfPerson(house, project, "$anon:comes back")));
    assert.deepEqual(await rowsOfPerson(house, project, "$anon:stays away"), {});
    assert.deepEqual(await house.differences(), {});
  });
});

describe("what a person did", () => {
  const conversions = async (project: TestProject, id: string, event = "paid") => {
    const { totals } = await project.api.getCampaignConversions({ path: { id }, query: { event } });
    const { stats } = (await project.api.getCampaign({ path: { id } })).campaign;
    return [totals.exposedDeliveries, totals.convertedDeliveries, stats.converted];
  };

  it("on another device before the sign-in converts what the visitor met, and the other way round", async () => {
    const project = await visitedProject(house);
    const { goal } = await project.api.createGoal({ body: { name: "Pays", targetEvent: "paid" } });
    const campaign = await launchForVisitors(project, { goalId: goal.id });
    const browser = openBrowser(project, "one");
    await browser.feedback((await browser.messages())[0]?.deliveryId ?? "", "shown");
    house.advance(HOUR_MS);
    await project.sdk.track({ body: { userId: "ada", event: "paid" } });
    assert.deepEqual(await conversions(project, campaign.id), [1, 0, 0]);
    await browser.signIn("ada");
    assert.deepEqual(await conversions(project, campaign.id), [1, 1, 1]);

    const [own] = await messagesOf(project, "ben");
    await feedback(project, own?.deliveryId ?? "", "ben", "shown");
    const other = openBrowser(project, "two");
    house.advance(HOUR_MS);
    await other.track("paid");
    assert.deepEqual(await conversions(project, campaign.id), [2, 1, 1]);
    await other.signIn("ben");
    assert.deepEqual(await conversions(project, campaign.id), [2, 2, 2]);
    assert.deepEqual(await house.differences(), {});
  });

  it("before they met a message does not convert it, whoever of them did", async () => {
    const project = await visitedProject(house);
    const { goal } = await project.api.createGoal({ body: { name: "Pays", targetEvent: "paid" } });
    const campaign = await launchForVisitors(project, { goalId: goal.id });
    await project.sdk.track({ body: { userId: "ada", event: "paid" } });
    house.advance(HOUR_MS);
    const browser = openBrowser(project, "before");
    await browser.feedback((await browser.messages())[0]?.deliveryId ?? "", "shown");
    await browser.signIn("ada");
    assert.deepEqual(await conversions(project, campaign.id), [1, 0, 0]);
    assert.deepEqual(await house.differences(), {});
  });

  it("counts for the holdout in which the visitor was, and for that of the user, each once", async () => {
    const project = await visitedProject(house);
    const { goal } = await project.api.createGoal({
      body: { name: "Pays", targetEvent: "paid", holdoutPercent: 50 },
    });
    await launchForVisitors(project, { goalId: goal.id });
    const sides = { served: 0, withheld: 0 };
    for (let n = 0; n < 16; n++) {
      const browser = openBrowser(project, `b${n}`);
      const isServed = (await browser.messages()).length > 0;
      if (n % 2 === 0) await messagesOf(project, `ada${n}`);
      sides[isServed ? "served" : "withheld"]++;
      house.advance(HOUR_MS);
      await browser.signIn(`ada${n}`);
      // What was drawn stays: the person is shown the campaign where, and only where, it was shown before.
      if (n % 2 === 1) assert.equal((await messagesOf(project, `ada${n}`)).length > 0, isServed);
      await project.sdk.track({ body: { userId: `ada${n}`, event: "paid" } });
    }
    assert.ok(sides.served > 0 && sides.withheld > 0, JSON.stringify(sides));
    const { holdout } = await project.api.getGoalConversions({ path: { id: goal.id } });
    // 16 visitors and 8 users were drawn, and each of these persons paid.
    const [served, withheld] = [holdout.served.pending, holdout.withheld.pending];
    assert.deepEqual(
      [served.exposedUsers + withheld.exposedUsers, served.convertedUsers + withheld.convertedUsers],
      [24, 24],
    );
    assert.deepEqual(await house.differences(), {});
  });

  it("and was deleted for its age is the user's number still", async () => {
    const project = await visitedProject(house);
    await setSettings(house, project, { "retention.eventsDays": "7" });
    const now = house.now();
    await bringEventsOf(project, "aged", [
      { name: "looked", id: "e1", ts: now - 6 * DAY_MS },
      { name: "looked", id: "e2", ts: now },
    ]);
    await project.api.trackBatch({
      body: { events: [{ userId: "ada", event: "looked", eventId: "e3", ts: now - 6 * DAY_MS }] },
    });
    house.advance(3 * DAY_MS);
    await house.drain();
    await openBrowser(project, "aged").signIn("ada");
    const { rows } = await house.database.pool.query<{ count: number; retired: number }>(
      "select count, retired from event_counts where project_id = $1",
      [project.projectId],
    );
    assert.deepEqual(
      rows.map(({ count, retired }) => [Number(count), Number(retired)]),
      [[3, 2]],
    );
    assert.deepEqual(await house.differences(), {});
  });
});

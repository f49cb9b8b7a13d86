import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  all,
  any,
  days,
  event,
  expression,
  type Node,
  not,
  property,
  trait,
  user,
} from "../../../test/audience/trees.ts";
import { feedback, launchCampaign, messagesOf, toast } from "../../../test/factories.ts";
import { type TestProject, testHouse } from "../../../test/harness.ts";

const house = testHouse();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const audienceOf = (root: Node) => ({ kind: "expression" as const, expression: expression(root) });
/** Launches a campaign for an audience under a title. */
const launch = (project: TestProject, title: string, root: Node) =>
  launchCampaign(project, { message: toast(title), audience: audienceOf(root) });
const titlesOf = async (project: TestProject, userId: string) =>
  (await messagesOf(project, userId)).map(({ content }) => String(content.title)).toSorted();
const track = ({ sdk }: TestProject, userId: string, name: string, props?: Record<string, unknown>) =>
  sdk.track({ body: { userId, event: name, ...(props === undefined ? {} : { props }) } });

describe("getMessages by audience", () => {
  it("counts what happened, in a window and with properties", async () => {
    const project = await house.project();
    await launch(project, "twice", event("paid", { count: { op: "gte", value: 2 } }));
    await launch(project, "lately", event("paid", { window: days(1) }));
    await launch(project, "dearly", event("paid", { where: [property("amount", "gte", 50)] }));
    await launch(
      project,
      "lately twice in EUR",
      event("paid", {
        count: { op: "eq", value: 2 },
        window: { amount: 2, unit: "hours" },
        where: [property("currency", "in", ["EUR"]), property("coupon", "not_exists")],
      }),
    );
    await launch(project, "never", event("paid", { count: { op: "eq", value: 0 } }));
    for (const [userId, amount] of [
      ["ada", 80],
      ["bo", 20],
      ["cy", "80"],
    ] as const)
      await track(project, userId, "paid", { amount, currency: "EUR" });
    house.advance(DAY + 1);
    await track(project, "bo", "paid", { amount: 10, currency: "EUR" });
    await track(project, "bo", "paid", { amount: 10, currency: "EUR" });
    await track(project, "bo", "paid", { amount: 10, currency: "EUR", coupon: "x" });
    assert.deepEqual(await titlesOf(project, "ada"), ["dearly"]);
    assert.deepEqual(await titlesOf(project, "bo"), ["lately", "lately twice in EUR", "twice"]);
    assert.deepEqual(await titlesOf(project, "cy"), []);
    assert.deepEqual(await titlesOf(project, "di"), ["never"]);
  });

  it("crosses the edge of a window to the millisecond", async () => {
    const project = await house.project();
    const start = house.now();
    const hour = { amount: 1, unit: "hours" } as const;
    await launch(project, "within", event("opened", { window: hour }));
    await launch(project, "without", not(event("opened", { window: { amount: 60, unit: "minutes" } })));
    // One user per instant, because a user who was served once is served again.
    for (const [index, [later, expected]] of (
      [
        [0, "within"],
        [HOUR - 1, "within"],
        [HOUR, "within"],
        [HOUR + 1, "without"],
      ] as const
    ).entries()) {
      house.at(start);
      await track(project, `user ${index}`, "opened");
      house.at(start + later);
      assert.deepEqual(await titlesOf(project, `user ${index}`), [expected], `after ${later} ms`);
    }
  });

  it("asks when a user was first and last seen, to the millisecond", async () => {
    const project = await house.project();
    const start = house.now();
    await launch(project, "new", user("firstSeenAt", "within_last", days(1)));
    await launch(
      project,
      "back",
      all(
        user("lastSeenAt", "within_last", { amount: 5, unit: "minutes" }),
        user("firstSeenAt", "not_within_last", days(1)),
      ),
    );
    await launch(project, "gone", user("lastSeenAt", "before", new Date(start + 1).toISOString()));
    await launch(project, "since", user("lastSeenAt", "after", new Date(start).toISOString()));
    for (const userId of ["ada", "bo", "cy"]) await project.sdk.identify({ body: { userId } });
    house.at(start + DAY);
    assert.deepEqual(await titlesOf(project, "ada"), ["gone", "new"]);
    house.at(start + DAY + 1);
    assert.deepEqual(await titlesOf(project, "bo"), ["gone"]);
    await track(project, "cy", "opened");
    house.advance(5 * MINUTE);
    assert.deepEqual(await titlesOf(project, "cy"), ["back", "since"]);
  });

  it("follows an instant ahead that comes nearer, by time alone", async () => {
    const project = await house.project();
    const start = house.now();
    await launch(project, "soon", trait("trial_ends", "within_next", days(3)));
    await launch(project, "not soon", trait("trial_ends", "not_within_next", days(3)));
    const traits = { trial_ends: new Date(start + 5 * DAY).toISOString() };
    // One user per instant, because a user who was served once is served again.
    const instants = [
      [0, "not soon"],
      [2 * DAY - 1, "not soon"],
      [2 * DAY, "soon"],
      [5 * DAY, "soon"],
      [5 * DAY + 1, "not soon"],
    ] as const;
    for (const [index] of instants.entries())
      await project.sdk.identify({ body: { userId: `user ${index}`, traits } });
    for (const [index, [later, expected]] of instants.entries()) {
      house.at(start + later);
      assert.deepEqual(await titlesOf(project, `user ${index}`), [expected], `after ${later} ms`);
    }
  });

  it("serves a user who was not served before, once the instant is in reach, and until the message is resolved", async () => {
    const project = await house.project();
    await launch(project, "soon", trait("trial_ends", "within_next", days(3)));
    const traits = { trial_ends: new Date(house.now() + 5 * DAY).toISOString() };
    await project.sdk.identify({ body: { userId: "ada", traits } });
    assert.deepEqual(await titlesOf(project, "ada"), []);
    house.advance(2 * DAY);
    const [message] = await messagesOf(project, "ada");
    assert.equal(message?.content.title, "soon");
    for (const type of ["shown", "dismissed"] as const)
      await feedback(project, message?.deliveryId ?? "", "ada", type);
    assert.deepEqual(await titlesOf(project, "ada"), []);
  });

  it("names single users by their ids, also those who come for the first time", async () => {
    const project = await house.project();
    const { id } = await launch(project, "testers", user("id", "in", ["ada", "Bo", "007"]));
    await launch(project, "others", user("id", "not_in", ["ada", "Bo", "007"]));
    await launch(project, "not both", not(all(user("id", "starts_with", "0"), user("id", "ends_with", "7"))));
    await project.sdk.identify({ body: { userId: "ada" } });
    for (const [userId, titles] of [
      ["ada", ["not both", "testers"]],
      ["Bo", ["not both", "testers"]],
      ["bo", ["not both", "others"]],
      ["007", ["testers"]],
      ["01", ["not both", "others"]],
    ] as const)
      assert.deepEqual(await titlesOf(project, userId), titles, userId);
    for (const [userId, passes, note] of [
      ["Max", false, /user id is one of "007", "Bo", "ada" \(it is "Max"\)/],
      ["ada", true, /./],
    ] as const) {
      const { gates } = await project.api.explainCampaign({ path: { id }, body: { userId } });
      const audience = gates.find(({ gate }) => gate === "audience");
      assert.ok(audience && "matched" in audience);
      assert.equal(audience.matched, passes);
      assert.match(audience.note, note);
    }
  });

  it("serves whoever does what it takes, from the next request on", async () => {
    const project = await house.project();
    await launch(
      project,
      "on",
      all(trait("plan", "starts_with", "pro"), event("opened", { count: { op: "gte", value: 3 } })),
    );
    await project.sdk.identify({ body: { userId: "ada", traits: { plan: "pro-yearly" } } });
    for (let times = 0; times < 3; times++) {
      assert.deepEqual(await titlesOf(project, "ada"), []);
      await track(project, "ada", "opened");
    }
    assert.deepEqual(await titlesOf(project, "ada"), ["on"]);
  });

  it("goes on serving whom it served, whatever they do next", async () => {
    const project = await house.project();
    await launch(project, "on", not(event("paid", { window: days(1) })));
    const [message] = await messagesOf(project, "ada");
    await track(project, "ada", "paid");
    assert.deepEqual(await messagesOf(project, "ada"), [message]);
    for (const type of ["shown", "dismissed"] as const)
      await feedback(project, message?.deliveryId ?? "", "ada", type);
    house.advance(2 * DAY);
    assert.deepEqual(await messagesOf(project, "ada"), []);
  });

  it("knows nothing of a visitor who comes for the first time", async () => {
    const project = await house.project();
    const roots: Readonly<Record<string, Node>> = {
      "no plan": trait("plan", "not_exists"),
      "not pro": not(trait("plan", "eq", "pro")),
      "never paid": not(event("paid")),
      "never lately": event("paid", { window: days(1), count: { op: "eq", value: 0 } }),
      "not known": user("firstSeenAt", "not_exists"),
      "other plan": trait("plan", "neq", "pro"),
      "new here": user("firstSeenAt", "within_last", days(1)),
      known: user("lastSeenAt", "exists"),
      paid: event("paid", { where: [property("amount", "not_exists")] }),
    };
    for (const [title, root] of Object.entries(roots)) await launch(project, title, root);
    const first = ["never lately", "never paid", "no plan", "not known", "not pro"];
    assert.deepEqual(await titlesOf(project, "ada"), first);
    // The deliveries created the user, so the next request matches more.
    assert.deepEqual(await titlesOf(project, "ada"), [...first, "known", "new here"].toSorted());
    assert.equal((await project.api.getUser({ path: { id: "ada" } })).user.firstSeenAt, house.now());
  });
});

describe("getMessages, several audiences at once", () => {
  it("tells needs apart that differ in one thing, and counts equal ones alike", async () => {
    const project = await house.project();
    const opened = { window: days(1), where: [property("page", "eq", "a")] };
    const roots: readonly [string, Node, boolean][] = [
      ["same 1", event("opened", opened), true],
      ["same 2", event("opened", { ...opened, count: { op: "eq", value: 1 } }), true],
      ["same, not", not(event("opened", opened)), false],
      ["other name", event("closed", opened), false],
      ["other window", event("opened", { ...opened, window: days(2), count: { op: "eq", value: 2 } }), true],
      ["other unit", event("opened", { ...opened, window: { amount: 1, unit: "hours" } }), false],
      ["other value", event("opened", { ...opened, where: [property("page", "eq", "b")] }), false],
      ["no where", event("opened", { window: days(1), count: { op: "eq", value: 2 } }), true],
      ["no window", event("opened", { where: opened.where, count: { op: "eq", value: 2 } }), true],
      ["neither", event("opened", { count: { op: "eq", value: 3 } }), true],
      ["everyone", any(event("opened"), not(event("opened"))), true],
    ];
    for (const [title, root] of roots) await launch(project, title, root);
    await track(project, "ada", "opened", { page: "a" });
    house.advance(DAY);
    await track(project, "ada", "opened", { page: "a" });
    await track(project, "ada", "opened", { page: "c" });
    house.advance(2 * HOUR);
    const expected = roots.filter(([, , isServed]) => isServed).map(([title]) => title);
    assert.deepEqual(await titlesOf(project, "ada"), expected.toSorted());
  });

  it("answers users of many projects in one go, each by the needs of their own", async () => {
    const projects = await Promise.all(Array.from({ length: 6 }, () => house.project()));
    for (const [index, project] of projects.entries()) {
      // Project 0 has no need of single events, project 1 has one, project 2 two, and so on.
      await launch(project, "paid", event("paid"));
      for (let need = 0; need < index; need++)
        await launch(
          project,
          `need ${need}`,
          event("paid", { where: [property("n", "eq", need)], window: days(need + 1) }),
        );
    }
    const users = Array.from({ length: 5 }, (_, n) => n);
    for (const project of projects) for (const n of users) await track(project, `user ${n}`, "paid", { n });
    const requests = users.flatMap((n) => projects.map((project, index) => ({ project, index, n })));
    const rounds = await Promise.all(
      requests.flatMap(({ project, n }) => [
        titlesOf(project, `user ${n}`),
        titlesOf(project, `stranger ${n}`),
      ]),
    );
    for (const [position, { index, n }] of requests.entries()) {
      assert.deepEqual(rounds[position * 2], n < index ? [`need ${n}`, "paid"] : ["paid"], `${index} ${n}`);
      assert.deepEqual(rounds[position * 2 + 1], []);
    }
  });

  it("serves by a changed audience from the next request on, however many ask meanwhile", async () => {
    const project = await house.project();
    for (const userId of ["payer", "reader"])
      await track(project, userId, userId === "payer" ? "paid" : "read");
    const { id } = await launch(project, "on", event("paid", { window: days(1) }));
    const change = (root: Node) =>
      project.api.updateCampaign({ path: { id }, body: { audience: audienceOf(root) } });
    const names = ["read", "paid", "read", "paid"];
    for (const [round, name] of names.entries()) {
      const users = Array.from({ length: 12 }, (_, i) => `user ${round} ${i}`);
      for (const userId of users) await track(project, userId, "paid");
      const meanwhile = users.slice(6).map((userId) => messagesOf(project, userId));
      // Each audience has another window, so that the needs change with it.
      await change(event(name, { window: days(round + 2) }));
      const after = await Promise.all(users.slice(0, 6).map((userId) => titlesOf(project, userId)));
      assert.deepEqual(
        after,
        users.slice(0, 6).map(() => (name === "paid" ? ["on"] : [])),
      );
      await Promise.all(meanwhile);
    }
  });

  it("leaves those alone who have a delivery, when the audience is edited", async () => {
    const project = await house.project();
    for (const userId of ["ada", "bo"]) await track(project, userId, "paid");
    const { id } = await launch(project, "on", event("paid"));
    const before = await messagesOf(project, "ada");
    const audience = audienceOf(event("paid", { count: { op: "gte", value: 2 } }));
    await project.api.updateCampaign({ path: { id }, body: { audience } });
    assert.deepEqual(await messagesOf(project, "ada"), before);
    assert.deepEqual(await titlesOf(project, "bo"), []);
    const { deliveries } = await project.api.listCampaignDeliveries({ path: { id } });
    assert.deepEqual(
      deliveries.map(({ externalUserId }) => externalUserId),
      ["ada"],
    );
    await track(project, "bo", "paid");
    assert.deepEqual(await titlesOf(project, "bo"), ["on"]);
  });

  it("leaves no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});

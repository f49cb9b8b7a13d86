import assert from "node:assert/strict";
import { describe, it } from "node:test";
import RudderStack from "@rudderstack/rudder-sdk-node";
import { Analytics } from "@segment/analytics-node";
import { startFile, uploadFile } from "../../../test/bringing.ts";
import { setSettings } from "../../../test/email.ts";
import { type TestProject, testHouse } from "../../../test/harness.ts";
import { countsOf, reasonsOf, sendBatch, sendTo } from "../../../test/intake.ts";
import { BELIEVED_MS, hashOf, provingProject } from "../../../test/perimeter.ts";
import { openBrowser, visitedProject } from "../../../test/visitors.ts";

const house = testHouse();

const VISITOR = "b7e1";
const by = { anonymousId: VISITOR };
const both = { userId: "ada", ...by };
const track = (event: string, named: object) => ({ type: "track", event, messageId: event, ...named });
const identify = (named: object, traits: object = {}) => ({ type: "identify", traits, ...named });

const namesOf = async ({ api }: TestProject, id: string): Promise<string[]> =>
  (await api.listUserEvents({ path: { id } })).events.map(({ name }) => name).toSorted();
const traitsOf = async ({ api }: TestProject, id: string) =>
  (await api.getUser({ path: { id } })).user.traits;
const isKnown = async ({ api }: TestProject, id: string): Promise<boolean> =>
  api.getUser({ path: { id } }).then(
    () => true,
    () => false,
  );

/** How many rows of users and visitors a project has. */
async function rowsOf({ projectId }: TestProject): Promise<number> {
  const { rows } = await house.database.pool.query<{ count: number }>(
    "select count(*)::int4 as count from users where project_id = $1",
    [projectId],
  );
  return rows[0]?.count ?? 0;
}

/** Sends a batch with the publishable key, which has to be taken. */
async function sendOpenly(project: TestProject, batch: readonly unknown[]): Promise<void> {
  const answer = await sendTo(project, "batch", { batch });
  assert.deepEqual([answer.status, answer.body], [200, { success: true }]);
}

describe("calls of a visitor", () => {
  it("are theirs, and the user's from an identify with both ids on, in one batch", async () => {
    const project = await visitedProject(house);
    await sendBatch(project, [
      track("looked", by),
      { type: "page", messageId: "p", ...by },
      identify(by, { theme: "dark", plan: "free" }),
      { type: "group", groupId: "acme", ...by },
      identify(both, { plan: "pro" }),
      track("paid", both),
      track("left", by),
      identify(by, { theme: "light" }),
    ]);
    assert.deepEqual(await namesOf(project, "ada"), ["left", "looked", "page", "paid"]);
    assert.deepEqual(await traitsOf(project, "ada"), {
      plan: "pro",
      theme: "light",
      group: { id: "acme" },
      group_id: "acme",
    });
    assert.equal(await rowsOf(project), 1);
    assert.deepEqual((await countsOf(project)).problems, {});
    assert.deepEqual(await house.differences(), {});
  });

  it("with both ids are the user's, and join nobody", async () => {
    const project = await visitedProject(house);
    await sendBatch(project, [track("looked", by), track("paid", both), { type: "page", ...both }]);
    assert.deepEqual(await namesOf(project, "ada"), ["page", "paid"]);
    assert.deepEqual(await namesOf(project, `$anon:${VISITOR}`), ["looked"]);
  });

  it("join the first user that an identify names, and no other", async () => {
    const project = await visitedProject(house);
    await sendBatch(project, [
      track("looked", by),
      identify(both),
      identify({ ...by, userId: "bob" }, { plan: "free" }),
      track("paid", by),
      { type: "alias", userId: "carl", previousId: VISITOR },
    ]);
    assert.deepEqual(await namesOf(project, "ada"), ["looked", "paid"]);
    assert.deepEqual(await namesOf(project, "bob"), []);
    assert.deepEqual(await traitsOf(project, "bob"), { plan: "free" });
    assert.deepEqual(await reasonsOf(project), { other_user: 1, two_users: 1 });
    // The same once more is no fault.
    await sendBatch(project, [identify(both), { type: "alias", userId: "ada", previousId: VISITOR }]);
    assert.deepEqual(await reasonsOf(project), { other_user: 1, two_users: 1 });
    assert.deepEqual(await house.differences(), {});
  });

  it("of many in one batch join each their own", async () => {
    const project = await visitedProject(house);
    const people = Array.from({ length: 60 }, (_, n) => ({ userId: `user-${n}`, anonymousId: `b-${n}` }));
    const calls = (make: (pair: (typeof people)[number]) => object) => people.map(make);
    await sendBatch(project, [
      ...calls(({ anonymousId }) => ({ type: "track", event: "looked", anonymousId })),
      ...calls((pair) => identify(pair)),
      ...calls((pair) => ({ type: "track", event: "paid", ...pair })),
      ...calls(({ anonymousId }) => ({ type: "track", event: "left", anonymousId })),
    ]);
    for (const { userId } of people)
      assert.deepEqual(await namesOf(project, userId), ["left", "looked", "paid"]);
    assert.equal(await rowsOf(project), people.length);
    assert.deepEqual(await house.differences(), {});
  });

  it("are refused and counted where the id is no one's, and where no visitors are kept", async () => {
    const project = await visitedProject(house);
    const long = "x".repeat(251);
    await sendBatch(project, [
      track("one", { anonymousId: "undefined" }),
      track("two", { anonymousId: long }),
      track("three", {}),
      identify({ userId: "ada", anonymousId: "null" }, { plan: "pro" }),
    ]);
    assert.deepEqual(await countsOf(project), {
      calls: { "unknown track": [0, 3], "unknown identify": [1, 0] },
      problems: {
        "unknown track visitor_id": [2, ["one", "two"]],
        "unknown track no_user": [1, ["three"]],
        "unknown identify visitor_left_out": [1, []],
      },
    });
    const without = await house.project();
    await sendBatch(without, [track("looked", by), identify(both), track("paid", both)]);
    assert.deepEqual(await namesOf(without, "ada"), ["paid"]);
    assert.deepEqual(await reasonsOf(without), { no_user: 1 });
    assert.equal(await rowsOf(without), 1);
    await setSettings(house, project, { "visitors.enabled": "false" });
    house.advance(BELIEVED_MS);
    await sendBatch(project, [track("looked", by)]);
    assert.equal((await reasonsOf(project)).no_user, 2);
  });

  it("make nobody active", async () => {
    const project = await visitedProject(house);
    const activeOf = async () => {
      const { rows } = await house.database.pool.query<{ users: number }>(
        "select coalesce(sum(users), 0)::int4 as users from active_user_counts where project_id = $1",
        [project.projectId],
      );
      return rows[0]?.users;
    };
    await sendBatch(project, [track("looked", by), identify(by, { plan: "pro" })]);
    assert.equal(await activeOf(), 0);
    await sendBatch(project, [identify(both)]);
    assert.equal(await activeOf(), 1);
    assert.deepEqual(await house.differences(), {});
  });
});

describe("an alias", () => {
  it("joins the visitor whom it names as the id before, and never a user", async () => {
    const project = await visitedProject(house);
    await sendBatch(project, [
      track("looked", by),
      track("paid", { userId: "bob" }),
      { type: "alias", userId: "ada", previousId: VISITOR },
      { type: "alias", userId: "ada", previousId: "bob" },
      { type: "alias", userId: "ada", previousId: "nobody-knows" },
      // As analytics.js says it before anything else of the visitor has come.
      { type: "alias", userId: "carl", previousId: "c3", anonymousId: "c3" },
      track("came_back", { anonymousId: "c3" }),
    ]);
    assert.deepEqual(await namesOf(project, "ada"), ["looked"]);
    assert.deepEqual(await namesOf(project, "bob"), ["paid"]);
    assert.deepEqual(await namesOf(project, "carl"), ["came_back"]);
    assert.deepEqual(await reasonsOf(project), { two_users: 2 });
    assert.deepEqual(await house.differences(), {});
  });
});

describe("proof of users", () => {
  it("is demanded where a visitor becomes a user, and of what is said of that user by the visitor's id", async () => {
    const { project, secret } = await provingProject(house);
    await setSettings(house, project, { "visitors.enabled": "true" });
    house.advance(BELIEVED_MS);
    const proven = { context: { userHash: hashOf(secret, "ada") } };
    await sendOpenly(project, [
      track("looked", by),
      identify(by, { theme: "dark" }),
      identify(both),
      { type: "alias", userId: "ada", previousId: VISITOR, ...by },
      identify({ ...both, context: { userHash: hashOf(secret, "bob") } }),
    ]);
    assert.equal(await isKnown(project, "ada"), false);
    assert.deepEqual(await namesOf(project, `$anon:${VISITOR}`), ["looked"]);
    assert.deepEqual((await countsOf(project)).problems, {
      "unknown identify unidentified": [2, []],
      "unknown alias unidentified": [1, []],
    });
    await sendOpenly(project, [
      identify({ ...both, ...proven }, { plan: "pro" }),
      track("paid", by),
      // Another person may use this browser by now.
      identify(by, { plan: "free" }),
      { type: "group", groupId: "acme", ...by },
    ]);
    assert.deepEqual(await namesOf(project, "ada"), ["looked", "paid"]);
    assert.deepEqual(await traitsOf(project, "ada"), { theme: "dark", plan: "pro" });
    assert.equal((await reasonsOf(project)).unidentified, 5);
    const aliased = { type: "alias", userId: "ada", previousId: "b8", anonymousId: "b8", ...proven };
    await sendOpenly(project, [track("elsewhere", { anonymousId: "b8" }), aliased]);
    assert.deepEqual(await namesOf(project, "ada"), ["elsewhere", "looked", "paid"]);
  });
});

describe("an archive of calls", () => {
  it("brings what users did, counts what visitors did, and joins no visitor of now", async () => {
    const project = await visitedProject(house);
    await sendBatch(project, [track("looked", by)]);
    const times = { timestamp: "2026-01-01T10:00:00.000Z", receivedAt: "2026-01-01T10:00:01.000Z" };
    const archive = [track("old", by), track("paid", both), identify(both), identify(by)]
      .map((call) => `${JSON.stringify({ ...call, ...times })}\n`)
      .join("");
    for (const kind of ["events", "users"] as const) {
      const id = await uploadFile(project, Buffer.from(archive), { kind, name: `${kind}.json` });
      const { state, refused, reasons } = await startFile(house, project, id, { whoLeft: "nobody" });
      assert.deepEqual(
        [state, refused, reasons.map(({ reason, field, count }) => [reason, field, count])],
        ["done", 1, [["visitor", "anonymousId", 1]]],
      );
    }
    assert.deepEqual(await namesOf(project, "ada"), ["paid"]);
    assert.deepEqual(await namesOf(project, `$anon:${VISITOR}`), ["looked"]);
    assert.deepEqual(await house.differences(), {});
  });
});

describe("libraries for servers", () => {
  /** What a library sends of a visitor who signs in, one call after the other. */
  type Visit = { track: (event: string, named: object) => void; identify: (named: object) => void };
  const visit = ({ track: tracks, identify: identifies }: Visit): void => {
    tracks("looked", by);
    tracks("basket_opened", by);
    identifies({ ...both, traits: { plan: "pro" } });
    tracks("paid", both);
    tracks("left", by);
  };

  it("have one person with all events, once each: Segment", async () => {
    const project = await visitedProject(house);
    const analytics = new Analytics({ host: house.url, writeKey: project.secretKey, flushAt: 3 });
    type Named = Parameters<typeof analytics.identify>[0];
    visit({
      track: (event, named) => analytics.track({ event, ...(named as Named) }),
      identify: (named) => analytics.identify(named as Named),
    });
    await analytics.closeAndFlush();
    await assertOnePerson(project);
  });

  it("have one person with all events, once each: RudderStack", async () => {
    const project = await visitedProject(house);
    const analytics = new RudderStack(project.publishableKey, {
      dataPlaneUrl: house.url,
      flushAt: 100,
      flushInterval: 60_000,
      logLevel: "none",
    });
    type Named = Parameters<typeof analytics.identify>[0];
    visit({
      track: (event, named) => void analytics.track({ event, ...(named as Named) }),
      identify: (named) => void analytics.identify(named as Named),
    });
    await analytics.flush();
    await assertOnePerson(project);
  });

  async function assertOnePerson(project: TestProject): Promise<void> {
    assert.deepEqual(await namesOf(project, "ada"), ["basket_opened", "left", "looked", "paid"]);
    assert.deepEqual(await traitsOf(project, "ada"), { plan: "pro" });
    assert.equal(await rowsOf(project), 1);
    assert.deepEqual(await reasonsOf(project), {});
    // The browser that is shown messages meets the same person.
    assert.deepEqual(await openBrowser(project, VISITOR).messages(), []);
    assert.deepEqual(await house.differences(), {});
  }
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Input } from "@tidings/client";
import { launchCampaign, messagesOf } from "../../../../../test/factories.ts";
import { type TestProject, testHouse } from "../../../../../test/harness.ts";
import { clientOf } from "../../../../../test/people.ts";
import { openBrowser, visitedProject } from "../../../../../test/visitors.ts";
import { visitorIdOf } from "../../../../domain/visitors.pure.ts";

const house = testHouse();
const VISITOR = visitorIdOf("a-browser");

/** A project with the users ada and ben, and the visitors of two browsers, all of them on a plan. */
async function mixed(): Promise<TestProject> {
  const project = await visitedProject(house);
  for (const userId of ["ada", "ben"]) {
    house.advance(1);
    await project.api.identify({ body: { userId, traits: { plan: "pro", name: `Pat ${userId}` } } });
  }
  for (const anonymousId of ["a-browser", "b-browser"]) {
    house.advance(1);
    await openBrowser(project, anonymousId).track("looked");
    await project.api.identify({
      body: { anonymousId, traits: { plan: "pro", name: `Pat ${anonymousId}` } },
    });
  }
  return project;
}

const namesOf = (users: readonly { externalUserId: string }[]) =>
  users.map(({ externalUserId }) => externalUserId);

describe("lists of users", () => {
  it("leave visitors out, or have nothing but visitors", async () => {
    const { api, agent } = await mixed();
    const listed = async (query: NonNullable<Input<"listUsers">["query"]>) => {
      const { users, total } = await api.listUsers({ query });
      return [namesOf(users), total];
    };
    assert.deepEqual(await listed({}), [["ben", "ada"], 2]);
    assert.deepEqual(await listed({ q: "pat" }), [["ben", "ada"], 2]);
    assert.deepEqual(await listed({ visitors: "none" }), [["ben", "ada"], 2]);
    const both = [visitorIdOf("b-browser"), VISITOR];
    assert.deepEqual(await listed({ visitors: "only" }), [both, 2]);
    assert.deepEqual(await listed({ visitors: "only", q: "a-browser" }), [[VISITOR], 1]);
    assert.deepEqual(await listed({ visitors: "only", traitKey: "plan", traitValue: "pro" }), [both, 2]);
    const { totalUsers, newUsers, activeUsers, visitors } = await api.getUserSummary({});
    assert.deepEqual([totalUsers, newUsers, activeUsers, visitors], [2, 2, 2, 2]);
    const found = async (body: Input<"findUsers">["body"]) => {
      const { users } = await agent.findUsers({ body });
      return users.map(({ externalUserId, isVisitor }) => [externalUserId, isVisitor]);
    };
    assert.deepEqual(await found({ q: "pat" }), [
      ["ben", false],
      ["ada", false],
    ]);
    assert.deepEqual(await found({ q: "browser" }), []);
    assert.deepEqual(await found({ q: VISITOR }), [[VISITOR, true]]);
    assert.deepEqual(await found({ q: "ada", visitors: "only" }), []);
    assert.deepEqual(await found({ q: "pat", visitors: "only" }), [
      [visitorIdOf("b-browser"), true],
      [VISITOR, true],
    ]);
    const { users: named } = await agent.listUserNames({ body: { userIds: ["ada", VISITOR] } });
    assert.deepEqual(
      named.map(({ name }) => name),
      ["Pat ada", "Pat a-browser"],
    );
  });

  it("leave visitors out of files too, but for a file of visitors", async () => {
    const { secretKey } = await mixed();
    const take = async (query: string) => {
      const response = await fetch(`${house.url}/api/v1/extracts/users.ndjson${query}`, {
        headers: { authorization: `Bearer ${secretKey}` },
      });
      const lines = (await response.text()).trimEnd().split("\n");
      return namesOf(lines.map((line) => JSON.parse(line) as { externalUserId: string })).sort();
    };
    assert.deepEqual(await take(""), ["ada", "ben"]);
    assert.deepEqual(await take("?visitors=only"), [VISITOR, visitorIdOf("b-browser")]);
  });

  it("leave visitors out of segments, of what an audience counts, and of the overview", async () => {
    const project = await mixed();
    const { api } = project;
    const { client } = await clientOf(house, project.projectId, "viewer");
    const root = { kind: "field", field: { kind: "trait", key: "plan" }, op: "eq", value: "pro" } as const;
    const expression = { version: 1 as const, root };
    await api.createSegment({ body: { key: "pro", name: "Pro", expression } });
    const { users } = await api.listSegmentUsers({ path: { id: "pro" } });
    assert.deepEqual(namesOf(users).sort(), ["ada", "ben"]);
    const check = await api.checkAudience({ body: { expression } });
    assert.deepEqual(namesOf(check.samples), ["ada", "ben"]);
    assert.deepEqual(
      [check.matchedCount, check.totalUsers, check.matchedVisitors, check.totalVisitors],
      [2, 2, 2, 2],
    );
    const ofVisitors = { kind: "event", event: "looked" } as const;
    const none = await api.checkAudience({ body: { expression: { version: 1, root: ofVisitors } } });
    assert.deepEqual([none.matchedCount, none.matchedVisitors, none.diagnostics], [0, 2, []]);
    const nodes = await client.countAudienceNodes({ body: { expression } });
    assert.deepEqual([nodes.totalUsers, nodes.nodes[0]?.users], [2, 2]);
    assert.equal((await api.getOverview({})).endUsers, 2);
    const { items } = await api.listActivity({});
    assert.equal(items.filter(({ kind }) => kind === "user").length, 2);
  });
});

describe("a visitor", () => {
  it("is read by the id of the browser, or by the other one, and says what it is", async () => {
    const { api } = await mixed();
    const { user, identities } = await api.getUser({ path: { id: VISITOR } });
    assert.deepEqual(
      [user.externalUserId, user.isVisitor, user.traits.plan, identities],
      [VISITOR, true, "pro", []],
    );
    assert.deepEqual((await api.getUser({ path: { id: user.id } })).user, user);
    assert.equal((await api.getUser({ path: { id: "ada" } })).user.isVisitor, false);
    const { events } = await api.listUserEvents({ path: { id: VISITOR } });
    assert.deepEqual(
      events.map(({ name }) => name),
      ["looked"],
    );
  });

  it("who signed in is said of the user, without the secret of the browser", async () => {
    const project = await mixed();
    await launchCampaign(project, { visitors: "also" });
    const browsers = ["a-browser", "b-browser"].map((id) => openBrowser(project, id));
    const ids: string[] = [];
    for (const browser of browsers) {
      await browser.messages();
      ids.push((await project.api.getUser({ path: { id: visitorIdOf(browser.anonymousId) } })).user.id);
    }
    const linkedAt: number[] = [];
    for (const browser of browsers) {
      house.advance(1_000);
      linkedAt.push(house.now());
      await browser.signIn("ada");
    }
    const answer = await project.api.getUser({ path: { id: "ada" } });
    assert.deepEqual(answer.identities, [
      { id: ids[1], linkedAt: linkedAt[1], hasDeliveriesApart: true, dropped: 0 },
      { id: ids[0], linkedAt: linkedAt[0], hasDeliveriesApart: false, dropped: 0 },
    ]);
    assert.ok(!JSON.stringify(answer).includes("-browser"), JSON.stringify(answer));
    assert.equal((await messagesOf(project, "ada")).length, 1);
  });

  it("makes no project one that has users", async () => {
    const project = await visitedProject(house);
    const { client } = await clientOf(house, project.projectId, "viewer");
    await openBrowser(project, "a-browser").track("looked");
    const hasUser = async () => (await client.getSetup({})).hasUser;
    assert.equal(await hasUser(), false);
    await openBrowser(project, "a-browser").signIn("ada");
    assert.equal(await hasUser(), true);
  });
});

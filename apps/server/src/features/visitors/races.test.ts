import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { TidingsError } from "@tidings/client";
import { feedback, messagesOf } from "../../../test/factories.ts";
import { type TestProject, testHouse } from "../../../test/harness.ts";
import { rounds } from "../../../test/rounds.ts";
import {
  type Browser,
  launchForVisitors,
  openBrowser as openOneBrowser,
  rowsOfPerson,
  visitedProject,
} from "../../../test/visitors.ts";
import { DAY_MS } from "../../platform/time/clock.ts";
import { retireEvents } from "../users/events/retire-store.ts";
import { forgetVisitors } from "./forget-loop.ts";

const house = testHouse();

const TURNS = rounds(20, 200);

/** So often a client sends again what the server has no time for (503): while a user is being changed, it says so. */
const MOST_TRIES = 20;

/** Sends a request again that was answered with 503, as every client does. */
async function patient<T>(send: () => Promise<T>, tries = 1): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof TidingsError) || error.status !== 503 || tries >= MOST_TRIES) throw error;
    return patient(send, tries + 1);
  }
}

/** Statuses of requests; those that are as meant, and those that a race may bring (404, 409), but never a fault of the server. */
async function tried(send: () => Promise<unknown>): Promise<number> {
  try {
    await patient(send);
    return 200;
  } catch (error) {
    if (!(error instanceof TidingsError) || error.status >= 500) throw error;
    return error.status;
  }
}

/** A browser that is as patient. */
function openBrowser(side: TestProject, name: string): Browser {
  const browser = openOneBrowser(side, name);
  return {
    anonymousId: browser.anonymousId,
    track: (...given) => patient(() => browser.track(...given)),
    messages: () => patient(() => browser.messages()),
    feedback: (...given) => patient(() => browser.feedback(...given)),
    identify: (...given) => patient(() => browser.identify(...given)),
    signIn: (...given) => patient(() => browser.signIn(...given)),
  };
}

async function holderOf(project: TestProject, eventId: string): Promise<string[]> {
  const { rows } = await house.database.pool.query<{ id: string }>(
    `select coalesce(u.external_id, 'no one') as id from events e
    left join users u on u.lane = e.lane and u.user_key = e.user_key
    where e.project_id = $1 and e.event_id = $2`,
    [project.projectId, eventId],
  );
  return rows.map(({ id }) => id);
}

/** The same project through both servers. */
const sidesOf = async (project: TestProject): Promise<[TestProject, TestProject]> => [
  project,
  await house.elsewhere(project),
];

describe("visitors who sign in at the same time", () => {
  it("as two users are the one of them who was first, for good", async () => {
    const project = await visitedProject(house);
    const [here, there] = await sidesOf(project);
    await launchForVisitors(project);
    let firsts = 0;
    for (let turn = 0; turn < TURNS; turn++) {
      const name = `v${turn}`;
      await openBrowser(here, name).track("looked", `e${turn}`);
      const users = [`ada${turn}`, `ben${turn}`];
      await Promise.all([
        openBrowser(here, name).signIn(`ada${turn}`),
        openBrowser(there, name).signIn(`ben${turn}`),
      ]);
      const [first, ...others] = await holderOf(project, `e${turn}`);
      assert.deepEqual(others, []);
      assert.ok(first !== undefined && users.includes(first), first);
      if (first === users[0]) firsts++;
      const [other] = users.filter((user) => user !== first);
      await openBrowser(there, name).signIn(other ?? "");
      await openBrowser(there, name).track("looked", `later${turn}`);
      assert.deepEqual(await holderOf(project, `later${turn}`), [first]);
    }
    assert.ok(firsts > 0 && firsts < TURNS, `${firsts} of ${TURNS}`);
    assert.deepEqual(await house.differences(), {});
  });

  it("as the same user, from several browsers, are all that user", async () => {
    const project = await visitedProject(house);
    const [here, there] = await sidesOf(project);
    const { goal } = await project.api.createGoal({ body: { name: "Pays", targetEvent: "paid" } });
    const { id } = await launchForVisitors(project, { goalId: goal.id });
    for (let turn = 0; turn < TURNS; turn++) {
      const user = `ada${turn}`;
      const browsers = [0, 1, 2, 3].map((n) => openBrowser(n % 2 === 0 ? here : there, `v${turn}-${n}`));
      for (const browser of browsers) {
        const [message] = await browser.messages();
        await browser.feedback(message?.deliveryId ?? "", "shown");
        await browser.track("looked", `e${turn}-${browser.anonymousId}`);
      }
      await Promise.all(browsers.map((browser) => browser.signIn(user)));
      await here.sdk.track({ body: { userId: user, event: "paid" } });
      for (const { anonymousId } of browsers)
        assert.deepEqual(await holderOf(project, `e${turn}-${anonymousId}`), [user]);
    }
    const { campaign } = await project.api.getCampaign({ path: { id } });
    // Each browser met the campaign, and is a unit of it.
    assert.deepEqual([campaign.stats.shown, campaign.stats.converted], [4 * TURNS, 4 * TURNS]);
    assert.deepEqual(await house.differences(), {});
  });
});

/** What a page and a server send for one person in a browser and on another device, before and while the person signs in. */
function traffic(
  sides: readonly [TestProject, TestProject],
  name: string,
  user: string,
  deliveries: readonly string[],
) {
  const [here, there] = sides;
  const acknowledged: string[] = [];
  const shown: string[] = [];
  const record = async (eventId: string, send: () => Promise<unknown>) => {
    assert.equal(await tried(send), 200);
    acknowledged.push(eventId);
  };
  const [first, second] = [openBrowser(here, name), openBrowser(there, name)];
  const acts: (() => Promise<unknown>)[] = [];
  for (let n = 0; n < 4; n++) {
    const browser = n % 2 === 0 ? first : second;
    acts.push(
      () => record(`${name}-b${n}`, () => browser.track(n === 3 ? "paid" : "looked", `${name}-b${n}`)),
      () =>
        record(`${name}-u${n}`, () =>
          (n % 2 === 0 ? there : here).sdk.track({
            body: { userId: user, event: n === 3 ? "paid" : "looked", eventId: `${name}-u${n}` },
          }),
        ),
    );
  }
  acts.push(
    // The same occurrence, sent twice by two ways.
    () => record(`${name}-same`, () => first.track("looked", `${name}-same`)),
    () =>
      record(`${name}-same`, () =>
        there.sdk.track({ body: { userId: user, event: "looked", eventId: `${name}-same` } }),
      ),
    () => first.messages().then((all) => shown.push(...all.map(({ campaignId }) => campaignId))),
    () => second.messages(),
    () => messagesOf(here, user),
    ...deliveries.map((id) => () => tried(() => first.feedback(id, "shown"))),
    ...deliveries.map((id) => () => tried(() => second.feedback(id, "clicked"))),
    () => tried(() => first.identify({ color: "red", from: "visitor" })),
    () => tried(() => here.sdk.identify({ body: { userId: user, traits: { color: "blue" } } })),
    () => second.signIn(user),
    () => first.signIn(user),
  );
  return { acts, acknowledged };
}

/** In an order that a number decides. */
const shuffled = <T>(all: readonly T[], seed: number): T[] =>
  all
    .map((each, at) => ({ each, place: Math.imul(seed * 31 + at + 7, 2_654_435_761) >>> 0 }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ each }) => each);

describe("signing in among other requests of the same person", () => {
  it("loses no event that was acknowledged, has none twice, and leaves nothing under the visitor's id", async () => {
    const project = await visitedProject(house);
    const sides = await sidesOf(project);
    const { goal } = await project.api.createGoal({ body: { name: "Pays", targetEvent: "paid" } });
    await launchForVisitors(project, { goalId: goal.id, name: "First" });
    await launchForVisitors(project, { goalId: goal.id, name: "Second" });
    const people = Array.from({ length: 4 * TURNS }, (_, turn) => ({
      name: `v${turn}`,
      user: `ada${turn}`,
      turn,
    }));
    const playOne = async ({ name, user, turn }: (typeof people)[number]) => {
      const browser = openBrowser(sides[0], name);
      const deliveries = (await browser.messages()).map(({ deliveryId }) => deliveryId);
      await browser.feedback(deliveries[0] ?? "", "shown");
      if (turn % 2 === 0)
        for (const { deliveryId } of await messagesOf(sides[1], user))
          await feedback(sides[1], deliveryId, user, "shown");
      const { acts, acknowledged } = traffic(sides, name, user, deliveries);
      await Promise.all(shuffled(acts, turn).map((act) => act()));
      for (const eventId of acknowledged) assert.deepEqual(await holderOf(project, eventId), [user], eventId);
      const { user: known } = await project.api.getUser({ path: { id: user } });
      // The visitor's last word on what the user had may have come when both were one.
      assert.ok(known.traits.color === "blue" || known.traits.color === "red");
      assert.equal(known.traits.from, "visitor");
      const left = await rowsOfPerson(house, project, `$anon:${name}`);
      assert.deepEqual(
        Object.keys(left).filter((table) => !LEFT.has(table)),
        [],
        JSON.stringify(left),
      );
    };
    const AT_ONCE = 4;
    for (let at = 0; at < people.length; at += AT_ONCE)
      await Promise.all(people.slice(at, at + AT_ONCE).map(playOne));
    assert.deepEqual(await house.differences(), {});
  });
});

/** What may lie under the key of a visitor who became a user. */
const LEFT = new Set(["identities", "deliveries", "feedback_receipts", "withheld_deliveries"]);

/** Two acts at the same time; in the first two turns one after the other, so that both have come first, however busy the machine is. */
async function race(turn: number, acts: readonly (() => Promise<unknown>)[]): Promise<void> {
  if (turn >= 2) await Promise.all(acts.map((act) => act()));
  else for (const act of acts) await act();
}

describe("signing in", () => {
  it("while the user is erased makes the visitor the user, or erases both", async () => {
    const project = await visitedProject(house);
    const [here, there] = await sidesOf(project);
    const seen = { kept: 0, erased: 0 };
    await launchForVisitors(project);
    for (let turn = 0; turn < 2 * TURNS; turn++) {
      const browser = openBrowser(here, `v${turn}`);
      const user = `ada${turn}`;
      await browser.track("looked", `e${turn}`);
      const [message] = await browser.messages();
      await browser.feedback(message?.deliveryId ?? "", "shown");
      await there.sdk.identify({ body: { userId: user } });
      await messagesOf(there, user);
      const erase = () => tried(() => there.api.eraseUser({ path: { id: user } }));
      const signIn = () => browser.signIn(user);
      await race(turn, turn % 2 === 0 ? [erase, signIn] : [signIn, erase]);
      const holders = await holderOf(project, `e${turn}`);
      if (holders.length > 0) {
        assert.deepEqual(holders, [user]);
        seen.kept++;
      } else seen.erased++;
      const left = await rowsOfPerson(house, project, `$anon:v${turn}`);
      assert.deepEqual(
        Object.keys(left).filter((table) => !LEFT.has(table)),
        [],
        JSON.stringify(left),
      );
    }
    assert.ok(seen.kept > 0 && seen.erased > 0, JSON.stringify(seen));
    assert.deepEqual(await house.differences(), {});
  });

  it("while the visitor is forgotten makes all of the visitor the user, or nothing", async () => {
    const project = await visitedProject(house);
    await launchForVisitors(project);
    const seen = { kept: 0, forgotten: 0 };
    for (let turn = 0; turn < TURNS; turn++) {
      const browser = openBrowser(project, `v${turn}`);
      await browser.track("looked", `e${turn}`);
      await browser.identify({ from: "visitor" });
      const [message] = await browser.messages();
      await browser.feedback(message?.deliveryId ?? "", "shown");
      house.advance(31 * DAY_MS);
      const user = `ada${turn}`;
      const forget = async () => {
        for (let waited = 0; waited < turn % 6; waited++) await project.api.getUserSummary();
        await forgetVisitors(house.tidings.app);
      };
      const signIn = () => browser.signIn(user);
      await race(turn, turn === 0 ? [forget, signIn] : [signIn, forget]);
      const { user: known } = await project.api.getUser({ path: { id: user } });
      const { deliveries } = await project.api.listUserDeliveries({ path: { id: user } });
      const holders = await holderOf(project, `e${turn}`);
      const isKept = holders.length > 0;
      if (isKept) seen.kept++;
      else seen.forgotten++;
      assert.deepEqual(
        [holders, known.traits, deliveries.length],
        isKept ? [[user], { from: "visitor" }, 1] : [[], {}, 0],
      );
    }
    assert.ok(seen.kept > 0 && seen.forgotten > 0, JSON.stringify(seen));
    assert.deepEqual(await house.differences(), {});
  });

  it("while events are deleted for their age loses none of what is counted", async () => {
    const project = await visitedProject(house);
    const { projectId } = project;
    for (let turn = 0; turn < TURNS; turn++) {
      const browser = openBrowser(project, `v${turn}`);
      const user = `ada${turn}`;
      await Promise.all(
        Array.from({ length: 12 }, (_, n) => browser.track(n % 3 === 0 ? "looked" : "paid", `e${n}`)),
      );
      await project.sdk.track({ body: { userId: user, event: "looked", eventId: "e0" } });
      house.advance(1_000);
      const retire = async () => {
        while ((await retireEvents(house.database.kysely, projectId, { before: house.now(), limit: 2 })) > 0);
      };
      await Promise.all([retire(), browser.signIn(user), retire()]);
      await retire();
      const { rows } = await house.database.pool.query<{ name: string; count: number }>(
        `select c.name, c.count from event_counts c join users u using (lane, user_key)
        where u.project_id = $1 and u.external_id = $2 order by 1`,
        [projectId, user],
      );
      // An event that was deleted before is not known any more where it comes again.
      const [looked, paid] = rows.map(({ count }) => Number(count));
      assert.ok(looked === 4 || looked === 5, `${looked}`);
      assert.equal(paid, 8);
    }
    assert.deepEqual(await house.differences(), {});
  });
});

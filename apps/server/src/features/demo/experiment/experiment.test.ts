import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { replay } from "@tidings/agent";
import { entered } from "../../../../test/demo-entry.ts";
import { messagesOf } from "../../../../test/factories.ts";
import { testClients, testHouse } from "../../../../test/harness.ts";
import { giveRole, makePerson } from "../../../../test/people.ts";
import { atOneInstant } from "../../../platform/db/transactions/at-one-instant.ts";
import { listRuns } from "../../runs/public.ts";
import { openPhone } from "../open-phone.ts";
import { openShop } from "../open-shop.ts";
import { openExperiment } from "./open-experiment.ts";
import { DAILY_VISITORS, drawDay, POINTS } from "./story.pure.ts";
import type { ExperimentStory } from "./view.ts";
import { playDay } from "./visitors.ts";

const house = testHouse({ demo: true });
const elsewhere = testHouse({ demo: true, isPrivate: false });
const without = testHouse({ demo: false });

const urlOf = (path: string): string => `${house.url}/demo/agent${path}`;
const story = async (): Promise<ExperimentStory> =>
  (await fetch(urlOf("/story"), { headers: entered(house) })).json() as Promise<ExperimentStory>;

async function press(path = "/days"): Promise<ExperimentStory> {
  const answer = await fetch(urlOf(path), { method: "POST", headers: entered(house) });
  assert.equal(answer.status, 200, await answer.clone().text());
  return answer.json() as Promise<ExperimentStory>;
}

const weightsOf = ({ variants }: ExperimentStory) => variants.map(({ weight }) => weight);
const actionsOf = ({ runs }: ExperimentStory) =>
  runs.map(({ day, action }) => `${day} ${action}`).toReversed();
const countsOf = ({ variants }: ExperimentStory) => variants.map(({ saw, ordered }) => [saw, ordered]);

/** What ten days come to, in every shop. */
const TEN_DAYS = {
  weights: [0, 100],
  counts: [
    [649, 21],
    [1_751, 144],
  ],
  actions: [
    "1 nothing",
    "2 allocate",
    "3 nothing",
    "4 nothing",
    "5 nothing",
    "6 tried",
    "6 refused",
    "7 ship",
    "8 nothing",
    "9 nothing",
    "10 nothing",
  ],
};

const summaryOf = (now: ExperimentStory) => ({
  weights: weightsOf(now),
  counts: countsOf(now),
  actions: actionsOf(now),
});

describe("the experiment of the demo shop", () => {
  it("is made once in a shop that is there, and is for simulated visitors alone", async () => {
    const { app } = house.tidings;
    const shop = await openShop(app);
    const opened = await Promise.all(Array.from({ length: 4 }, () => openExperiment(app)));
    assert.equal(new Set(opened.map(({ campaignId }) => campaignId)).size, 1);
    assert.equal(opened[0]?.projectId, shop.projectId);
    const project = testClients(house.url, { ...shop, secretKey: "", agentKey: "" });
    const titles = (await messagesOf(project, "ada", "/demo")).map(({ content }) => content.title);
    assert.deepEqual(titles, ["Your first order travels free"]);
    assert.deepEqual(await messagesOf(project, "bob", "/demo/morning-blend"), []);
    const { campaigns } = (await (await fetch(`${house.url}/demo/assets/numbers.json`)).json()) as {
      campaigns: { name: string }[];
    };
    assert.deepEqual(
      campaigns.map(({ name }) => name),
      ["Free delivery for first orders", "Thanks after an order"],
    );
    const { campaignId } = await openPhone(app);
    const goals = await house.database.pool.query(
      "select g.name from campaigns c join goals g on g.id = c.goal_id where c.id = $1",
      [campaignId],
    );
    assert.deepEqual(goals.rows, [{ name: "First orders" }]);
  });

  it("begins with equal weights and no visitors", async () => {
    const now = await story();
    assert.deepEqual([now.played, now.isOver, now.status], [0, false, "running"]);
    assert.deepEqual(summaryOf(now), {
      weights: [50, 50],
      actions: [],
      counts: [
        [0, 0],
        [0, 0],
      ],
    });
    assert.equal(now.says, "No visitor has come yet, so nothing is known.");
  });

  it("moves the weights by what the visitors of a day did, and says why", async () => {
    assert.deepEqual(weightsOf(await press()), [50, 50]);
    const second = await press();
    assert.deepEqual(weightsOf(second), [31, 69]);
    assert.equal(
      second.runs[0]?.words,
      "Users in per cent, by the chance to be the best: “Plain” 50 -> 31, “Promise” 50 -> 69.",
    );
    assert.equal(
      second.runs[1]?.words,
      "12 conversions have matured; traffic is divided by them from 20 on.",
    );
    assert.match(second.says, /^“Promise” sells between 33 % less and 1,050 % more than “Plain”, so nothing/);
  });

  it("plays a day that is played again once", async () => {
    const before = await story();
    const shop = await openExperiment(house.tidings.app);
    await playDay(house.tidings.app, shop, 1);
    assert.deepEqual(await story(), before);
  });

  it("ends with the better text for all, after a refusal, in figures that the doctor confirms", async () => {
    for (let day = 3; day <= 10; day++) assert.equal((await press()).played, day);
    const over = await story();
    assert.equal(over.isOver, true);
    assert.deepEqual(summaryOf(over), TEN_DAYS);
    assert.match(over.says, /^“Promise” sells 8 % to 497 % more than “Plain”\. That is better, whenever/);
    assert.deepEqual(await press(), over);
    await house.drain();
    assert.deepEqual(await house.differences(), {});
  });

  it("can be replayed: each decision is made again from what it was made from", async () => {
    const { kysely } = house.database;
    const { projectId } = await openShop(house.tidings.app);
    const filter = { kind: "evaluate", goalId: undefined, campaignId: undefined };
    const { runs } = await atOneInstant(kysely, (tx) =>
      listRuns(tx, projectId, filter, { offset: 0, limit: 100 }),
    );
    assert.equal(runs.length, 10);
    for (const run of runs) assert.equal((await replay(run, []))?.fault, null);
  });

  it("has the same story in a new campaign, however many press at once", async () => {
    const { campaignId } = await story();
    const [begun, same] = await Promise.all([press(`/again/${campaignId}`), press(`/again/${campaignId}`)]);
    assert.notEqual(begun.campaignId, campaignId);
    assert.equal(begun.campaignId, same.campaignId);
    assert.equal(begun.played, 0);
    await Promise.all(Array.from({ length: 12 }, () => press()));
    assert.deepEqual(summaryOf(await story()), TEN_DAYS);
    await house.drain();
    assert.deepEqual(await house.differences(), {});
  });

  it("draws the same visitors each time, at all points", () => {
    assert.deepEqual(drawDay(4), drawDay(4));
    const days = Array.from({ length: 10 }, (_, day) => drawDay(day)).flat();
    assert.equal(days.length, 10 * DAILY_VISITORS);
    assert.equal(new Set(days.map(({ point }) => point)).size, POINTS);
  });
});

describe("the experiment is for people of the server, where this machine alone reaches it", () => {
  const ask = (server: typeof house, method: "GET" | "POST", path: string, headers = {}) =>
    server.tidings.server.inject({
      method,
      url: `/demo/agent${path}`,
      headers: { host: "localhost:8080", ...entered(server), ...headers },
    });

  for (const [name, other] of [
    ["that others reach", elsewhere],
    ["without a demo", without],
  ] as const)
    it(`is not there on a server ${name}`, async () => {
      for (const [method, path] of [
        ["GET", "/story"],
        ["POST", "/days"],
        ["POST", "/again/cmp_019b0000-0000-7000-8000-000000000001"],
      ] as const)
        assert.equal((await ask(other, method, path)).statusCode, 404, path);
      const { rows } = await other.database.pool.query("select from campaigns where name like 'Two texts%'");
      assert.equal(rows.length, 0);
    });

  it("offers no link to it where others reach the server", async () => {
    const page = async (server: typeof house): Promise<string> => (await fetch(`${server.url}/demo`)).text();
    assert.match(await page(house), /data-reach="here"/);
    assert.match(await page(elsewhere), /data-reach="anywhere"/);
    assert.doesNotMatch(await (await fetch(`${elsewhere.url}/demo/agent`)).text(), /Two texts/);
  });

  for (const [name, headers, status] of [
    ["a page of another site", { origin: "https://evil.example" }, 403],
    ["a page without an origin of its own", { origin: "null" }, 403],
    ["another port of this machine", { origin: "http://localhost:9999" }, 403],
    ["a name that was pointed at this machine", { host: "evil.example", origin: "http://evil.example" }, 403],
    ["a stranger behind a proxy on this machine", { cookie: "" }, 401],
    ["a token that is not this server's", { cookie: "tidings.demo=zzzzzzzz.AAAA" }, 401],
  ] as const)
    it(`does nothing for ${name}`, async () => {
      const before = await story();
      const answer = await ask(house, "POST", `/again/${before.campaignId}`, headers);
      assert.equal(answer.statusCode, status);
      assert.equal((await ask(house, "POST", "/days", headers)).statusCode, status);
      assert.equal((await story()).campaignId, before.campaignId);
    });

  it("is watched by people of the shop's project, and played by those who write there", async () => {
    const person = await makePerson(house);
    const { projectId } = await openShop(house.tidings.app);
    const statuses = async (): Promise<number[]> => {
      const headers = { cookie: person.cookie };
      const answers = [await ask(house, "GET", "", headers), await ask(house, "GET", "/story", headers)];
      return [...answers, await ask(house, "POST", "/days", headers)].map(({ statusCode }) => statusCode);
    };
    assert.deepEqual(await statuses(), [403, 403, 403]);
    await giveRole(house, projectId, person, "viewer");
    assert.deepEqual(await statuses(), [200, 200, 403]);
    await giveRole(house, projectId, person, "editor");
    assert.deepEqual(await statuses(), [200, 200, 200]);
  });

  it("takes a press of its own page", async () => {
    const answer = await ask(house, "POST", "/days", { origin: "http://localhost:8080" });
    assert.equal(answer.statusCode, 200);
  });
});

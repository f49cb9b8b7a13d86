import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { launchCampaign, messagesOf, toast } from "../../../test/factories.ts";
import { type TestProject, testHouse } from "../../../test/harness.ts";
import { userRef } from "../../domain/ids.ts";
import { askOnce } from "../../platform/db/batch/ask-once.ts";
import { factsNeeded, readFeedFacts, readNeededFacts } from "./feed-store.ts";

const house = testHouse();
const ALL = { counts: true, deliveries: true, withheld: true, steps: false };

/** Tracks `names` different events, once each. */
async function doMuch({ api }: TestProject, userId: string, names: number): Promise<void> {
  const events = Array.from({ length: names }, (_, n) => ({ userId, event: `event ${n}`, eventId: `e${n}` }));
  const { results } = await api.trackBatch({ body: { events } });
  assert.ok(results.every(({ ok }) => ok));
}

const didEvent = (event: string) => ({
  kind: "expression" as const,
  expression: { version: 1 as const, root: { kind: "event" as const, event } },
});

describe("what the feed reads of a user", () => {
  it("is all of a usual one, and of one with very many event names what is asked about", async () => {
    const project = await house.project();
    await doMuch(project, "usual", 64);
    await doMuch(project, "busy", 65);
    const { projectId } = project;
    const read = (userId: string) => ({ ...userRef(projectId, userId), projectId });
    const needed = factsNeeded(["event 3", "event 64", "never"], []);
    const { hotPool } = house.database;
    const [usual, busy] = await readFeedFacts(ALL)(hotPool, [read("usual"), read("busy")]);
    assert.deepEqual([usual?.isPartial, Object.keys(usual?.counts ?? {}).length], [false, 64]);
    assert.equal(busy?.isPartial, true);
    const [, part] = await readNeededFacts(hotPool, [
      { ...read("usual"), needed },
      { ...read("busy"), needed: null },
    ]);
    assert.deepEqual([part?.isPartial, part?.counts], [true, { "event 3": 1, "event 64": 1 }]);
  });

  it("is answered in the order of the questions, also where a project is gone", async () => {
    const [project, other] = [await house.project(), await house.project()];
    await doMuch(project, "ada", 1);
    const read = (projectId: string) => ({ ...userRef(projectId, "ada"), projectId });
    const readers = [read(randomUUID()), read(other.projectId), read(project.projectId)];
    const { hotPool } = house.database;
    for (const facts of [
      await readFeedFacts(ALL)(hotPool, readers),
      await readNeededFacts(
        hotPool,
        readers.map((reader) => ({ ...reader, needed: factsNeeded(["event 0"], []) })),
      ),
    ]) {
      assert.deepEqual(
        facts.map(({ configVersion, counts }) => [configVersion === null, counts]),
        [
          [true, null],
          [false, null],
          [false, { "event 0": 1 }],
        ],
      );
    }
  });

  it("is right for the campaigns of this moment, also where they ask about something else than a moment ago", async () => {
    const project = await house.project();
    await doMuch(project, "busy", 300);
    const titles = async () => (await messagesOf(project, "busy")).map(({ content }) => content.title);
    // First before any configuration was read, then after each change.
    for (const n of [1, 250, 299]) {
      house.advance(1);
      await launchCampaign(project, { audience: didEvent(`event ${n}`), message: toast(`${n}`) });
      await launchCampaign(project, { audience: didEvent(`event ${n + 300}`), message: toast("nobody") });
      assert.equal((await titles())[0], `${n}`);
    }
    assert.deepEqual(await titles(), ["299", "250", "1"]);
    const many = await Promise.all(Array.from({ length: 50 }, titles));
    for (const each of many) assert.deepEqual(each, ["299", "250", "1"]);
  });

  it("is nothing that it is not asked for", async () => {
    const project = await house.project();
    await doMuch(project, "ada", 1);
    await launchCampaign(project, { message: toast("for everybody") });
    assert.equal((await messagesOf(project, "ada")).length, 1);
    const { projectId } = project;
    const reader = { ...userRef(projectId, "ada"), projectId };
    const none = { counts: false, deliveries: false, withheld: false, steps: false };
    const found = [];
    for (const kinds of [{ ...none, counts: true }, { ...none, deliveries: true }, none])
      found.push(...(await readFeedFacts(kinds)(house.database.hotPool, [reader])));
    assert.deepEqual(
      found.map(({ counts, deliveries }) => [counts, Object.keys(deliveries ?? {}).length]),
      [
        [{ "event 0": 1 }, 0],
        [null, 1],
        [null, 0],
      ],
    );
  });

  it("is more from the request on that comes after a campaign which asks for more", async () => {
    const project = await house.project();
    await doMuch(project, "ada", 1);
    const titles = async () => (await messagesOf(project, "ada")).map(({ content }) => content.title);
    assert.deepEqual(await titles(), [], "without a campaign");
    const everybody = await launchCampaign(project, { message: toast("everybody") });
    assert.deepEqual(await titles(), ["everybody"]);
    house.advance(1);
    await launchCampaign(project, { audience: didEvent("event 0"), message: toast("event 0") });
    await launchCampaign(project, { audience: didEvent("event 1"), message: toast("nobody") });
    assert.deepEqual(await titles(), ["event 0", "everybody"]);
    await project.api.setCampaignStatus({ path: { id: everybody.id }, body: { action: "pause" } });
    assert.deepEqual(await titles(), ["event 0"]);
  });

  it("finds the deliveries of running campaigns among very many of others", async () => {
    const project = await house.project();
    const [kept] = [await launchCampaign(project, { message: toast("kept") })];
    assert.deepEqual((await messagesOf(project, "ada")).length, 1);
    const { lane, userKey } = userRef(project.projectId, "ada");
    await house.database.pool.query(
      `insert into deliveries (lane, user_key, campaign_id, project_id, variant_id, state, queued_at, shown_at, exposed_at, dismissed_at)
      select $1, $2, gen_random_uuid(), $3, gen_random_uuid(), 'dismissed', 1, 1, 1, 1 from generate_series(1, 200)`,
      [lane, userKey, project.projectId],
    );
    const [before] = await messagesOf(project, "ada");
    assert.equal(before?.campaignId, kept?.id);
    await project.sdk.sendDeliveryFeedback({
      path: { id: before?.deliveryId ?? "" },
      body: { userId: "ada", type: "shown", feedbackId: "f1" },
    });
    await project.sdk.sendDeliveryFeedback({
      path: { id: before?.deliveryId ?? "" },
      body: { userId: "ada", type: "dismissed", feedbackId: "f2" },
    });
    assert.deepEqual(await messagesOf(project, "ada"), []);
  });
});

describe("askOnce", () => {
  it("asks equal questions once, in the words of the last, and answers everyone in order", async () => {
    const needed: string[][] = [];
    const ask = async (questions: readonly string[]) => {
      needed.push([...questions]);
      return questions.map((question) => question.toUpperCase());
    };
    const first = (question: string) => question.slice(0, 1);
    assert.deepEqual(await askOnce(["a1", "b1", "a2", "c1", "b2"], first, ask), [
      "A2",
      "B2",
      "A2",
      "C1",
      "B2",
    ]);
    assert.deepEqual(await askOnce(["a1", "b1"], first, ask), ["A1", "B1"]);
    assert.deepEqual(needed, [
      ["a2", "b2", "c1"],
      ["a1", "b1"],
    ]);
  });
});

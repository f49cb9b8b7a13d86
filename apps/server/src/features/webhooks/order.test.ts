import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import type { Answer } from "@tidings/client";
import { until } from "../../../test/commands/spawned.ts";
import { feedback, launchCampaign, messagesOf } from "../../../test/factories.ts";
import { type TestProject, testHouse } from "../../../test/harness.ts";
import { rounds, seedOf } from "../../../test/rounds.ts";
import { type Answer as Answered, openReceiver, type Received } from "../../../test/webhooks.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../platform/time/clock.ts";
import { SUBSCRIBABLE } from "./types.pure.ts";

const house = testHouse({ webhooksPrivate: true });
afterEach(async () => assert.deepEqual(await house.differences(), {}));

type Messages = Answer<"listWebhookMessages">["messages"];

/** All messages of a webhook, the first ones first. */
async function messagesFor({ api }: TestProject, id: string): Promise<Messages> {
  const all: Messages = [];
  for (let before: string | null | undefined; before !== null; ) {
    const query: { limit: number; before?: string } = {
      limit: 100,
      ...(before === undefined ? {} : { before }),
    };
    const { messages, next } = await api.listWebhookMessages({ path: { id }, query });
    all.push(...messages);
    before = next;
  }
  return all.reverse();
}

/** A project with a campaign, and a webhook that wants to know all of it. */
async function listened(answers: (message: Received, tries: number) => Answered | Promise<Answered>) {
  const project = await house.project();
  const receiver = await openReceiver(answers);
  const { goal } = await project.api.createGoal({ body: { name: "Buy", targetEvent: "bought" } });
  await launchCampaign(project, { goalId: goal.id });
  const { webhook } = await project.api.createWebhook({
    body: { url: receiver.url, types: [...SUBSCRIBABLE] },
  });
  return { project, receiver, id: webhook.id };
}

let values = 0;

/** A user changes, which is one message. */
async function change(project: TestProject, userId: string): Promise<void> {
  house.advance(SECOND_MS);
  await project.sdk.identify({ body: { userId, traits: { value: String(values++) } } });
}

/** A user who got the message of the campaign. */
async function reached(
  project: TestProject,
  userId: string,
): Promise<(type: "shown" | "clicked" | "dismissed") => Promise<void>> {
  await change(project, userId);
  const [message] = await messagesOf(project, userId);
  return async (type) => {
    house.advance(SECOND_MS);
    await feedback(project, message?.deliveryId ?? "", userId, type);
  };
}

const typesAbout = (received: readonly Received[], userId: string, topic = "delivery"): string[] =>
  received
    .filter(({ type, data }) => type.startsWith(topic) && data.userId === userId)
    .map(({ type }) => type);

/** Moves the clock to where the next message is due, until nothing waits. */
async function untilNothingWaits(project: TestProject, id: string): Promise<void> {
  for (let turn = 0; turn < 60; turn++) {
    await house.drain();
    const waiting = (await messagesFor(project, id)).filter(({ state }) => state === "waiting");
    if (waiting.length === 0) return;
    const due = waiting.flatMap(({ dueAt }) => dueAt ?? []);
    assert.ok(due.length > 0, "what waits for an earlier message is not all that there is");
    house.advance(Math.max(0, Math.min(...due) - house.now()));
  }
  assert.fail("Something waits for ever.");
}

describe("messages about one thing", () => {
  it("wait for the one before them, while others go on", async () => {
    let isDown = true;
    const refuses = ({ type, data }: Received): boolean =>
      isDown && data.userId === "anna" && type.startsWith("delivery.");
    const { project, receiver, id } = await listened((message) => ({ status: refuses(message) ? 500 : 204 }));
    const [anna, ben] = [await reached(project, "anna"), await reached(project, "ben")];
    for (const type of ["shown", "clicked"] as const) {
      await anna(type);
      await ben(type);
    }
    await house.drain();
    assert.deepEqual(typesAbout(receiver.received, "ben"), ["delivery.shown", "delivery.clicked"]);
    assert.deepEqual(typesAbout(receiver.received, "anna"), ["delivery.shown"]);
    assert.deepEqual(typesAbout(receiver.received, "anna", "user"), ["user.identified"]);
    house.advance(4_000 - 1);
    await house.drain();
    assert.deepEqual(typesAbout(receiver.received, "anna"), ["delivery.shown"], "the first wait is 4 to 6 s");
    house.advance(2_001);
    await house.drain();
    assert.deepEqual(typesAbout(receiver.received, "anna"), ["delivery.shown", "delivery.shown"]);
    const messages = await messagesFor(project, id);
    assert.deepEqual(
      messages.flatMap(({ type, state, dueAt }) =>
        state === "waiting" ? [[type, dueAt === null ? null : dueAt > house.now()]] : [],
      ),
      [
        ["delivery.shown", true],
        ["delivery.clicked", null],
      ],
    );
    isDown = false;
    await untilNothingWaits(project, id);
    assert.deepEqual(typesAbout(receiver.received, "anna").slice(2), ["delivery.shown", "delivery.clicked"]);
    assert.ok(receiver.received.every(({ gapBefore }) => !gapBefore));
  });

  it("are given up after ten attempts; the next one says that there is a gap before it", async () => {
    let isDown = true;
    const refuses = ({ type }: Received): boolean => isDown && type === "delivery.shown";
    const { project, receiver, id } = await listened((message) => ({ status: refuses(message) ? 404 : 204 }));
    const anna = await reached(project, "anna");
    for (const type of ["shown", "clicked"] as const) await anna(type);
    await project.sdk.track({ body: { userId: "anna", event: "bought" } });
    const before = house.now();
    await untilNothingWaits(project, id);
    isDown = false;
    const about = receiver.received.filter(({ type }) => type.startsWith("delivery."));
    assert.deepEqual(
      about.map(({ type, gapBefore }) => [type, gapBefore]),
      [
        ...Array(10).fill(["delivery.shown", false]),
        ["delivery.clicked", true],
        ["delivery.converted", false],
      ],
    );
    assert.equal(new Set(about.map(({ id: messageId }) => messageId)).size, 3);
    const took = house.now() - before;
    assert.ok(took > 60 * HOUR_MS && took < 100 * HOUR_MS, `${took / HOUR_MS} hours`);
    const messages = await messagesFor(project, id);
    const [shown] = messages.filter(({ type }) => type === "delivery.shown");
    assert.deepEqual([shown?.state, shown?.attempts], ["given_up", 10]);
    const path = { id, messageId: shown?.id ?? "" };
    const { attempts } = await project.api.getWebhookMessage({ path });
    assert.deepEqual(
      attempts.map(({ status, fault }) => [status, fault]),
      Array(10).fill([404, "It answered 404."]),
    );
    // Once more, by a person: it arrives now, out of its place.
    await project.api.replayWebhookMessages({ path: { id }, body: { messageId: path.messageId } });
    await house.drain();
    assert.equal(receiver.received.at(-1)?.id, path.messageId);
  });
});

describe("messages of two webhooks", () => {
  it("wait for no other webhook, though its server never answers", async () => {
    const hanging = Promise.withResolvers<Answered>();
    const { project, receiver, id } = await listened(() => hanging.promise);
    const well = await openReceiver();
    const { webhook } = await project.api.createWebhook({
      body: { url: well.url, types: ["user.identified"] },
    });
    await change(project, "anna");
    const draining = house.drain();
    await until(() => receiver.received.length > 0 && well.received.length === 1, "the other one has it");
    await change(project, "ben");
    await until(() => well.received.length === 2, "the other one goes on");
    assert.ok((await messagesFor(project, id)).some(({ state }) => state === "sending"));
    hanging.resolve("closes");
    await draining;
    const { webhooks } = await project.api.listWebhooks();
    const failing = webhooks.find((each) => each.id === id);
    assert.equal(typeof failing?.failingSince, "number");
    assert.match(failing?.fault ?? "", /closed before an answer/);
    assert.equal(webhooks.find((each) => each.id === webhook.id)?.failingSince, null);
    await project.api.deleteWebhook({ path: { id } });
  });

  it("go to a server that fails one at a time, until it takes one", async () => {
    let underWay = 0;
    let most = 0;
    let isDown = true;
    const { project, receiver, id } = await listened(async () => {
      underWay++;
      most = Math.max(most, underWay);
      await new Promise(setImmediate);
      underWay--;
      return { status: isDown ? 503 : 200 };
    });
    await change(project, "anna");
    await house.drain();
    assert.equal(receiver.received.length, 1);
    most = 0;
    for (let n = 0; n < 30; n++) await change(project, `user-${n}`);
    await house.drain();
    assert.equal(most, 1);
    isDown = false;
    await untilNothingWaits(project, id);
    assert.equal((await project.api.getWebhook({ path: { id } })).webhook.failingSince, null);
  });
});

describe("messages to a server that answers as it likes", () => {
  /** Numbers from 0 to 1, the same ones for the same seed. */
  function randomly(seed: number): () => number {
    let state = seed;
    return () => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return state / 2_147_483_648;
    };
  }

  const ANSWERS: readonly Answered[] = [
    { status: 200, body: "taken" },
    { status: 204 },
    { status: 204 },
    { status: 301, headers: { location: "/" } },
    { status: 404 },
    { status: 429, headers: { "retry-after": "30" } },
    { status: 500, body: "x".repeat(3_000) },
    { status: 503, headers: { "retry-after": "soon" } },
    "closes",
  ];

  /** What happens to each user, in this order; between that, things happen to others. */
  const PATHS = [
    ["shown", "clicked", "change", "bought"],
    ["shown", "change", "change", "dismissed"],
    ["change", "shown", "bought"],
    ["change", "change", "change"],
  ] as const;

  for (let round = 0; round < rounds(4, 40, 2); round++) {
    const seed = seedOf() * 1_000 + round;
    it(`arrive in the order in which things happened, and none is missing (seed ${seed})`, async () => {
      const random = randomly(seed);
      const pick = <T>(all: readonly T[]): T | undefined => all[Math.floor(random() * all.length)];
      let isUp = false;
      const taken: Received[] = [];
      const { project, id } = await listened((message) => {
        const answer = isUp ? { status: 204 } : (pick(ANSWERS) ?? null);
        if (answer !== null && answer !== "closes" && answer.status < 300) taken.push(message);
        return answer;
      });
      /** What happened to each thing: types and instants. */
      const happened = new Map<string, [string, number][]>();
      const write = (thing: string, type: string) =>
        happened.set(thing, [...(happened.get(thing) ?? []), [type, house.now()]]);
      const users = new Map<string, { steps: string[]; act: Awaited<ReturnType<typeof reached>> }>();
      for (let n = 0; n < 5; n++) {
        const userId = `user-${n}`;
        const act = await reached(project, userId);
        write(`user ${userId}`, "user.identified");
        users.set(userId, { steps: [...(pick(PATHS) ?? [])], act });
      }
      while (users.size > 0) {
        const [userId, { steps, act }] = pick([...users]) ?? ["", { steps: [], act: async () => undefined }];
        const step = steps.shift();
        if (step === undefined) users.delete(userId);
        else if (step === "change") {
          await change(project, userId);
          write(`user ${userId}`, "user.identified");
        } else if (step === "bought") {
          house.advance(SECOND_MS);
          await project.sdk.track({ body: { userId, event: "bought" } });
          write(`delivery ${userId}`, "delivery.converted");
        } else {
          const type = step as "shown" | "clicked" | "dismissed";
          await act(type);
          write(`delivery ${userId}`, `delivery.${type}`);
        }
        if (random() < 0.5) await house.drain();
        if (random() < 0.3) house.advance(pick([SECOND_MS, 6 * SECOND_MS, 6 * MINUTE_MS, HOUR_MS]) ?? 0);
      }
      isUp = true;
      await untilNothingWaits(project, id);
      const messages = await messagesFor(project, id);
      const lost = new Set(messages.filter(({ state }) => state === "given_up").map((each) => each.id));
      assert.deepEqual([...lost], [], "so few attempts give nothing up");
      const first = new Map<string, Received>();
      for (const message of taken) if (!first.has(message.id)) first.set(message.id, message);
      const came = Map.groupBy(
        [...first.values()].filter(({ type }) => /^(user|delivery)\./.test(type)),
        ({ type, data }) => `${type.split(".")[0]} ${data.userId}`,
      );
      for (const [thing, changes] of happened)
        assert.deepEqual(
          (came.get(thing) ?? []).map(({ type, at }) => [type, at]),
          changes,
          thing,
        );
      assert.equal([...came.keys()].length, happened.size);
      assert.deepEqual(await house.differences(project.projectId), {});
    });
  }
});

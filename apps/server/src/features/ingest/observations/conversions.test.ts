import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  ACTION,
  ACTIONS,
  BOUGHT,
  BUY,
  becameOf,
  observerOf,
  observingStage,
  RECEIPT,
  type Scene,
  TAP,
} from "../../../../test/observing.ts";
import { inspect, launchPush, MESSAGE } from "../../../../test/push.ts";
import type { PushEnvelope } from "../../content/push/payload.pure.ts";

const { house, pushTo, scene } = await observingStage();

describe("a conversion", () => {
  type Step = "tap" | "action" | "receipt" | "event" | "track" | "later";
  const cases: { name: string; steps: Step[]; converts: boolean }[] = [
    { name: "an event alone", steps: ["event"], converts: false },
    { name: "an event after the receipt only", steps: ["receipt", "later", "event"], converts: false },
    { name: "an event before the tap", steps: ["event", "later", "tap"], converts: false },
    { name: "an event before the tap, at the same moment", steps: ["event", "tap"], converts: false },
    { name: "an event after the tap, at the same moment", steps: ["tap", "event"], converts: true },
    { name: "an event after the tap", steps: ["tap", "later", "event"], converts: true },
    { name: "an event after an action", steps: ["action", "later", "event"], converts: true },
    { name: "an event on both sides of the tap", steps: ["event", "tap", "event"], converts: true },
    {
      name: "a tracked event before the receipt and the tap",
      steps: ["track", "receipt", "tap"],
      converts: false,
    },
    { name: "a tracked event after the receipt only", steps: ["receipt", "later", "track"], converts: false },
    { name: "a tracked event after the tap, at the same moment", steps: ["tap", "track"], converts: true },
    { name: "a tracked event after the tap", steps: ["tap", "later", "track"], converts: true },
  ];
  async function step({ project, observer }: Scene, what: Step): Promise<void> {
    if (what === "later") house.advance(60_000);
    else if (what === "track") await project.sdk.track({ body: { userId: "ada", event: BOUGHT } });
    else if (what === "event") await observer.tell(BUY);
    else if (what === "action") await observer.tell(ACTION);
    else await observer.tell({ kind: what });
  }
  for (const { name, steps, converts } of cases)
    it(`${converts ? "comes of" : "does not come of"} ${name}`, async () => {
      const at = await scene();
      for (const each of steps) await step(at, each);
      const { users, records } = await inspect(at.project, at.campaignId);
      assert.deepEqual([users.converted, records.conversions], converts ? [1, 1] : [0, 0]);
      assert.equal((await becameOf(at)).converted, converts ? 1 : 0);
    });

  it("depends on the order within one request too", async () => {
    const [early, late] = [await scene(), await scene()];
    await early.observer.tell(BUY, RECEIPT, TAP);
    await late.observer.tell(RECEIPT, TAP, BUY, BUY, { kind: "event", event: "else" });
    assert.equal((await becameOf(early)).converted, 0);
    assert.equal((await becameOf(late)).converted, 1);
    const { events } = await late.project.api.listEvents({ query: { name: BOUGHT } });
    assert.equal(events.length, 2);
  });

  it("is of the campaigns that were tapped before, each by its own tap", async () => {
    const { project, device, push, campaignId } = await scene();
    const { goals } = await project.api.listGoals();
    const second = await launchPush(project, {
      goalId: goals[0]?.id ?? "",
      message: { ...MESSAGE, actions: ACTIONS },
    });
    await house.drain();
    const other = pushTo(device.token);
    const about = ({ targetId, attemptId }: PushEnvelope) => ({ targetId, attemptId });
    await observerOf(project, device).send([
      { id: "a", sequence: 1, kind: "tap", ...about(push) },
      { id: "b", sequence: 2, kind: "event", event: BOUGHT, eventId: "first" },
      { id: "c", sequence: 3, kind: "tap", ...about(other) },
    ]);
    const converted = async (id: string) => (await becameOf({ project, campaignId: id })).converted;
    assert.deepEqual([await converted(campaignId), await converted(second.id)], [1, 0]);
    await project.sdk.track({ body: { userId: "ada", event: BOUGHT, eventId: "second" } });
    assert.deepEqual([await converted(campaignId), await converted(second.id)], [1, 1]);
    const { conversions } = await inspect(project, second.id);
    assert.equal(conversions[0]?.eventId, "second");
  });

  it("does not come of an event that happened before the tap, and is imported after it", async () => {
    const at = await scene();
    await at.observer.tell(RECEIPT);
    house.advance(5_000);
    const between = house.now();
    house.advance(5_000);
    await at.observer.tell(TAP);
    const track = (ts: number) =>
      at.project.api.trackBatch({ body: { events: [{ userId: "ada", event: BOUGHT, ts }] } });
    await track(between);
    assert.equal((await becameOf(at)).converted, 0);
    await track(house.now());
    assert.equal((await becameOf(at)).converted, 1);
  });
});

it("leaves no differences behind", async () => {
  assert.deepEqual(await house.differences(), {});
});

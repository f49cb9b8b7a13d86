import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { refusal } from "../../../../test/harness.ts";
import {
  BOUGHT,
  BUY,
  type Observer,
  observerOf,
  observingStage,
  RECEIPT,
  TAP,
} from "../../../../test/observing.ts";
import { inspect, reachable } from "../../../../test/push.ts";

const { house, scene } = await observingStage();

describe("the order of commands", () => {
  it("answers a repeat the same, and takes a request that begins with one", async () => {
    const at = await scene();
    const { observer } = at;
    const [one, two, three] = [observer.next(RECEIPT), observer.next(TAP), observer.next(BUY)];
    assert.deepEqual(await observer.send([one]), { acknowledgedThrough: 1 });
    assert.deepEqual(await observer.send([one]), { acknowledgedThrough: 1 });
    assert.deepEqual(await observer.send([one, two, three]), { acknowledgedThrough: 3 });
    house.advance(1_000);
    const before = await inspect(at.project, at.campaignId);
    assert.deepEqual(await observer.send([one, two, three]), { acknowledgedThrough: 3 });
    assert.deepEqual(await observer.send([one]), { acknowledgedThrough: 1 });
    assert.deepEqual(await observer.send([two, three]), { acknowledgedThrough: 3 });
    const { evaluatedAt: _, ...after } = await inspect(at.project, at.campaignId);
    assert.deepEqual({ evaluatedAt: before.evaluatedAt, ...after }, before);
    assert.equal((await at.project.api.listEvents({ query: { name: BOUGHT } })).events.length, 1);
  });

  it("is not changed by the order of keys", async () => {
    const { observer } = await scene();
    const command = observer.next({ kind: "event", event: "x", props: { a: 1, b: { c: 1, d: 2 } } });
    await observer.send([command]);
    const shuffled = { ...command, props: { b: { d: 2, c: 1 }, a: 1 } };
    assert.deepEqual(await observer.send([shuffled]), { acknowledgedThrough: 1 });
  });

  it("refuses what does not fit, says which, and keeps nothing of it", async () => {
    const { project, observer, push } = await scene();
    const kept = [observer.next(RECEIPT), observer.next(TAP)] as const;
    await observer.send(kept);
    const third = observer.next(BUY);
    const about = { targetId: push.targetId, attemptId: push.attemptId };
    const receipt = (id: string, sequence: number) => ({ kind: "receipt" as const, id, sequence, ...about });
    const cases: [string, Parameters<Observer["send"]>[0], string][] = [
      ["a gap", [receipt("x", 4)], "commands[0].sequence must be 3: what comes before it is missing"],
      [
        "a gap inside",
        [third, receipt("x", 5)],
        "commands[1].sequence must be 4, one more than that before it",
      ],
      [
        "the same sequence twice",
        [third, receipt("x", 3)],
        "commands[1].sequence must be 4, one more than that before it",
      ],
      [
        "backwards",
        [receipt("x", 4), third],
        "commands[0].sequence must be 3: what comes before it is missing",
      ],
      ["an id that is kept", [receipt(kept[0].id, 3)], "commands[0].id was used for another command"],
      ["an id twice", [third, receipt(third.id, 4)], "commands[1].id was used for another command"],
      ["another id under a sequence", [receipt("x", 1)], "commands[0] is not what was reported as 1 before"],
      [
        "another kind under a sequence",
        [{ ...receipt(kept[1].id, 2) }],
        "commands[0] is not what was reported as 2 before",
      ],
      [
        "a conflict after repeats",
        [...kept, receipt("x", 4)],
        "commands[2].sequence must be 3, one more than that before it",
      ],
      [
        "a conflict before what is new",
        [receipt("x", 2), third],
        "commands[0] is not what was reported as 2 before",
      ],
      [
        "the last sequence there is",
        [receipt("x", Number.MAX_SAFE_INTEGER)],
        "commands[0].sequence must be 3: what comes before it is missing",
      ],
    ];
    for (const [name, commands, error] of cases) {
      const refused = await refusal(observer.send(commands));
      assert.deepEqual([refused.status, refused.error], [409, error], name);
    }
    assert.equal((await project.api.listEvents({ query: { name: BOUGHT } })).events.length, 0);
    assert.deepEqual(await observer.send([third]), { acknowledgedThrough: 3 });
  });

  it("begins anew with each binding, and refuses an old one", async () => {
    const { project, device, push, observer } = await scene();
    await observer.tell(RECEIPT);
    await device.bind("ben");
    const stale = await refusal(observer.tell(TAP));
    assert.deepEqual(
      [stale.status, stale.error],
      [409, "bindingGeneration is not that of the installation; read it again"],
    );
    const bens = observerOf(project, device, push, { bindingGeneration: 2 });
    const notHis = await refusal(bens.tell(TAP));
    assert.match(notHis.error, /^commands\[0\]\.targetId and attemptId are not of a push/);
    const events = observerOf(project, device, push, { bindingGeneration: 2 });
    assert.deepEqual(await events.tell({ kind: "event", event: "x" }), { acknowledgedThrough: 1 });
    await device.bind("ada");
    const again = observerOf(project, device, push, { bindingGeneration: 3 });
    assert.equal((await refusal(again.tell(TAP))).status, 409);
    await device.bind(null);
    const unbound = observerOf(project, device, push, { bindingGeneration: 4 });
    assert.equal(
      (await refusal(unbound.tell(BUY))).error,
      "Nobody uses this installation: bind a user first",
    );
    for (const bindingGeneration of [0, 3, 5, Number.MAX_SAFE_INTEGER])
      assert.equal((await refusal(unbound.send([unbound.next(BUY)], { bindingGeneration }))).status, 409);
  });

  it("begins anew for an installation that was erased and is registered again", async () => {
    const project = await house.project();
    const device = await reachable(project, "ada");
    await observerOf(project, device).tell({ kind: "event", event: "x" });
    await device.bind("ben");
    await project.api.eraseUser({ path: { id: "ben" } });
    house.advance(1);
    const { installationId, capability } = device;
    const body = {
      installationId,
      capability,
      appId: "com.example.app",
      platform: "ios",
      environment: "production",
    } as const;
    await project.sdk.bootstrapInstallation({ body });
    await device.bind("ada");
    const { tell } = observerOf(project, device);
    assert.deepEqual(await tell({ kind: "event", event: "y" }), { acknowledgedThrough: 1 });
  });
});

it("leaves no differences behind", async () => {
  assert.deepEqual(await house.differences(), {});
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { rowOf } from "../../../../test/devices.ts";
import { makeMany } from "../../../../test/factories.ts";
import {
  BOUGHT,
  BUY,
  becameOf,
  observerOf,
  observingStage,
  RECEIPT,
  TAP,
} from "../../../../test/observing.ts";
import { inspect, launchPush, MESSAGE, putCredential, reachable } from "../../../../test/push.ts";
import { collide } from "../../../../test/waiting.ts";

const { apns, house, pushTo, scene } = await observingStage();

describe("many at once", () => {
  it("keeps a request once that is sent ten times at the same moment", async () => {
    const at = await scene();
    const { project, observer, device, push } = at;
    const elsewhere = observerOf(await house.elsewhere(project), device, push);
    const commands = [RECEIPT, TAP, BUY].map(observer.next);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? observer : elsewhere).send(commands)),
    );
    for (const answer of answers) assert.deepEqual(answer, { acknowledgedThrough: 3 });
    assert.deepEqual(await becameOf(at), { sent: 1, delivered: 1, opened: 1, clicked: 1, converted: 1 });
    const { records } = await inspect(project, at.campaignId);
    assert.deepEqual([records.observations, records.conversions], [2, 1]);
  });

  it("takes one of two requests that say different things under the same numbers", async () => {
    const { observer, campaignId, project } = await scene();
    const [command] = [RECEIPT].map(observer.next);
    assert.ok(command);
    const results = await Promise.allSettled(
      ["receipt", "tap"].map((kind) => observer.send([{ ...command, kind, id: kind } as typeof command])),
    );
    assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
    assert.equal((await inspect(project, campaignId)).records.observations, 1);
  });

  it("hears 200 devices at once, while their users do things elsewhere", async () => {
    const project = await house.project();
    await putCredential(project, apns.credential);
    const { goal } = await project.api.createGoal({ body: { name: "Sales", targetEvent: BOUGHT } });
    apns.taken.length = 0;
    const devices = await makeMany(200, (i) => reachable(project, `user-${i % 100}`));
    const push = { appId: "com.example.app", selection: { kind: "all" as const }, ttlSeconds: 3_600 };
    const { id } = await launchPush(project, { goalId: goal.id, push, message: { ...MESSAGE, title: "Hi" } });
    await house.drain();
    assert.equal(apns.taken.length, 200);
    await Promise.all([
      ...devices.map(async (device) => {
        const observer = observerOf(project, device, pushTo(device.token));
        await observer.tell(RECEIPT, TAP, BUY);
        await observer.tell(BUY);
      }),
      ...Array.from({ length: 100 }, (_, i) =>
        project.sdk.track({ body: { userId: `user-${i}`, event: BOUGHT } }),
      ),
    ]);
    const { users, devices: found, records } = await inspect(project, id);
    assert.deepEqual(users, { targeted: 100, accepted: 100, engaged: 100, converted: 100 });
    assert.deepEqual([found.receiptObserved, found.receiptUnknown], [200, 0]);
    assert.deepEqual([records.observations, records.conversions], [400, 100]);
    assert.deepEqual(await becameOf({ project, campaignId: id }), {
      sent: 100,
      delivered: 100,
      opened: 100,
      clicked: 100,
      converted: 100,
    });
  });
});

describe("a report and a change of who it is from", () => {
  for (const isFirst of [true, false])
    it(`are one after the other: ${isFirst ? "the report" : "another user"} first`, async () => {
      const at = await scene();
      const tell = (): Promise<unknown> => at.observer.tell(RECEIPT, TAP, BUY);
      const bind = (): Promise<unknown> => at.device.bind("ben");
      const results = await collide(house, rowOf(at.device), isFirst ? [tell, bind] : [bind, tell]);
      const [reported, bound] = isFirst ? results : results.toReversed();
      assert.equal(bound?.status, "fulfilled");
      assert.equal(reported?.status, isFirst ? "fulfilled" : "rejected");
      assert.equal((await becameOf(at)).converted, isFirst ? 1 : 0);
    });

  for (const isFirst of [true, false])
    it(`are one after the other: ${isFirst ? "the report" : "erasing the user"} first`, async () => {
      const at = await scene();
      const { projectId, api } = at.project;
      const user = {
        text: "select from users where project_id = $1 and external_id = 'ada' for update",
        values: [projectId],
      };
      const tell = (): Promise<unknown> => at.observer.tell(RECEIPT, TAP, BUY);
      const erase = (): Promise<unknown> => api.eraseUser({ path: { id: "ada" } });
      const results = await collide(house, user, isFirst ? [tell, erase] : [erase, tell]);
      const [reported, erased] = isFirst ? results : results.toReversed();
      assert.equal(erased?.status, "fulfilled");
      if (reported?.status === "rejected") assert.equal((reported.reason as { status: number }).status, 404);
      assert.equal(reported?.status, isFirst ? "fulfilled" : "rejected");
      assert.equal((await becameOf(at)).converted, isFirst ? 1 : 0);
      assert.equal((await api.listEvents({ query: { name: BOUGHT } })).events.length, 0);
    });
});

it("leaves no differences behind", async () => {
  assert.deepEqual(await house.differences(), {});
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Device, newCapability } from "../../../../test/devices.ts";
import { refusal, type TestProject } from "../../../../test/harness.ts";
import {
  ACTION,
  becameOf,
  NOTHING,
  observerOf,
  observingStage,
  RECEIPT,
} from "../../../../test/observing.ts";
import { MESSAGE, reachable } from "../../../../test/push.ts";

const { house, scene } = await observingStage();

describe("a push that a device names", () => {
  it("has to be one that was sent to it", async () => {
    const at = await scene();
    const { project, device, push } = at;
    const ben = await reachable(project, "ben", { token: null });
    const bens = await reachable(project, "ada");
    const foreign = await scene();
    const { targetId, attemptId } = push;
    const bump = (id: string) => id.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10));
    const wrong: [string, Device, { targetId: string; attemptId: string }][] = [
      ["another user's device", ben, push],
      ["another device of the user", bens, push],
      ["a target of another campaign's attempt", device, { targetId, attemptId: foreign.push.attemptId }],
      ["another project's", device, foreign.push],
      ["another generation", device, { targetId: bump(targetId), attemptId }],
      ["an attempt that was not made", device, { targetId, attemptId: bump(attemptId) }],
      ["exchanged ids", device, { targetId: attemptId, attemptId: targetId }],
      ["no ids", device, { targetId: "x", attemptId: "💥" }],
      ["the ids in capitals", device, { targetId: targetId.toUpperCase(), attemptId }],
    ];
    for (const [name, sender, ids] of wrong) {
      const refused = await refusal(observerOf(project, sender, ids).tell(RECEIPT));
      assert.deepEqual(
        [refused.status, refused.error],
        [409, "commands[0].targetId and attemptId are not of a push that was sent to this installation"],
        name,
      );
    }
    assert.deepEqual(await becameOf(at), NOTHING);
  });

  it("has to have the button", async () => {
    const at = await scene();
    const unknown = at.observer.next({ kind: "action", actionId: "delete" });
    const refused = await refusal(at.observer.send([unknown]));
    assert.deepEqual(
      [refused.status, refused.error],
      [409, "commands[0].actionId is not among the actions of that push"],
    );
    const plain = await scene({ message: MESSAGE });
    assert.equal((await refusal(plain.observer.tell(ACTION))).status, 409);
    const mixed = [{ kind: "receipt" as const }, { kind: "action" as const, actionId: "x" }];
    const { send, next } = observerOf(at.project, at.device, at.push);
    assert.match((await refusal(send(mixed.map(next)))).error, /^commands\[1\]\.actionId/);
    assert.deepEqual(await becameOf(at), NOTHING);
  });

  it("is found only by who speaks for the installation", async () => {
    const { project, device, push } = await scene();
    const other = await house.project();
    const command = { ...push, id: "a", sequence: 1, kind: "receipt" } as const;
    const { targetId, attemptId, id, sequence, kind } = command;
    const body = { bindingGeneration: 1, commands: [{ id, sequence, kind, targetId, attemptId }] };
    const ask = (sdk: TestProject["sdk"], installationId: string, capability: string) =>
      refusal(
        sdk.recordObservations({
          path: { installationId },
          headers: { "X-Service-Installation-Capability": capability },
          body,
        }),
      );
    const answers = [
      await ask(project.sdk, device.installationId, newCapability()),
      await ask(project.sdk, "unknown", device.capability),
      await ask(other.sdk, device.installationId, device.capability),
    ];
    for (const { status, body: error } of answers)
      assert.deepEqual([status, error], [404, { error: "Installation not found" }]);
    assert.equal(
      (
        await refusal(
          project.api.recordObservations({
            path: { installationId: device.installationId },
            headers: device.headers,
            body,
          }),
        )
      ).status,
      403,
    );
  });
});

describe("what is no request", () => {
  it("is refused with 400 that names the field, and changes nothing", async () => {
    const { project, device, push, observer } = await scene();
    const { targetId, attemptId } = push;
    const receipt = { id: "a", sequence: 1, kind: "receipt", targetId, attemptId };
    const event = { id: "a", sequence: 1, kind: "event", event: "x", eventId: "e" };
    const post = async (body: unknown): Promise<{ status: number; error: string }> => {
      const path = `/api/v1/sdk/installations/${device.installationId}/observations`;
      const answer = await fetch(house.url + path, {
        method: "POST",
        headers: {
          ...device.headers,
          authorization: `Bearer ${project.publishableKey}`,
          "content-type": "application/json",
        },
        body: typeof body === "string" ? body : JSON.stringify(body),
      });
      const { error } = (await answer.json()) as { error: string };
      return { status: answer.status, error };
    };
    const commands = (...list: unknown[]) => ({ bindingGeneration: 1, commands: list });
    const cases: [unknown, RegExp][] = [
      [commands(), /commands/],
      [
        commands(...Array.from({ length: 33 }, (_, i) => ({ ...receipt, id: `${i}`, sequence: i + 1 }))),
        /commands/,
      ],
      [{ commands: [receipt] }, /bindingGeneration/],
      [{ ...commands(receipt), bindingGeneration: -1 }, /bindingGeneration/],
      [{ ...commands(receipt), bindingGeneration: 1.5 }, /bindingGeneration/],
      [{ ...commands(receipt), more: 1 }, /more/],
      [commands({ ...receipt, more: 1 }), /more/],
      [commands({ ...event, targetId }), /targetId/],
      [commands({ ...receipt, actionId: "x" }), /actionId/],
      [commands({ ...receipt, kind: "action" }), /actionId/],
      [commands({ ...receipt, kind: "action", actionId: "x".repeat(65) }), /actionId/],
      [commands({ ...receipt, kind: "other" }), /receipt, tap, action, event/],
      [commands({ ...receipt, kind: undefined }), /receipt, tap, action, event/],
      [commands({ ...receipt, sequence: 0 }), /sequence/],
      [commands({ ...receipt, sequence: 1.5 }), /sequence/],
      [commands({ ...receipt, sequence: "1" }), /sequence/],
      [commands({ ...receipt, sequence: 2 ** 53 }), /sequence/],
      [commands({ ...receipt, id: "" }), /commands\[0\]\.id/],
      [commands({ ...receipt, id: "é".repeat(129) }), /commands\[0\]\.id/],
      [commands({ ...receipt, targetId: "x".repeat(129) }), /targetId/],
      [commands({ ...receipt, targetId: undefined }), /targetId/],
      [commands({ ...event, event: "x".repeat(81) }), /event/],
      [commands({ ...event, eventId: undefined }), /eventId/],
      [commands({ ...event, eventId: "x".repeat(129) }), /eventId/],
      [commands({ ...event, props: [] }), /props/],
      [commands({ ...event, props: "x" }), /props/],
      [commands({ ...event, props: { a: "x".repeat(4_089) } }), /props must be at most 4096 bytes/],
      [commands({ ...event, props: { a: "é".repeat(2_045) } }), /props must be at most 4096 bytes/],
      [commands({ ...event, event: "a\u0000b" }), /./],
      [
        '{"bindingGeneration":1,"commands":[{"id":"\\ud800","sequence":1,"kind":"tap","targetId":"x","attemptId":"y"}]}',
        /./,
      ],
      ["[]", /./],
      ["{", /./],
    ];
    for (const [body, error] of cases) {
      const refused = await post(body);
      assert.equal(refused.status, 400, `${JSON.stringify(body).slice(0, 200)}: ${refused.error}`);
      assert.match(refused.error, error);
    }
    assert.deepEqual(await post(`{"x":"${"x".repeat(65_536)}"}`), {
      status: 413,
      error: "Request body too large: at most 65536 bytes, send fewer commands at once",
    });
    assert.deepEqual(await observer.tell(RECEIPT), { acknowledgedThrough: 1 });
  });

  it("takes texts and props of exactly the length that is allowed, in any script", async () => {
    const project = await house.project();
    const device = await reachable(project, "ada");
    const { send } = observerOf(project, device);
    const base = { kind: "event", event: "日".repeat(80) } as const;
    const answer = await send([
      {
        ...base,
        id: "𝒳".repeat(128),
        sequence: 1,
        eventId: "🎉".repeat(128),
        props: { a: "x".repeat(4_088) },
      },
      {
        ...base,
        id: "__proto__",
        sequence: 2,
        eventId: "constructor",
        props: { __proto__: 1, "": null, "a.b": "é".repeat(2_000) },
      },
    ]);
    assert.deepEqual(answer, { acknowledgedThrough: 2 });
    const many = Array.from({ length: 32 }, (_, i) => ({
      ...base,
      id: `n${i}`,
      sequence: i + 3,
      eventId: `n${i}`,
    }));
    assert.deepEqual(await send(many), { acknowledgedThrough: 34 });
  });
});

it("leaves no differences behind", async () => {
  assert.deepEqual(await house.differences(), {});
});

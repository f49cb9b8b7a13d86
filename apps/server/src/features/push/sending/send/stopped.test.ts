import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { until } from "../../../../../test/commands/spawned.ts";
import type { TestProject } from "../../../../../test/harness.ts";
import { inspect, launchPush, MESSAGE, PUSH, pushHouse, reachable } from "../../../../../test/push.ts";
import { defaultLimits } from "../../../../platform/limits.ts";
import { SECOND_MS } from "../../../../platform/time/clock.ts";

const UNDER_WAY = 2;
const { house, apns, sendingProject } = await pushHouse({
  limits: { ...defaultLimits, pushesUnderWay: UNDER_WAY },
});

const DEVICES = 12;
/** Shorter than a reservation, so that the window of the campaign stops pushes, and not the end of the reservation. */
const WINDOW_MS = 10 * SECOND_MS;

type Scene = { project: TestProject; id: string; tokens: ReadonlySet<string> };

/** The pushes of a scene that the provider was sent, in order. */
const handedOver = ({ tokens }: Pick<Scene, "tokens">) =>
  apns.requests.filter(({ token }) => tokens.has(token));

/** A campaign to twelve devices, two of whose pushes are in flight while `act` runs; the others are reserved. */
async function duringTheFirst(act: (scene: Scene) => Promise<unknown>): Promise<Scene> {
  const project = await sendingProject();
  const devices = await Promise.all(
    Array.from({ length: DEVICES }, (_, n) => reachable(project, `user-${n}`)),
  );
  const tokens = new Set(devices.map(({ token }) => token));
  const release = Promise.withResolvers<null>();
  apns.behave(({ token }) => (tokens.has(token) ? release.promise : null));
  const { id } = await launchPush(project, { deliverUntil: house.now() + WINDOW_MS });
  const scene = { project, id, tokens };
  const draining = house.drain();
  await until(() => handedOver(scene).length === UNDER_WAY, "two are under way");
  const { slots } = await inspect(project, id);
  assert.deepEqual(new Set(slots.map(({ state }) => state.kind)), new Set(["reserved"]));
  await act(scene);
  // The gate trusts a reading of the campaign for a tenth of a second.
  house.advance(100);
  release.resolve(null);
  await draining;
  return scene;
}

const act = ({ project, id }: Scene, action: "launch" | "pause" | "end") =>
  project.api.setCampaignStatus({ path: { id }, body: { action } });

const assertEachOnce = (scene: Scene): void => {
  const sent = handedOver(scene).map(({ token }) => token);
  assert.deepEqual([sent.length, new Set(sent).size], [DEVICES, DEVICES]);
};

describe("pushes that are reserved and not under way yet", () => {
  it("stay when their campaign is paused, and leave when it goes on", async () => {
    const scene = await duringTheFirst((during) => act(during, "pause"));
    assert.equal(handedOver(scene).length, UNDER_WAY);
    const { slots, outcomes, devices } = await inspect(scene.project, scene.id);
    const kinds = slots.map(({ state }) => state.kind);
    assert.equal(kinds.filter((kind) => kind === "accepted").length, UNDER_WAY);
    const stopped = outcomes.filter(({ result }) => result.code === "campaign_stopped");
    assert.equal(stopped.length, DEVICES - UNDER_WAY);
    assert.deepEqual([devices.confirmedSubmissions, devices.possibleSubmissions], [UNDER_WAY, 0]);
    await act(scene, "launch");
    await house.drain();
    assertEachOnce(scene);
  });

  it("never leave once it has ended: they are closed", async () => {
    const scene = await duringTheFirst((during) => act(during, "end"));
    await house.drain();
    assert.equal(handedOver(scene).length, UNDER_WAY);
    const { slots, planning } = await inspect(scene.project, scene.id);
    const closed = slots.filter(({ state }) => state.kind === "closed" && state.reason === "campaign_ended");
    assert.deepEqual([closed.length, planning.waiting], [DEVICES - UNDER_WAY, 0]);
    const { total } = await scene.project.api.listCampaignDeliveries({
      path: { id: scene.id },
      query: { state: "withdrawn" },
    });
    assert.equal(total, DEVICES - UNDER_WAY);
  });

  it("never leave once its window is over", async () => {
    const scene = await duringTheFirst(async () => house.advance(WINDOW_MS));
    assert.equal(handedOver(scene).length, UNDER_WAY);
  });

  it("say what the campaign says by then", async () => {
    const scene = await duringTheFirst(({ project, id }) =>
      project.api.updateCampaign({ path: { id }, body: { message: { ...MESSAGE, title: "Mended" } } }),
    );
    assertEachOnce(scene);
    const titles = handedOver(scene).map(({ payload }) => JSON.stringify(payload.aps.alert));
    const mended = titles.filter((title) => title.includes("Mended"));
    assert.equal(mended.length, DEVICES - UNDER_WAY);
  });

  it("go by the devices that are chosen by then", async () => {
    const scene = await duringTheFirst(({ project, id }) =>
      project.api.updateCampaign({
        path: { id },
        body: { push: { ...PUSH, selection: { kind: "all" } } },
      }),
    );
    assert.equal(handedOver(scene).length, UNDER_WAY);
  });

  it("go on as they are when something else of the campaign changes", async () => {
    const scene = await duringTheFirst(({ project, id }) =>
      project.api.updateCampaign({ path: { id }, body: { name: "Another name" } }),
    );
    assertEachOnce(scene);
    assert.equal((await inspect(scene.project, scene.id)).devices.preSendBlocks, 0);
  });

  it("leave no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});

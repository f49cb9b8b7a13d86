import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TestProject } from "../../../../../test/harness.ts";
import { apnsRefuses } from "../../../../../test/peers/apns.ts";
import { launchPush, pushHouse, putCredential, reachable } from "../../../../../test/push.ts";
import { drainLoops } from "../../../../platform/loops/loops.ts";
import { bringTokensBackLoop } from "./bring-tokens-back.ts";

const { house, apns } = await pushHouse();
apns.behave(() => apnsRefuses(410, "Unregistered"));

const keptOf = async ({ projectId }: TestProject): Promise<string[]> => {
  const { rows } = await house.database.pool.query<{ token: string }>(
    "select token from installation_ended_tokens where project_id = $1 order by 1",
    [projectId],
  );
  return rows.map(({ token }) => token);
};

/** A device whose token has ended under a credential that was never accepted, and another device without one. */
async function ended() {
  const project = await house.project();
  await putCredential(project, apns.credential);
  const device = await reachable(project, "anna");
  const { id } = await launchPush(project);
  await house.drain();
  await project.api.setCampaignStatus({ path: { id }, body: { action: "end" } });
  assert.deepEqual([(await device.read()).hasToken, await keptOf(project)], [false, [device.token]]);
  const other = await reachable(project, "ben", { token: null });
  return { project, device, other };
}

/** Puts the next credential, and lets what waits for it come back. */
async function mend(project: TestProject, revision = 1): Promise<void> {
  await putCredential(project, apns.credential, {}, revision);
  await house.drain();
}

describe("a token that ended while the credential may have been wrong", () => {
  it("comes back with the next credential, as the one that the device put last", async () => {
    const { project, device } = await ended();
    const before = await device.read();
    await mend(project);
    assert.deepEqual(await device.read(), { ...before, hasToken: true });
    assert.deepEqual(await keptOf(project), []);
    // The device says so again at its next start: nothing is new.
    assert.equal((await device.put(device.token)).tokenRevision, before.tokenRevision);
  });

  it("comes back whatever else of the device has changed", async () => {
    const { project, device } = await ended();
    await device.use();
    await device.say();
    await device.bind("carl");
    await mend(project);
    assert.equal((await device.read()).hasToken, true);
  });

  it("is fresh where the device puts it again", async () => {
    const { project, device } = await ended();
    const { tokenRevision } = await device.read();
    const put = await device.put(device.token);
    assert.deepEqual([put.hasToken, put.tokenRevision, await keptOf(project)], [true, tokenRevision + 1, []]);
    await mend(project);
    assert.deepEqual(await device.read(), put);
  });

  it("stays away where the device puts another one, or removes it", async () => {
    for (const token of ["feed0001", null]) {
      const { project, device } = await ended();
      await device.put(token);
      assert.deepEqual(await keptOf(project), []);
      await mend(project);
      assert.equal((await device.read()).hasToken, token !== null);
    }
  });

  it("stays away where another installation has put it, even if that has removed it since", async () => {
    const { project, device, other } = await ended();
    await other.put(device.token);
    assert.deepEqual(await keptOf(project), []);
    await other.put(null);
    await mend(project);
    assert.deepEqual([(await device.read()).hasToken, (await other.read()).hasToken], [false, false]);
  });

  it("has one owner, when it comes back at the moment when another installation puts it", async () => {
    for (let round = 0; round < 5; round++) {
      const { project, device, other } = await ended();
      await putCredential(project, apns.credential, {}, 1);
      await Promise.all([
        drainLoops(house.tidings.app, [bringTokensBackLoop]),
        other.put(device.token),
        drainLoops(house.tidings.app, [bringTokensBackLoop]),
      ]);
      await house.drain();
      assert.deepEqual([(await device.read()).hasToken, (await other.read()).hasToken], [false, true]);
      assert.deepEqual(await keptOf(project), []);
    }
  });

  it("is forgotten with the user of the device", async () => {
    const { project } = await ended();
    await project.api.eraseUser({ path: { id: "anna" } });
    assert.deepEqual(await keptOf(project), []);
    await mend(project);
  });

  it("ends again, for good, under a credential that works", async () => {
    const { project, device, other } = await ended();
    apns.behave(() => null);
    await mend(project);
    await launchPush(project);
    await house.drain();
    assert.equal((await device.read()).hasToken, true);
    await other.put(`feed${device.token}`);
    apns.behave(({ token }) => (token === device.token ? apnsRefuses(410, "Unregistered") : null));
    await launchPush(project);
    await house.drain();
    await mend(project, 2);
    assert.deepEqual([(await device.read()).hasToken, (await other.read()).hasToken], [false, true]);
  });
});

it("leaves no differences behind", async () => {
  assert.deepEqual(await house.differences(), {});
});

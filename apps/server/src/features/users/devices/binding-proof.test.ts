import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Device, install } from "../../../../test/devices.ts";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";
import { BELIEVED_MS, hashOf, secretOf } from "../../../../test/perimeter.ts";

const house = testHouse();

/** Binds a device to a user with a `userHash`. */
async function bindProven({ sdk }: TestProject, device: Device, userId: string, userHash: string) {
  const { bindingGeneration, revision } = await device.read();
  const body = { requestId: `proven ${revision}`, bindingGeneration, revision, userId, userHash };
  const { installationId, headers } = device;
  return (await sdk.setInstallationBinding({ path: { installationId }, headers, body })).installation;
}

describe("binding a device to a user of whom the server has spoken", () => {
  it("needs their hash, also where none is demanded", async () => {
    const project = await house.project();
    const secret = await secretOf(house, project);
    house.advance(BELIEVED_MS);
    await project.api.identify({ body: { userId: "ada", traits: { plan: "pro" } } });
    const device = await install(project);
    const { status, error } = await refusal(device.bind("ada"));
    assert.deepEqual(
      [status, error],
      [
        401,
        "Could not identify user: your server has spoken of this user, so the binding needs their userHash",
      ],
    );
    const wrong = bindProven(project, device, "ada", hashOf(secret, "eve"));
    assert.equal((await refusal(wrong)).status, 401);
    assert.equal((await device.read()).userId, null);
    const bound = await bindProven(project, device, "ada", hashOf(secret, "ada"));
    assert.equal(bound.userId, "ada");
    assert.equal((await device.bind("ada")).userId, "ada", "one that is bound already is no news");
    assert.equal((await device.bind(null)).userId, null);
  });

  it("of users of whom pages alone have spoken needs none", async () => {
    const project = await house.project();
    await project.sdk.identify({ body: { userId: "ben", traits: { plan: "pro" } } });
    await project.api.identify({ body: { userId: "carl" } });
    const device = await install(project);
    for (const userId of ["ben", "carl", "nobody yet"])
      assert.equal((await device.bind(userId)).userId, userId);
  });

  it("leaves no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});

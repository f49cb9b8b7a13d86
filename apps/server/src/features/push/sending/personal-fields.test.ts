import assert from "node:assert/strict";
import { it } from "node:test";
import { launchPush, MESSAGE, pushHouse, reachable } from "../../../../test/push.ts";

const { house, apns, sendingProject } = await pushHouse();

it("a push says what the secret key set, and nothing of a publishable key that is long or holds the address of a page", async () => {
  const project = await sendingProject();
  const bait = "your mailbox is full, renew at https://evil.example/renew";
  const link = "https://shop.example/ada";
  for (const userId of ["page", "long", "plain", "server"]) await reachable(project, userId);
  const name = { page: bait, long: "x".repeat(101), plain: "Ada" };
  for (const [userId, each] of Object.entries(name))
    await project.sdk.identify({ body: { userId, traits: { name: each } } });
  await project.api.identify({ body: { userId: "server", traits: { name: link } } });
  await project.sdk.identify({ body: { userId: "server", traits: { name: bait } } });
  await launchPush(project, { message: MESSAGE });
  await house.drain();
  const titles = apns.taken.map(({ payload }) => JSON.stringify(payload).match(/"title":"(.*?)"/)?.[1]);
  assert.deepEqual(
    titles.toSorted(),
    ["Hello Ada", "Hello there", "Hello there", `Hello ${link}`].toSorted(),
  );
});

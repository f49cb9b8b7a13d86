import assert from "node:assert/strict";
import { after, it } from "node:test";
import { sendingProject } from "../../../test/email.ts";
import { testHouse } from "../../../test/harness.ts";
import { startSmtp } from "../../../test/peers/smtp.ts";
import { giveRole, makePerson } from "../../../test/people.ts";
import { openReceiver } from "../../../test/webhooks.ts";

const house = testHouse({ webhooksPrivate: true });

it("owners get one mail that a webhook was switched off, and others get none", async () => {
  const peer = await startSmtp();
  after(() => peer.close());
  const project = await sendingProject(house, peer.port);
  const owner = await makePerson(house, { role: "owner" });
  const ofProject = await makePerson(house);
  await giveRole(house, project.projectId, ofProject, "owner");
  await giveRole(house, project.projectId, await makePerson(house), "approver");
  const elsewhere = await house.project();
  await giveRole(house, elsewhere.projectId, await makePerson(house), "owner");
  const { url } = await openReceiver(() => ({ status: 410 }));
  const { webhook } = await project.api.createWebhook({ body: { url, types: ["*"] } });
  const path = { id: webhook.id };
  await project.api.testWebhook({ path });
  await house.drain();
  await house.drain();
  const { webhook: off } = await project.api.getWebhook({ path });
  assert.deepEqual([off.state, off.offBecause], ["off", "gone"]);
  const addressed = () => peer.taken.map(({ to }) => to).sort();
  assert.deepEqual(addressed(), [owner.email, ofProject.email].sort());
  const [mail] = peer.taken;
  assert.match(String(mail?.raw), new RegExp(`Subject: The webhook to ${new URL(url).host} is off`));
  assert.match(String(mail?.raw), new RegExp(`/app/p/${project.projectId}/webhooks`));

  // Once it works again, and is switched off again, there is another one.
  await project.api.changeWebhook({ path, body: { state: "on" } });
  await project.api.testWebhook({ path });
  await house.drain();
  await house.drain();
  assert.equal(addressed().length, 4);
  // A person who switches it off knows.
  await project.api.changeWebhook({ path, body: { state: "on" } });
  await project.api.changeWebhook({ path, body: { state: "off" } });
  await house.drain();
  assert.equal(addressed().length, 4);
});

it("a project that cannot send mail loses nothing else", async () => {
  const project = await house.project();
  const { url } = await openReceiver(() => ({ status: 410 }));
  const { webhook } = await project.api.createWebhook({ body: { url, types: ["*"] } });
  await project.api.testWebhook({ path: { id: webhook.id } });
  await house.drain();
  await house.drain();
  const { webhook: off } = await project.api.getWebhook({ path: { id: webhook.id } });
  assert.deepEqual([off.state, off.offBecause], ["off", "gone"]);
});

import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { feedback, launchCampaign, messagesOf } from "../../../test/factories.ts";
import { testHouse } from "../../../test/harness.ts";
import { openBrowser, visitedProject } from "../../../test/visitors.ts";
import { openReceiver, type Received } from "../../../test/webhooks.ts";
import { userRef } from "../../domain/ids.ts";
import { MINUTE_MS } from "../../platform/time/clock.ts";
import { SUBSCRIBABLE } from "./types.pure.ts";

const house = testHouse({ webhooksPrivate: true });
afterEach(async () => assert.deepEqual(await house.differences(), {}));

const VISITOR = "okapi-b7e1";

/** A project with visitors and a campaign for them, and a webhook for everything whose receiver answers with a status. */
async function scene(status: () => number = () => 204) {
  const project = await visitedProject(house);
  const { url, received } = await openReceiver(() => ({ status: status() }));
  const { id } = await launchCampaign(project, { visitors: "also" });
  await project.api.createWebhook({ body: { url, types: [...SUBSCRIBABLE] } });
  const browser = openBrowser(project, VISITOR);
  const [message] = await browser.messages();
  assert.ok(message);
  await browser.feedback(message.deliveryId, "shown");
  const deliveries = async () =>
    (await project.api.listCampaignDeliveries({ path: { id } })).deliveries.map((each) => each.id);
  return { project, received, browser, message, deliveries };
}

const about = (received: readonly Received[], type: string): Received[] =>
  received.filter((each) => each.type === type);

describe("webhooks about what a visitor got", () => {
  it("name the visitor without the secret of their browser, and the user once they signed in", async () => {
    const { received, browser, message, deliveries } = await scene();
    await house.drain();
    const [shown] = about(received, "delivery.shown");
    const { data: { userId, visitor, deliveryId } = {} } = shown ?? {};
    assert.deepEqual([userId, deliveryId], [null, message.deliveryId]);
    assert.match((visitor as { id: string }).id, /^eu_/);
    assert.deepEqual(about(received, "user.identified"), []);
    await browser.signIn("ada");
    await browser.feedback(message.deliveryId, "clicked");
    await house.drain();
    const [clicked] = about(received, "delivery.clicked");
    assert.equal(clicked?.data.userId, "ada");
    assert.deepEqual([clicked?.data.deliveryId], await deliveries());
    assert.equal("visitor" in (clicked?.data ?? {}), false);
    assert.ok(received.every(({ body }) => !body.includes(VISITOR) && !body.includes("$anon")));
  });

  it("that waited while the visitor signed in name the user, and the delivery where it is now", async () => {
    let status = 500;
    const { received, browser, deliveries } = await scene(() => status);
    await house.drain();
    await browser.signIn("ada");
    status = 204;
    house.advance(10 * MINUTE_MS);
    await house.drain();
    const shown = about(received, "delivery.shown").at(-1);
    assert.equal(shown?.data.userId, "ada");
    assert.deepEqual([shown?.data.deliveryId], await deliveries());
  });

  it("go on about a delivery that stays apart, because the user had the campaign", async () => {
    const { project, received, browser, message } = await scene();
    const [own] = await messagesOf(project, "ada");
    await feedback(project, own?.deliveryId ?? "", "ada", "shown");
    await browser.signIn("ada");
    await browser.feedback(message.deliveryId, "clicked");
    await house.drain();
    const [clicked] = about(received, "delivery.clicked");
    assert.deepEqual([clicked?.data.userId, clicked?.data.deliveryId], ["ada", message.deliveryId]);
  });

  it("forget the visitor with the user", async () => {
    const { project, browser } = await scene();
    await browser.signIn("ada");
    await house.drain();
    await project.api.eraseUser({ path: { id: "ada" } });
    await house.drain();
    const keys = [`$anon:${VISITOR}`, "ada"].map((id) => userRef(project.projectId, id).userKey);
    for (const table of ["webhook_messages", "webhook_attempts"]) {
      const { rows } = await house.database.pool.query(
        `select from ${table} t where project_id = $1 and lower(to_jsonb(t)::text) like any($2)`,
        [project.projectId, [...keys, VISITOR].map((each) => `%${each}%`)],
      );
      assert.equal(rows.length, 0, table);
    }
  });
});

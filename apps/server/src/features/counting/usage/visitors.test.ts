import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setSettings } from "../../../../test/email.ts";
import { feedback, launchCampaign, messagesOf } from "../../../../test/factories.ts";
import { type TestProject, testHouse } from "../../../../test/harness.ts";
import { loneProject, usageOf } from "../../../../test/usage.ts";
import { openBrowser } from "../../../../test/visitors.ts";
import { visitorIdOf } from "../../../domain/visitors.pure.ts";

const house = testHouse();
const day = (text: string): number => Date.parse(`${text}T00:00:00Z`);
const countOf = async (project: TestProject): Promise<number> => (await usageOf(project)).activeUsers;

/** A visitor who does something, and sees a message. */
async function visit(project: TestProject, anonymousId: string) {
  const browser = openBrowser(project, anonymousId);
  await browser.track("looked");
  const [message] = await browser.messages();
  await browser.feedback(message?.deliveryId ?? "", "shown");
  return browser;
}

describe("visitors", () => {
  it("are active in no period, also when a period is caught up with, nor once they are erased", async () => {
    house.at(day("2026-04-12"));
    const project = await loneProject(house);
    await setSettings(house, project, { "visitors.enabled": "true" });
    await launchCampaign(project, { visitors: "also" });
    const [message] = await messagesOf(project, "ada");
    await feedback(project, message?.deliveryId ?? "", "ada", "shown");
    for (const id of ["stays", "is erased", "signs in"]) await visit(project, id);
    await project.api.identify({ body: { anonymousId: "stays", traits: { plan: "free" } } });
    assert.equal(await countOf(project), 1);
    assert.deepEqual(await house.differences(), {});
    await project.api.eraseUser({ path: { id: visitorIdOf("is erased") } });
    await house.drain();
    // Ben has seen the campaign himself, so that the delivery of the visitor who he was stays apart.
    const [his] = await messagesOf(project, "ben");
    await feedback(project, his?.deliveryId ?? "", "ben", "shown");
    await openBrowser(project, "signs in").signIn("ben");
    assert.equal(await countOf(project), 2);
    assert.deepEqual(await house.differences(), {});
    await setSettings(house, project, {
      "org.billingStatus": "ok",
      "org.periodStart": "2026-04-10",
      "org.periodEnd": "2026-05-10",
    });
    await house.drain();
    house.advance(15_000);
    await house.drain();
    assert.equal(await countOf(project), 2, "ada and ben");
    assert.deepEqual(await house.differences(), {});
  });
});

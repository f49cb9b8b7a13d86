import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setSettings } from "../../../../../test/email.ts";
import { launchCampaign, messagesOf, toast } from "../../../../../test/factories.ts";
import { refusal, type TestProject } from "../../../../../test/harness.ts";
import { journeyTests } from "../../../../../test/journeys.ts";
import { PUSH, pushHouse, reachable } from "../../../../../test/push.ts";
import { MINUTE_MS } from "../../../../platform/time/clock.ts";

const { house, apns, sendingProject } = await pushHouse();

const { launched, pass, smtp } = await journeyTests(house);

/** What a mail, a push and a message in the product say to a user who did an event with some properties. */
async function textsOf(project: TestProject, userId: string, token: string) {
  const mails = smtp.taken.filter(({ to }) => to === `${userId}@cart.example`);
  const [message] = await messagesOf(project, userId);
  const push = apns.taken.find((taken) => taken.token === token);
  return {
    mail: /^Subject: (.*)$/m.exec(mails[0]?.raw.toString("utf8") ?? "")?.[1]?.trim(),
    toast: message?.content.title,
    push: (push?.payload.aps.alert as { title: string } | undefined)?.title,
  };
}

describe("a message of a journey", () => {
  it("names what the event said that let its user in, on every channel and each time", async () => {
    const project = await sendingProject();
    await setSettings(house, project, {
      "email.from": "Acme News <news@acme.example>",
      "email.postalAddress": "Acme, 1 Main Street, Springfield",
      "email.domainVerified": "true",
      "email.smtpUrl": `smtp://127.0.0.1:${smtp.port}`,
    });
    const title = 'Your {{ event.product | default: "cart" }}';
    await launched(project, {
      entry: { on: "event", event: "cart_filled" },
      steps: [
        { id: "mail", kind: "send", channel: "email", message: { subject: title, body: "It waits." } },
        { id: "toast", kind: "send", channel: "web_inapp", message: toast(title) },
        {
          id: "push",
          kind: "send",
          channel: "push",
          message: { title, body: "It waits.", destination: { kind: "app", url: "example://cart" } },
          push: PUSH,
        },
      ],
    });
    const devices = new Map<string, string>();
    const products = { ada: "lamp", bo: undefined, cy: "see www.spam.example", dora: 7 };
    for (const [userId, product] of Object.entries(products)) {
      const device = await reachable(project, userId);
      devices.set(userId, device.token);
      await project.api.identify({
        body: { userId, traits: { email: `${userId}@cart.example`, product: "not this" } },
      });
      const props = product === undefined ? {} : { product };
      await project.api.track({ body: { userId, event: "cart_filled", props } });
    }
    await pass(2 * MINUTE_MS);
    const textsFor = async (userId: string) => textsOf(project, userId, devices.get(userId) ?? "");
    const all = (text: string) => ({ mail: text, toast: text, push: text });
    assert.deepEqual(await textsFor("ada"), all("Your lamp"));
    assert.deepEqual(await textsFor("bo"), all("Your cart"), "without the property the default stands there");
    assert.deepEqual(await textsFor("cy"), all("Your cart"), "an address of a page may be an attacker's");
    assert.deepEqual(await textsFor("dora"), all("Your 7"));
    assert.deepEqual(await house.differences(), {});
  });

  it("alone may name it: any other campaign is refused, with the place", async () => {
    const project = await house.project();
    const refused = async (call: Promise<unknown>) => {
      const { status, body } = await refusal(call);
      assert.equal(status, 400);
      return (body as { error: string }).error;
    };
    const message = toast("Your {{ event.product }}");
    const create = project.api.createCampaign({ body: { name: "Cart", message } });
    assert.match(await refused(create), /^message\.title must not have a field of event/);
    const { id } = await launchCampaign(project);
    assert.match(
      await refused(project.api.updateCampaign({ path: { id }, body: { message } })),
      /^message\.title must not have a field of event/,
    );
    assert.match(
      await refused(
        project.api.createCampaign({ body: { name: "Cart", message: toast("{{ happening.product }}") } }),
      ),
      /a field starts with user/,
    );
  });
});

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { sendingProject } from "../../../../test/email.ts";
import { type TestProject, testHouse } from "../../../../test/harness.ts";
import { type SmtpPeer, startSmtp } from "../../../../test/peers/smtp.ts";

const house = testHouse();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());

const template = ({ api }: TestProject, more = {}) =>
  api.createCampaign({
    body: {
      name: "Receipt",
      channel: "email",
      purpose: "transactional",
      key: "receipt",
      launch: true,
      message: { subject: "Your receipt {{ data.order.number }}", body: "Total: {{ data.order.total }}" },
      ...more,
    },
  });

describe("a receipt", () => {
  it("leaves for an address, filled with the data of its request", async () => {
    const project = await sendingProject(house, smtp.port);
    await template(project);
    const { send } = await project.api.sendMail({
      body: {
        template: "receipt",
        to: { email: "ada@example.com", name: "Ada" },
        data: { order: { number: "A-1", total: "€ 24.00" } },
      },
    });
    assert.equal(send.state, "waiting");
    await house.drain();
    const [mail] = smtp.taken;
    assert.equal(mail?.to, "ada@example.com");
    const { send: sent } = await project.api.getSend({ path: { id: send.id } });
    assert.equal(sent.state, "delivered");
    assert.deepEqual(await house.differences(), {});
  });
});

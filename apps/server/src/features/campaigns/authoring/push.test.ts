import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toast } from "../../../../test/factories.ts";
import { refusal, sharedHouse } from "../../../../test/harness.ts";
import { newApnsCredential } from "../../../../test/peers/apns.ts";
import { launchPush, MESSAGE, PUSH, putCredential } from "../../../../test/push.ts";

const house = sharedHouse();
const credential = await newApnsCredential();
const COMPLETE = { ...PUSH, ttlSeconds: 86_400 };

describe("a campaign of the channel push", () => {
  it("keeps its settings, complete, and shows them", async () => {
    const project = await house.project();
    const campaign = await launchPush(project, { launch: false });
    assert.deepEqual([campaign.channel, campaign.push], ["push", COMPLETE]);
    assert.deepEqual(campaign.variants[0]?.content, MESSAGE);
    const { campaigns } = await project.api.listCampaigns({});
    assert.deepEqual(campaigns[0]?.push, COMPLETE);
  });

  it("is refused without them, and others with them", async () => {
    const { api } = await house.project();
    const without = await refusal(
      api.createCampaign({ body: { name: "P", channel: "push", message: MESSAGE } }),
    );
    assert.equal(without.status, 400);
    assert.match(without.error, /^push is required/);
    for (const [channel, message] of [
      ["web_inapp", toast()],
      ["email", { subject: "S", body: "B" }],
    ] as const) {
      const { status, error } = await refusal(
        api.createCampaign({ body: { name: "P", channel, message, push: PUSH } }),
      );
      assert.equal(status, 400);
      assert.match(error, /^push is for push campaigns only/);
      const { campaign } = await api.createCampaign({ body: { name: "P", channel, message } });
      assert.equal(campaign.push, null);
      const patched = await refusal(api.updateCampaign({ path: { id: campaign.id }, body: { push: PUSH } }));
      assert.match(patched.error, /^push is for push campaigns only/);
    }
  });

  it("takes no message of another channel, and names what is wrong with its own", async () => {
    const { api } = await house.project();
    const bad: readonly [unknown, RegExp][] = [
      [toast(), /^message/],
      [{ ...MESSAGE, title: "" }, /^message\.title/],
      [{ ...MESSAGE, data: { tidings: "x" } }, /^message\.data/],
      [{ ...MESSAGE, title: "{{ user.name | upcase }}" }, /^message\.title/],
      ["text", /^message/],
    ];
    for (const [message, expected] of bad) {
      const body = { name: "P", channel: "push" as const, push: PUSH, message: message as typeof MESSAGE };
      const { status, error } = await refusal(api.createCampaign({ body }));
      assert.equal(status, 400);
      assert.match(error, expected);
    }
    for (const push of [{ appId: "a" }, { ...PUSH, ttlSeconds: 0 }, { ...PUSH, more: 1 }, null]) {
      const body = { name: "P", channel: "push" as const, message: MESSAGE, push: push as typeof PUSH };
      const { status, error } = await refusal(api.createCampaign({ body }));
      assert.equal(status, 400);
      assert.match(error, /push/);
    }
    const pages = { name: "P", channel: "push" as const, push: PUSH, message: MESSAGE, pages: ["/"] };
    assert.match((await refusal(api.createCampaign({ body: pages }))).error, /^pages/);
  });

  it("changes its settings as a whole", async () => {
    const project = await house.project();
    const { id } = await launchPush(project, { launch: false });
    const push = { appId: "com.example.two", selection: { kind: "all" as const }, replacementKey: "k" };
    const { campaign } = await project.api.updateCampaign({ path: { id }, body: { push } });
    assert.deepEqual(campaign.push, { ...push, ttlSeconds: 86_400 });
    const named = await project.api.updateCampaign({ path: { id }, body: { name: "Other" } });
    assert.deepEqual(named.campaign.push, campaign.push);
  });

  it("is launched once its app has a credential that can be opened", async () => {
    const project = await house.project();
    const { id } = await launchPush(project, { launch: false });
    const launch = () => project.api.setCampaignStatus({ path: { id }, body: { action: "launch" } });
    const early = await refusal(launch());
    assert.deepEqual([early.status, (early.body as { reason: string }).reason], [409, "channel_not_ready"]);
    assert.match(early.error, /com\.example\.app/);
    assert.equal((await refusal(launchPush(project))).status, 409);
    await putCredential(project, credential);
    await house.database.pool.query(
      "update push_credentials set sealed = sealed || '\\x00' where project_id = $1",
      [project.projectId],
    );
    assert.match((await refusal(launch())).error, /SECRET_KEY/);
    await putCredential(project, credential, {}, 1);
    assert.equal((await launch()).status, "running");
  });
});

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { sendingProject } from "../../../../test/email.ts";
import { toast } from "../../../../test/factories.ts";
import { type TestProject, testHouse } from "../../../../test/harness.ts";
import { startSmtp } from "../../../../test/peers/smtp.ts";
import { MESSAGE, PUSH } from "../../../../test/push.ts";

const house = testHouse();
const smtp = await startSmtp();
after(() => smtp.close());

/** A project that can send mail, with one user. */
async function knownProject(): Promise<TestProject> {
  const project = await sendingProject(house, smtp.port);
  const traits = { email: "ada@example.com", first_name: "Ada", "favourite colour": "red" };
  await project.sdk.identify({ body: { userId: "ada", traits } });
  return project;
}

const unseen = (path: string, name: string, suggestions?: readonly string[]) => ({
  severity: "warning",
  code: "unobserved_trait",
  path,
  message: `No trait "${name}" was seen so far.`,
  ...(suggestions === undefined ? {} : { suggestions }),
});

const SLIP = '{{ user.first_nam | default: "there" }}';
const GOOD = '{{ user.first_name | default: "there" }} {{ user.id }} {{ user["favourite colour"] }}';
const meant = (path: string) => unseen(path, "first_nam", ["first_name"]);

describe("a personal field that no user has", () => {
  it("is warned of where an email is made, changed, tested and launched", async () => {
    const { api } = await knownProject();
    const message = {
      subject: `Hello ${SLIP}`,
      previewText: SLIP,
      body: `Hi **${SLIP}** ${SLIP} ${GOOD} {{ user.qzx }}`,
      cta: { label: SLIP, url: "https://shop.example/{{ user.first_nam }}" },
    };
    const made = await api.createCampaign({ body: { name: "News", channel: "email", message } });
    const found = (at: string) => [
      meant(`${at}/subject`),
      meant(`${at}/previewText`),
      meant(`${at}/body`),
      unseen(`${at}/body`, "qzx"),
      meant(`${at}/cta/label`),
      meant(`${at}/cta/url`),
    ];
    assert.deepEqual(made.warnings, found("/message"));
    const path = { id: made.campaign.id };
    const tested = await api.sendTestEmail({ path, body: { address: "me@example.com" } });
    assert.deepEqual(tested.warnings, found(""));
    const launched = await api.setCampaignStatus({ path, body: { action: "launch" } });
    assert.deepEqual(launched.warnings?.[0], meant("/variants/0/content/subject"));
    assert.equal((await api.setCampaignStatus({ path, body: { action: "pause" } })).warnings, undefined);
    const [variant] = made.campaign.variants;
    assert.ok(variant);
    const variants = [{ id: variant.id, weight: 2 }, { message: { subject: GOOD, body: SLIP } }];
    const changed = await api.updateCampaign({ path, body: { variants } });
    assert.deepEqual(changed.warnings, [meant("/variants/1/message/body")]);
    const renamed = await api.updateCampaign({ path, body: { name: "Old news" } });
    assert.equal("warnings" in renamed, false, "a change that brings no message is not warned of one");
  });

  it("is warned of where a push is made, in each text that may have fields", async () => {
    const { api } = await knownProject();
    const message = {
      ...MESSAGE,
      title: SLIP,
      data: { raw: SLIP },
      ios: { subtitle: SLIP },
      actions: [
        { id: "a", title: GOOD.slice(0, 40) },
        { id: "b", title: SLIP },
      ],
    };
    const { warnings } = await api.createCampaign({
      body: { name: "Push", channel: "push", push: PUSH, message },
    });
    assert.deepEqual(warnings, [
      meant("/message/title"),
      meant("/message/ios/subtitle"),
      meant("/message/actions/1/title"),
    ]);
  });

  it("is not warned of where users have it, the latest included, or the text has no fields", async () => {
    const project = await knownProject();
    const { api, sdk } = project;
    const create = (subject: string) =>
      api.createCampaign({ body: { name: "News", channel: "email", message: { subject, body: "Hi" } } });
    assert.equal("warnings" in (await create(GOOD)), false);
    assert.equal("warnings" in (await create("Hello")), false);
    assert.deepEqual((await create("{{ user.brand_new }}")).warnings, [
      unseen("/message/subject", "brand_new"),
    ]);
    await sdk.identify({ body: { userId: "bob", traits: { brand_new: true } } });
    assert.equal("warnings" in (await create("{{ user.brand_new }}")), false, "before it was added up");
    await api.getAudienceCapabilities();
    assert.equal("warnings" in (await create("{{ user.brand_new }}")), false, "and after");
    const other = await knownProject();
    const { warnings } = await other.api.createCampaign({
      body: { name: "News", channel: "email", message: { subject: "{{ user.brand_new }}", body: "Hi" } },
    });
    assert.equal(warnings?.length, 1, "another project's users do not count");
    const web = await api.createCampaign({
      body: { name: "Web", message: toast("{{ user.x }}") },
    });
    assert.deepEqual(
      web.warnings?.map(({ path }) => path),
      ["/message/title"],
    );
  });

  it("fails nothing where the names cannot be read", async () => {
    const { api } = await knownProject();
    await house.database.pool.query("alter table trait_keys rename to trait_keys_away");
    try {
      const made = await api.createCampaign({
        body: { name: "News", channel: "email", message: { subject: SLIP, body: "Hi" } },
      });
      assert.equal("warnings" in made, false);
      const path = { id: made.campaign.id };
      const tested = await api.sendTestEmail({ path, body: { address: "me@example.com" } });
      assert.equal("warnings" in tested, false);
      assert.equal((await api.getCampaign({ path })).campaign.name, "News");
    } finally {
      await house.database.pool.query("alter table trait_keys_away rename to trait_keys");
    }
  });

  it("is warned of 20 times at most", async () => {
    const { api } = await knownProject();
    const body = Array.from({ length: 50 }, (_, index) => `{{ user.nobody_${index} }}`).join(" ");
    const { warnings } = await api.createCampaign({
      body: { name: "News", channel: "email", message: { subject: "Hello", body } },
    });
    assert.equal(warnings?.length, 20);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { expression, trait } from "../../../../../test/audience/trees.ts";
import { launchCampaign, messagesOf } from "../../../../../test/factories.ts";
import { sharedHouse } from "../../../../../test/harness.ts";

const house = sharedHouse();

const onPro = expression(trait("plan", "eq", "pro"));
const ofPro = { kind: "expression", expression: onPro } as const;

/** A project with people on the pro plan. */
async function withPros() {
  const project = await house.project();
  for (const userId of ["pro-1", "pro-2"])
    await project.sdk.identify({ body: { userId, traits: { plan: "pro" } } });
  return project;
}

describe("a stored audience that cannot be read", () => {
  const version = "aud_019b0000-0000-7000-8000-000000000000";
  const unreadable: readonly [string, unknown, string | null][] = [
    ["null", null, null],
    ["a text", "all", null],
    [
      "a kind there is not",
      { kind: "later", audienceVersionId: version, expression: onPro, legacy: false },
      version,
    ],
    [
      "an expression of another version",
      { ...ofPro, legacy: false, expression: { ...onPro, version: 2 } },
      null,
    ],
    [
      "a segment without its id",
      { kind: "segment", audienceVersionId: version, segmentVersion: 1, expression: onPro },
      version,
    ],
  ];
  for (const [name, stored, audienceVersionId] of unreadable) {
    it(`is shown as invalid and reaches nobody, and its neighbours go on: ${name}`, async () => {
      const project = await withPros();
      const broken = await launchCampaign(project, { audience: ofPro });
      const sound = await launchCampaign(project, { audience: ofPro });
      const uuid = broken.id.slice("cmp_".length);
      await house.database.pool.query("update campaigns set audience = $2 where id = $1", [
        uuid,
        JSON.stringify(stored),
      ]);
      // Any write raises the version of the configuration, so that the feed reads it again.
      await project.api.updateCampaign({ path: { id: sound.id }, body: { name: "Sound" } });
      assert.deepEqual((await project.api.getCampaign({ path: { id: broken.id } })).campaign.audience, {
        kind: "invalid",
        audienceVersionId,
      });
      const { campaigns } = await project.api.listCampaigns();
      assert.deepEqual(campaigns.map(({ audience }) => audience.kind).toSorted(), ["expression", "invalid"]);
      assert.deepEqual(
        (await messagesOf(project, "pro-1")).map(({ campaignId }) => campaignId),
        [sound.id],
      );
      await project.api.updateCampaign({ path: { id: broken.id }, body: { audience: ofPro } });
      assert.equal((await messagesOf(project, "pro-1")).length, 2);
    });
  }

  it("leaves deliveries that exist alone", async () => {
    const project = await withPros();
    const { id } = await launchCampaign(project, { audience: ofPro });
    const before = await messagesOf(project, "pro-1");
    await house.database.pool.query("update campaigns set audience = '{}' where id = $1", [id.slice(4)]);
    await project.api.updateCampaign({ path: { id }, body: { name: "Broken" } });
    assert.deepEqual(await messagesOf(project, "pro-1"), before);
    assert.deepEqual(await messagesOf(project, "pro-2"), []);
    assert.equal(before.length, 1);
  });
});

import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { describe, it } from "node:test";
import type { Input } from "@tidings/client";
import { launchCampaign, toast } from "../../../../test/factories.ts";
import { refusal, testHouse } from "../../../../test/harness.ts";
import { exportText, importText } from "../../../../test/portable.ts";

const house = testHouse();
type Body = Input<"createCampaign">["body"];

const MAIL: Partial<Body> = { channel: "email", message: { subject: "Hello", body: "Hello" } };
const PUSH: Partial<Body> = {
  channel: "push",
  message: { title: "Hello", body: "Hello", destination: { kind: "app" as const, url: "example://news" } },
  push: { appId: "com.example.app", selection: { kind: "all" } },
};

describe("visitors of a campaign", () => {
  it("are none, unless the campaign says also or only, in every way to write and to read it", async () => {
    const { api } = await house.project();
    const { campaign } = await api.createCampaign({ body: { name: "For users", message: toast() } });
    assert.equal(campaign.visitors, "none");
    for (const visitors of ["also", "only", "none"] as const) {
      const { campaign: made } = await api.createCampaign({
        body: { name: visitors, message: toast(), visitors },
      });
      assert.equal(made.visitors, visitors);
      const path = { id: campaign.id };
      assert.equal((await api.updateCampaign({ path, body: { visitors } })).campaign.visitors, visitors);
      assert.equal((await api.updateCampaign({ path, body: { name: "Same" } })).campaign.visitors, visitors);
      assert.equal((await api.getCampaign({ path })).campaign.visitors, visitors);
    }
    const { campaigns } = await api.listCampaigns({ query: { q: "only" } });
    assert.deepEqual(
      campaigns.map(({ visitors }) => visitors),
      ["only"],
    );
  });

  it("are for web campaigns alone", async () => {
    const { api } = await house.project();
    for (const channel of [MAIL, PUSH]) {
      const body = { name: "Sent", ...channel } as Body;
      for (const visitors of ["also", "only"] as const) {
        const { status, error } = await refusal(api.createCampaign({ body: { ...body, visitors } }));
        assert.deepEqual(
          [status, error],
          [400, "visitors must be none: only web campaigns can be for visitors"],
        );
      }
      const { campaign } = await api.createCampaign({ body: { ...body, visitors: "none" } });
      const path = { id: campaign.id };
      assert.equal(campaign.visitors, "none");
      assert.equal((await refusal(api.updateCampaign({ path, body: { visitors: "also" } }))).status, 400);
      await api.updateCampaign({ path, body: { visitors: "none" } });
    }
    const odd = { name: "Odd", message: toast(), visitors: "all" } as unknown as Body;
    assert.match((await refusal(api.createCampaign({ body: odd }))).error, /^visitors must be /);
  });

  it("make another revision of a campaign, and no other epoch", async () => {
    const { api } = await house.project();
    const { campaign } = await api.createCampaign({
      body: { name: "For users", message: toast(), launch: true },
    });
    const path = { id: campaign.id };
    const { campaign: changed } = await api.updateCampaign({ path, body: { visitors: "also" } });
    assert.notEqual(changed.revision, campaign.revision);
    const stale = api.updateCampaign({
      path,
      body: { visitors: "only", expectedRevision: campaign.revision },
    });
    assert.equal((await refusal(stale)).status, 409);
    const { campaign: back } = await api.updateCampaign({ path, body: { visitors: "none" } });
    assert.equal(back.revision, campaign.revision);
    const { rows } = await house.database.pool.query("select epoch from campaigns where id = $1", [
      campaign.id.slice("cmp_".length),
    ]);
    assert.deepEqual(rows, [{ epoch: 1 }]);
  });

  it("come along in a file, and are none in one from before there were any", async () => {
    const project = await house.project();
    await launchCampaign(project, { name: "For both", visitors: "also" });
    const text = await exportText(house, project.projectId);
    const { project: copy } = await importText(house, text);
    const read = async ({ api }: typeof project) =>
      (await api.listCampaigns({})).campaigns.map(({ visitors }) => visitors);
    assert.deepEqual(await read(copy), ["also"]);
    const [first = "", ...more] = text.trimEnd().split("\n").slice(0, -1);
    const header = JSON.parse(first) as { tables: { campaigns: string[] } };
    header.tables.campaigns = header.tables.campaigns.filter((column) => column !== "visitors");
    const older = [
      JSON.stringify(header),
      ...more.map((line) => {
        const record = JSON.parse(line) as { table?: string; row?: Record<string, unknown> };
        delete record.row?.visitors;
        return JSON.stringify(record);
      }),
    ];
    const body = older.map((line) => `${line}\n`).join("");
    const footer = JSON.parse(text.trimEnd().split("\n").at(-1) ?? "") as { sha256: string };
    footer.sha256 = hash("sha256", body);
    const { project: old } = await importText(house, `${body}${JSON.stringify(footer)}\n`);
    assert.deepEqual(await read(old), ["none"]);
  });
});

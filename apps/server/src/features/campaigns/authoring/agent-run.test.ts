import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { refusal, sharedHouse, type TestProject } from "../../../../test/harness.ts";

const house = sharedHouse();

const newRun = async ({ agent }: TestProject): Promise<string> =>
  (await agent.createAgentRun({ body: { kind: "note" } })).run.id;

const NAMELESS = { name: "Spring", message: { presentation: "toast" as const, title: "Hi" } };
const WRONG = "agentRunId must be a run of this project";

describe("the run behind a campaign", () => {
  it("is named when the campaign is made, and shown wherever it is", async () => {
    const project = await house.project();
    const agentRunId = await newRun(project);
    const { api } = project;
    const { campaign } = await api.createCampaign({ body: { ...NAMELESS, agentRunId } });
    assert.deepEqual([campaign.agentRunId, campaign.createdBy], [agentRunId, "api"]);
    const { campaign: bare } = await api.createCampaign({ body: NAMELESS });
    assert.equal(bare.agentRunId, null);
    const { campaign: read } = await api.getCampaign({ path: { id: campaign.id } });
    assert.equal(read.agentRunId, agentRunId);
    const { campaigns } = await api.listCampaigns();
    assert.equal(campaigns.find(({ id }) => id === campaign.id)?.agentRunId, agentRunId);
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("is changed by naming another one, alone or beside other fields, and cleared by null", async () => {
    const project = await house.project();
    const { api } = project;
    const [first, second] = [await newRun(project), await newRun(project)];
    const { campaign } = await api.createCampaign({ body: { ...NAMELESS, agentRunId: first } });
    const change = async (body: { agentRunId?: string | null; name?: string }) =>
      (await api.updateCampaign({ path: { id: campaign.id }, body })).campaign.agentRunId;
    assert.equal(await change({ name: "Summer" }), first);
    assert.equal(await change({ name: "Autumn", agentRunId: second }), second);
    assert.equal(await change({ agentRunId: null }), null);
    assert.equal(await change({ agentRunId: first }), first);
  });

  it("is one of the project", async () => {
    const [project, other] = [await house.project(), await house.project()];
    const { api } = project;
    const { campaign } = await api.createCampaign({ body: NAMELESS });
    const strange = [await newRun(other), "run_019b0000-0000-7000-8000-000000000000", campaign.id, "x"];
    for (const agentRunId of strange) {
      const made = await refusal(api.createCampaign({ body: { ...NAMELESS, agentRunId } }));
      assert.deepEqual([made.status, made.error], [400, WRONG]);
      const changed = await refusal(
        api.updateCampaign({ path: { id: campaign.id }, body: { name: "New", agentRunId } }),
      );
      assert.deepEqual([changed.status, changed.error], [400, WRONG]);
    }
    const { campaigns } = await api.listCampaigns();
    assert.deepEqual(
      campaigns.map(({ name, agentRunId }) => [name, agentRunId]),
      [["Spring", null]],
    );
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { launchCampaign } from "../../../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../../../test/harness.ts";

const house = testHouse();

type Action = "launch" | "pause" | "end";

const act = ({ api }: TestProject, id: string, action: Action) =>
  api.setCampaignStatus({ path: { id }, body: { action } });

const read = async ({ api }: TestProject, id: string) => (await api.getCampaign({ path: { id } })).campaign;

describe("setCampaignStatus", () => {
  it("walks from draft to running, paused, running and ended", async () => {
    const project = await house.project();
    const { id } = await launchCampaign(project, { launch: false });
    const steps = [
      ["launch", "running"],
      ["pause", "paused"],
      ["launch", "running"],
      ["end", "ended"],
    ] as const;
    for (const [action, status] of steps) {
      house.advance(1_000);
      assert.deepEqual(await act(project, id, action), { id, status });
      const campaign = await read(project, id);
      assert.deepEqual([campaign.status, campaign.effectiveStatus], [status, status]);
    }
  });

  it("keeps the instant of the first launch, and sets that of the end", async () => {
    const project = await house.project();
    const { id } = await launchCampaign(project, { launch: false });
    house.advance(1_000);
    const startedAt = house.now();
    for (const action of ["launch", "pause", "launch"] as const) {
      await act(project, id, action);
      house.advance(1_000);
      const campaign = await read(project, id);
      assert.deepEqual([campaign.startedAt, "endedAt" in campaign], [startedAt, false]);
    }
    await act(project, id, "end");
    const endedAt = house.now();
    house.advance(1_000);
    const ended = await read(project, id);
    assert.deepEqual([ended.startedAt, ended.endedAt], [startedAt, endedAt]);
  });

  it("ends a draft", async () => {
    const project = await house.project();
    const { id } = await launchCampaign(project, { launch: false });
    assert.deepEqual(await act(project, id, "end"), { id, status: "ended" });
    const campaign = await read(project, id);
    assert.deepEqual([campaign.endedAt, "startedAt" in campaign], [house.now(), false]);
  });

  it("refuses a step that does not lead anywhere, and changes nothing", async () => {
    const cases: readonly [readonly Action[], readonly Action[]][] = [
      [[], ["pause"]],
      [["launch"], ["launch"]],
      [["launch", "pause"], ["pause"]],
      [["end"], ["launch", "pause", "end"]],
      [
        ["launch", "end"],
        ["launch", "pause", "end"],
      ],
    ];
    for (const [walk, refused] of cases) {
      const project = await house.project();
      const { id } = await launchCampaign(project, { launch: false });
      for (const action of walk) await act(project, id, action);
      const before = await read(project, id);
      house.advance(1_000);
      for (const action of refused) assert.equal((await refusal(act(project, id, action))).status, 409);
      assert.deepEqual(await read(project, id), before);
    }
  });

  it("launches and pauses before the window opens", async () => {
    const project = await house.project();
    const window = { deliverFrom: house.now() + 10, deliverUntil: house.now() + 20 };
    const { id } = await launchCampaign(project, { launch: false, ...window });
    const effective = async () => (await read(project, id)).effectiveStatus;
    await act(project, id, "launch");
    assert.equal(await effective(), "scheduled");
    await act(project, id, "pause");
    assert.equal(await effective(), "paused");
    await act(project, id, "launch");
    house.advance(9);
    assert.equal(await effective(), "scheduled");
    house.advance(1);
    assert.equal(await effective(), "running");
    house.advance(9);
    assert.equal(await effective(), "running");
    house.advance(1);
    assert.equal(await effective(), "expired");
    assert.equal((await read(project, id)).status, "running");
  });

  it("leaves only the end to an expired campaign", async () => {
    for (const paused of [false, true]) {
      const project = await house.project();
      const { id } = await launchCampaign(project, { deliverUntil: house.now() + 10 });
      if (paused) await act(project, id, "pause");
      house.advance(10);
      assert.equal((await read(project, id)).effectiveStatus, "expired");
      for (const action of ["launch", "pause"] as const)
        assert.equal((await refusal(act(project, id, action))).status, 409);
      assert.deepEqual(await act(project, id, "end"), { id, status: "ended" });
      assert.equal((await read(project, id)).effectiveStatus, "ended");
    }
  });

  it("lets one of many that ask at once", async () => {
    const project = await house.project();
    const { id } = await launchCampaign(project, { launch: false });
    const tries = await Promise.allSettled(Array.from({ length: 10 }, () => act(project, id, "launch")));
    assert.equal(tries.filter(({ status }) => status === "fulfilled").length, 1);
    for (const each of tries)
      if (each.status === "rejected") assert.equal((await refusal(Promise.reject(each.reason))).status, 409);
  });

  it("refuses an action there is not", async () => {
    const project = await house.project();
    const { id } = await launchCampaign(project);
    for (const action of ["resume", "", null, undefined])
      assert.equal((await refusal(act(project, id, action as Action))).status, 400);
    assert.equal((await read(project, id)).status, "running");
  });

  it("is for the secret key", async () => {
    const project = await house.project();
    const { id } = await launchCampaign(project);
    for (const client of [project.agent, project.sdk]) {
      const call = client.setCampaignStatus({ path: { id }, body: { action: "end" } });
      assert.equal((await refusal(call)).status, 403);
    }
    assert.equal((await read(project, id)).status, "running");
  });

  it("leaves no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decideAs, leasedCampaign, PAUSE, propose } from "../../../test/agent.ts";
import { refusal, type TestProject, testHouse } from "../../../test/harness.ts";
import { transcriptOf } from "../../../test/project-world.ts";
import { defaultLimits } from "../../platform/limits.ts";
import { DAY_MS } from "../../platform/time/clock.ts";

const MOST = 10_000;
const house = testHouse({ limits: { ...defaultLimits, runBytesPerDay: MOST } });

const log = ({ agent }: TestProject, bytes: number, idempotencyKey?: string) =>
  agent.createAgentRun({
    body: {
      kind: "note",
      input: { text: "x".repeat(bytes) },
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    },
  });

const totalOf = async ({ api }: TestProject): Promise<number> => (await api.listAgentRuns()).total;

/** What the refusal says of itself. */
async function full(answer: Promise<unknown>): Promise<void> {
  const { status, body, error } = await refusal(answer);
  assert.deepEqual([status, (body as { reason?: string }).reason], [409, "day_is_full"]);
  assert.match(error, /at most 10000 bytes \(runBytesPerDay\)/);
}

describe("what keys write on a day", () => {
  it("has an end for each project, and begins anew with the next UTC day", async () => {
    const [project, other] = [await house.project(), await house.project()];
    await log(project, 8_000, "first");
    await full(log(project, 8_000));
    await full(project.api.createAgentRun({ body: { kind: "note", rationale: "x".repeat(2_000) } }));
    assert.equal((await log(project, 8_000, "first")).run.kind, "note");
    await log(project, 100);
    await log(other, 8_000);
    house.at(Math.ceil((house.now() + 1) / DAY_MS) * DAY_MS - 1);
    await full(log(project, 8_000));
    house.advance(1);
    await log(project, 8_000);
    assert.equal(await totalOf(project), 3);
  });

  it("begins anew where it was written by a clock that was ahead", async () => {
    const project = await house.project();
    const right = house.now();
    house.at(right + 366 * DAY_MS);
    await log(project, 8_000);
    house.at(right + 30_000);
    await log(project, 8_000);
    await full(log(project, 8_000));
  });

  it("counts runs that say nothing as well, and those that come at once", async () => {
    const project = await house.project();
    const answers = await Promise.allSettled(Array.from({ length: 40 }, () => log(project, 0)));
    const made = answers.filter(({ status }) => status === "fulfilled").length;
    assert.equal(made, Math.floor(MOST / 514));
    assert.equal(await totalOf(project), made);
    const { runs } = await project.api.listAgentRuns({ query: { perPage: 100 } });
    assert.deepEqual(
      runs.map(({ chain }) => chain?.seq).toSorted((a, b) => (a ?? 0) - (b ?? 0)),
      Array.from({ length: made }, (_, index) => index + 1),
    );
  });

  it("counts transcripts", async () => {
    const project = await house.project();
    const { run } = await log(project, 10);
    const put = (text: string) =>
      project.agent.putAgentRunTranscript({ path: { id: run.id }, body: transcriptOf(text) });
    await full(put("x".repeat(10_000)));
    const kept = await put("x".repeat(6_000));
    assert.deepEqual(await put("x".repeat(6_000)), kept, "a repeat costs nothing");
    await full(log(project, 6_000));
  });

  it("never keeps Tidings from writing what people decide", async () => {
    const project = await house.project();
    const made = await leasedCampaign(house, project, { goal: { approvalMode: "require_human" } });
    const { proposal } = await propose(project, made, PAUSE);
    await log(project, 8_000);
    await full(log(project, 8_000));
    await decideAs(house, project, proposal.id, "approved");
    assert.equal((await project.api.listAgentRuns({ query: { writtenBy: "tidings" } })).total, 1);
    assert.deepEqual(await house.differences(project.projectId), {});
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Answer, Input } from "@tidings/client";
import { event, expression, trait } from "../../../../test/audience/trees.ts";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";
import { send } from "../../../../test/samples.ts";
import { createSegment } from "./create-segment.ts";

const house = testHouse();

type Segment = Answer<"createSegment">["segment"];

const onPro = expression(trait("plan", "eq", "pro"));
const NEW = { key: "vips", name: "VIPs", expression: onPro, idempotencyKey: "first" };

async function ask(project: TestProject, body: Record<string, unknown> = {}) {
  const { status, text } = await send(house, createSegment.spec, {
    body: { ...NEW, ...body },
    key: project.secretKey,
  });
  return { status, segment: (JSON.parse(text) as { segment?: Segment }).segment };
}

const countOf = async ({ api }: TestProject) => (await api.listSegments()).segments.length;

describe("createSegment with an idempotencyKey", () => {
  it("answers the first segment, whatever the repeat says", async () => {
    const project = await house.project();
    const { status, segment } = await ask(project);
    assert.equal(status, 201);
    await ask(project, { key: "taken", idempotencyKey: "second" });
    house.advance(1_000);
    const repeats: readonly Record<string, unknown>[] = [
      {},
      { name: "Others", description: "else" },
      { key: "others" },
      { key: "taken" },
      { expression: expression(event("paid")) },
      { expression: { version: 1, root: { kind: "maybe" } } },
      { expression: null },
      { agentRunId: "run_019b0000-0000-7000-8000-000000000000" },
    ];
    for (const repeat of repeats)
      assert.deepEqual(await ask(project, repeat), { status: 200, segment }, JSON.stringify(repeat));
    assert.equal(await countOf(project), 2);
  });

  it("answers the segment as it has become", async () => {
    const project = await house.project();
    await ask(project);
    const revision = { expression: expression(event("paid")), expectedVersion: 1 };
    const { segment } = await project.api.updateSegment({ path: { id: "vips" }, body: revision });
    assert.deepEqual(await ask(project), { status: 200, segment });
    const archived = (await project.api.archiveSegment({ path: { id: "vips" } })).segment;
    assert.deepEqual(await ask(project), { status: 200, segment: archived });
  });

  it("makes one segment of many requests that arrive at once", async () => {
    const project = await house.project();
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, i) => ask(project, i % 2 === 0 ? {} : { key: `vips-${i}` })),
    );
    assert.equal(answers.filter(({ status }) => status === 201).length, 1);
    assert.equal(answers.filter(({ status }) => status === 200).length, 15);
    assert.equal(new Set(answers.map(({ segment }) => JSON.stringify(segment))).size, 1);
    assert.equal(await countOf(project), 1);
  });

  it("is not used up by requests that are refused beside it", async () => {
    const project = await house.project();
    const wrong = { expression: { version: 2 } };
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => ask(project, i % 2 === 0 ? wrong : {})),
    );
    // A wrong request is refused, or comes second and is answered with the segment.
    assert.equal(answers.filter(({ status }) => status === 201).length, 1);
    assert.ok(answers.every(({ status }) => status === 200 || status === 201 || status === 400));
    assert.ok(answers.filter((_, i) => i % 2 === 1).every(({ status }) => status < 300));
    assert.equal(await countOf(project), 1);
  });

  it("is each project's own, told apart to the letter, and gives no way to a key that is taken", async () => {
    const [mine, other] = [await house.project(), await house.project()];
    for (const project of [mine, other]) {
      for (const [i, idempotencyKey] of ["key", "Key", "key ", "ключ 🔑"].entries())
        assert.equal((await ask(project, { key: `k${i}`, idempotencyKey })).status, 201, idempotencyKey);
    }
    const taken = { ...NEW, key: "k0", idempotencyKey: "fresh" } as Input<"createSegment">["body"];
    assert.equal((await refusal(mine.api.createSegment({ body: taken }))).status, 409);
    assert.equal((await ask(mine, { idempotencyKey: "fresh" })).status, 201);
  });
});

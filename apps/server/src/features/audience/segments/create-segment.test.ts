import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Answer, Input } from "@tidings/client";
import { all, any, event, expression, property, trait } from "../../../../test/audience/trees.ts";
import { refusal, sharedHouse, type TestProject } from "../../../../test/harness.ts";
import { send } from "../../../../test/samples.ts";
import { createSegment } from "./create-segment.ts";

const house = sharedHouse();

type NewSegment = Input<"createSegment">["body"];
type Segment = Answer<"createSegment">["segment"];

const onPro = expression(trait("plan", "eq", "pro"));
const NOWHERE = "run_019b0000-0000-7000-8000-000000000000";

/** Creates a segment and answers the status with it, which the client's own call does not. */
async function make(project: TestProject, body: Partial<NewSegment> = {}) {
  const { status, text } = await send(house, createSegment.spec, {
    body: { key: "vips", name: "VIPs", expression: onPro, ...body },
    key: project.secretKey,
  });
  assert.ok(status < 300, text);
  return { status, segment: (JSON.parse(text) as { segment: Segment }).segment };
}

const refuse = ({ api }: TestProject, body: Record<string, unknown>) =>
  refusal(
    api.createSegment({ body: { key: "vips", name: "VIPs", expression: onPro, ...body } as NewSegment }),
  );

const countOf = async ({ api }: TestProject) => (await api.listSegments()).segments.length;

describe("createSegment", () => {
  it("answers version 1 with what follows from its expression", async () => {
    const project = await house.project();
    const { status, segment } = await make(project);
    const { id, currentAudienceVersionId, expressionHash, ...rest } = segment;
    assert.equal(status, 201);
    assert.match(id, /^seg_[0-9a-f-]{36}$/);
    assert.match(currentAudienceVersionId, /^aud_[0-9a-f-]{36}$/);
    assert.match(expressionHash, /^[0-9a-f]{64}$/);
    assert.deepEqual(rest, {
      key: "vips",
      name: "VIPs",
      description: null,
      status: "active",
      currentVersion: 1,
      summary: 'trait plan is "pro"',
      createdBy: "api",
      createdAt: house.now(),
      updatedAt: house.now(),
      schemaVersion: 1,
      expression: onPro,
      reason: null,
    });
  });

  it("keeps everything that was said, and takes null for what may be unset", async () => {
    const project = await house.project();
    const { run } = await project.api.createAgentRun({ body: { kind: "note" } });
    const full = { description: "Who pays 🎯", reason: "They asked for it" };
    const { segment } = await make(project, { ...full, agentRunId: run.id });
    assert.deepEqual({ ...segment, ...full }, segment);
    const { versions } = await project.api.listSegmentVersions({ path: { id: segment.id } });
    assert.deepEqual(
      versions.map((version) => [version.agentRunId, version.reason]),
      [[run.id, full.reason]],
    );
    const unset = { description: null, agentRunId: null };
    assert.equal((await make(project, { key: "others", ...unset })).segment.description, null);
  });

  it("answers the canonical form, and one hash per meaning of the spelling", async () => {
    const project = await house.project();
    const spelt = expression(all(trait("seats", "in", [3, 1, 3]), event("paid")));
    const plain = expression(
      all(trait("seats", "in", [1, 3]), event("paid", { count: { op: "gte", value: 1 } })),
    );
    const [one, two] = [
      (await make(project, { key: "one", expression: spelt })).segment,
      (await make(project, { key: "two", expression: plain })).segment,
    ];
    assert.deepEqual([one.expression, two.expression], [plain, plain]);
    assert.equal(one.expressionHash, two.expressionHash);
    assert.notEqual((await make(project, { key: "three" })).segment.expressionHash, one.expressionHash);
  });

  it("takes each field at its limit, in characters", async () => {
    const project = await house.project();
    const wide = "🎯".repeat(128);
    const fits: readonly Partial<NewSegment>[] = [
      { key: "a" },
      { key: "0" },
      { key: `a${"_-".repeat(31)}z` },
      { key: "seg-ments" },
      { key: "a__b--c" },
      { key: "name", name: "🎯".repeat(80) },
      { key: "description", description: "🎯".repeat(1_000) },
      { key: "empty", description: "", reason: "" },
      { key: "reason", reason: "🎯".repeat(500) },
      { key: "trait", expression: expression(trait(wide, "eq", "🎯".repeat(1_000))) },
      {
        key: "event",
        expression: expression(
          event("🎯".repeat(80), {
            count: { op: "gte", value: 1 },
            where: [property(wide, "in", ["🎯".repeat(1_000)])],
          }),
        ),
      },
    ];
    for (const fields of fits) {
      const { status, segment } = await make(project, fields);
      assert.equal(status, 201);
      assert.deepEqual({ ...segment, ...fields }, segment);
    }
  });

  const badKeys: readonly unknown[] = [
    "",
    "x".repeat(65),
    "VIPs",
    "vips!",
    "v ips",
    " vips",
    "vips ",
    "vïps",
    "🎯",
    "v.ips",
    "v/ips",
    "-vips",
    "_vips",
    "vips-",
    "vips_",
    "-",
    "seg_vips",
    "seg_",
    "vips\n",
    null,
    5,
    true,
    ["vips"],
    undefined,
  ];
  for (const key of badKeys) {
    it(`refuses ${JSON.stringify(key)?.slice(0, 20)} as a key`, async () => {
      const project = await house.project();
      const { status, error } = await refuse(project, { key });
      assert.deepEqual([status, /^key (must|is required)/.test(error)], [400, true], error);
      assert.equal(await countOf(project), 0);
    });
  }

  const refused: readonly [string, unknown][] = [
    ...["", "x".repeat(81), "🎯".repeat(81), null, 5, undefined].map((name): [string, unknown] => [
      "name",
      name,
    ]),
    ...["x".repeat(1_001), 5].map((description): [string, unknown] => ["description", description]),
    ...["x".repeat(501), null, 5].map((reason): [string, unknown] => ["reason", reason]),
    ...["", "x".repeat(129), 5].map((agentRunId): [string, unknown] => ["agentRunId", agentRunId]),
    ...["", "x".repeat(129), 5].map((key): [string, unknown] => ["idempotencyKey", key]),
    ["expression", undefined],
  ];
  for (const [field, value] of refused) {
    it(`refuses ${field} = ${JSON.stringify(value)?.slice(0, 20)}`, async () => {
      const project = await house.project();
      const { status, error } = await refuse(project, { [field]: value });
      assert.deepEqual([status, error.startsWith(`${field} `)], [400, true], error);
      assert.equal(await countOf(project), 0);
    });
  }

  it("refuses a key that is taken, archived ones included, and a race for one", async () => {
    const project = await house.project();
    await make(project);
    const taken = { status: 409, error: "key is taken by another segment" };
    const again = async () => {
      const { status, error } = await refuse(project, {});
      return { status, error };
    };
    assert.deepEqual(await again(), taken);
    await project.api.archiveSegment({ path: { id: "vips" } });
    assert.deepEqual(await again(), taken);
    const race = await Promise.allSettled(Array.from({ length: 8 }, () => make(project, { key: "raced" })));
    assert.equal(race.filter(({ status }) => status === "fulfilled").length, 1);
    assert.equal(await countOf(project), 2);
    assert.equal((await make(await house.project())).status, 201);
  });

  it("refuses a run that is not the project's, and keeps nothing", async () => {
    const [project, other] = [await house.project(), await house.project()];
    const { run } = await other.api.createAgentRun({ body: { kind: "note" } });
    for (const agentRunId of [run.id, NOWHERE, "x", run.id.slice(4), run.id.replace("run_", "goal_")]) {
      const { status, error } = await refuse(project, { agentRunId, idempotencyKey: "again" });
      assert.deepEqual([status, error], [400, "agentRunId must be a run of this project"]);
    }
    assert.equal(await countOf(project), 0);
    // A refused request has used neither its key nor its idempotencyKey.
    assert.equal((await make(project, { idempotencyKey: "again" })).status, 201);
  });

  it("says everything that is wrong with an expression, and where", async () => {
    const project = await house.project();
    const root = {
      kind: "all",
      children: [
        { kind: "field", field: { kind: "trait", key: "plan" }, op: "equals", value: "pro" },
        { kind: "any", children: [] },
        { kind: "event", event: "paid", window: { amount: 0, unit: "days" }, times: 3 },
      ],
    };
    const { status, error, body } = await refuse(project, { expression: { version: 1, root } });
    assert.equal(status, 400);
    assert.match(error, /^expression\/root\/children\/0\/op is not valid: op must be one of eq, /);
    const { diagnostics } = body as { diagnostics: Answer<"checkAudience">["diagnostics"] };
    assert.deepEqual(
      diagnostics.map(({ severity, code, path, suggestions }) => [severity, code, path, suggestions]),
      [
        ["error", "unknown_operator", "/root/children/0/op", ["eq"]],
        ["error", "empty_group", "/root/children/1/children", undefined],
        ["error", "unknown_key", "/root/children/2/times", undefined],
        ["error", "invalid_window", "/root/children/2/window/amount", undefined],
      ],
    );
    assert.equal(await countOf(project), 0);
  });
});

describe("createSegment, hostile", () => {
  const nested = (depth: number): string => {
    const open = '{"kind":"not","child":'.repeat(depth);
    return `{"version":1,"root":${open}{"kind":"event","event":"e"}${"}".repeat(depth)}}`;
  };
  const wide = (children: number): string =>
    JSON.stringify(expression(any(...Array.from({ length: children }, () => event("e")))));
  const bodies: readonly [string, string][] = [
    ["null", "null"],
    ["a list", "[]"],
    ["text", '"all"'],
    ["lists in lists", `${"[".repeat(20_000)}${"]".repeat(20_000)}`],
    ["two thousand negations", nested(2_000)],
    ["nine levels", nested(8)],
    ["a group of seventeen", wide(17)],
    ["a group of a thousand", wide(1_000)],
    [
      "a list of ten thousand",
      `{"version":1,"root":{"kind":"field","field":{"kind":"trait","key":"k"},"op":"in","value":[${"1,".repeat(9_999)}1]}}`,
    ],
    [
      "an endless number",
      '{"version":1,"root":{"kind":"field","field":{"kind":"trait","key":"k"},"op":"eq","value":1e999}}',
    ],
    [
      "NUL in a key",
      '{"version":1,"root":{"kind":"field","field":{"kind":"trait","key":"a\\u0000"},"op":"exists"}}',
    ],
    ["half a sign in an event", '{"version":1,"root":{"kind":"event","event":"\\ud800"}}'],
    ["a prototype", '{"version":1,"root":{"kind":"event","event":"e"},"__proto__":{"version":1}}'],
    ["a prototype for a node", '{"version":1,"root":{"__proto__":{"kind":"event","event":"e"}}}'],
    ["a constructor for a kind", '{"version":1,"root":{"kind":"constructor"}}'],
    [
      "a prototype for an operator",
      '{"version":1,"root":{"kind":"field","field":{"kind":"trait","key":"k"},"op":"__proto__","value":1}}',
    ],
  ];
  for (const [name, json] of bodies) {
    it(`refuses ${name} as an expression`, async () => {
      const project = await house.project();
      const raw = `{"key":"vips","name":"VIPs","expression":${json}}`;
      const { status, text } = await send(house, createSegment.spec, { raw, key: project.secretKey });
      assert.equal(status, 400, text);
      assert.equal(await countOf(project), 0);
    });
  }

  it("takes names that every object inherits for what they are", async () => {
    const project = await house.project();
    for (const [index, name] of ["__proto__", "constructor", "toString"].entries()) {
      const named = expression(
        all(
          trait(name, "eq", name),
          event(name, { count: { op: "gte", value: 1 }, where: [property(name, "exists")] }),
        ),
      );
      const { segment } = await make(project, { key: `k${index}`, expression: named });
      assert.deepEqual(segment.expression, named);
    }
  });

  it("reads 64 KiB and no byte more", async () => {
    const project = await house.project();
    const rest =
      64 * 1_024 - JSON.stringify({ key: "vips", name: "VIPs", expression: onPro, other: "" }).length;
    const padded = (length: number) => ({ other: "x".repeat(length) }) as Partial<NewSegment>;
    assert.equal((await refuse(project, padded(rest + 1))).status, 413);
    assert.match((await refuse(project, padded(rest))).error, /^other: unknown field/);
  });
});

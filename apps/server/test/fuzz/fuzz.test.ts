import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { endpoints, outgoing, tags } from "../../src/features.ts";
import { openApiDocument } from "../../src/platform/http/openapi/document.ts";
import { rounds } from "../rounds.ts";
import { managedHouse } from "../source-work.ts";
import { type Described, readDocument } from "./document.ts";
import type { Edit } from "./draft.ts";
import { fuzz } from "./fuzzer.ts";
import { judge } from "./judge.ts";

const house = managedHouse();

const numberOf = (given: string | undefined, fallback: number): number =>
  given === undefined ? fallback : Number(given);

// More requests and other seeds: node bench/fuzz.ts.
it("answers whatever is wrong with a request as the document says", async (t) => {
  // The same requests every time: what is new is looked for by the command, not by luck.
  const seed = numberOf(process.env.FUZZ_SEED, 77);
  const requests = numberOf(process.env.FUZZ_REQUESTS, rounds(1_500, 4_000));
  t.diagnostic(`seed ${seed}`);
  const { statuses, slowest, faults, requests: sent } = await fuzz(house, { requests, seed });
  t.diagnostic(`${sent} requests, the slowest ${Math.round(slowest.ms)} ms (${slowest.operation})`);
  t.diagnostic(`answers by status: ${JSON.stringify(statuses)}`);
  for (const fault of faults) t.diagnostic(fault);
  assert.equal(faults.length, 0, `${faults.length} faults with seed ${seed}`);
  for (const status of [200, 201, 204, 400, 404, 413]) assert.ok(statuses[status], `no ${status}`);
  await house.drain();
  assert.deepEqual(await house.differences(), {});
});

describe("the judge of the fuzzer", () => {
  const { operations } = readDocument(openApiDocument({ endpoints, tags, outgoing }));
  const createGoal = operations.get("createGoal") as Described;
  const edit = (name: string): Edit => ({ part: "body", name, apply: (draft) => draft, smaller: () => [] });
  const goal = {
    id: "goal_1",
    name: "G",
    description: null,
    targetEvent: null,
    guardrails: null,
    approvalMode: "auto",
    attributionDays: 7,
    holdoutPercent: 0,
    status: "active",
    revision: 1,
    createdAt: 1,
  };
  const refused = (error: string): string => JSON.stringify({ error });
  const cases: [
    name: string,
    status: number,
    text: string,
    at: string,
    body: unknown,
    kind: RegExp | null,
  ][] = [
    ["a refusal that names the field", 400, refused("name must be a string"), "name", {}, null],
    ["one that encloses it", 400, refused("guardrails must be an object"), "guardrails.a[0]", {}, null],
    ["another field", 400, refused("description must be a string"), "name", {}, /names another field/],
    ["a longer word", 400, refused("nameless is unknown"), "name", {}, /names another field/],
    ["no error", 400, "{}", "name", {}, /answers 400 in another shape/],
    ["no JSON", 400, "oops", "name", {}, /answers 400 in another shape/],
    ["a fault of the server", 500, refused("Internal server error"), "name", {}, /answers 500/],
    ["a status of nobody", 418, refused("teapot"), "name", {}, /does not declare/],
    [
      "a success of another shape",
      201,
      '{"goal":{"id":1}}',
      "name",
      { name: "G" },
      /answers 201 in another shape/,
    ],
    ["what the document forbids", 201, JSON.stringify({ goal }), "name", { name: 1 }, /does not allow/],
    ["an inside", 409, refused('violates unique constraint "x"'), "name", {}, /inside/],
  ];
  for (const [name, status, text, at, body, kind] of cases) {
    it(`knows ${name}`, () => {
      const answer = { status, text, contentType: "application/json", requestId: "r", tookMs: 1 };
      const fault = judge(createGoal, [edit(at)], answer, body);
      if (kind === null) assert.equal(fault, null);
      else assert.match(fault?.kind ?? "", kind);
    });
  }
});

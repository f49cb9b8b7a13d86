import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeAudience } from "../describe.ts";
import { readStored } from "./stored.pure.ts";

const expression = {
  version: 1,
  root: { kind: "event", event: "paid", count: { op: "gte", value: 1 } },
} as const;
const segment = { kind: "segment", audienceVersionId: "aud_1", segmentId: "seg_1", segmentVersion: 3 };

describe("readStored", () => {
  const readable: readonly Record<string, unknown>[] = [
    { kind: "all" },
    { kind: "all", reason: "news" },
    { kind: "expression", expression, legacy: true },
    { kind: "expression", audienceVersionId: null, expression, reason: null, legacy: true },
    { kind: "expression", audienceVersionId: "aud_1", expression, reason: "why", legacy: false },
    { ...segment, expression, reason: null },
    { ...segment, expression },
  ];
  for (const stored of readable)
    it(`takes ${JSON.stringify(stored).slice(0, 80)}`, () => assert.deepEqual(readStored(stored), stored));

  const unreadable: readonly [unknown, string | null][] = [
    ...[undefined, null, "all", 5, true, [], {}].map((stored): [unknown, null] => [stored, null]),
    [{ kind: "later", audienceVersionId: "aud_1", expression, legacy: false }, "aud_1"],
    [{ kind: "expression", expression }, null],
    [{ kind: "expression", audienceVersionId: 5, expression, legacy: false }, null],
    [{ kind: "expression", audienceVersionId: "aud_1", legacy: false }, "aud_1"],
    [
      {
        kind: "expression",
        audienceVersionId: "aud_1",
        expression: { ...expression, version: 2 },
        legacy: false,
      },
      "aud_1",
    ],
    [{ ...segment, expression: { version: 1, root: { kind: "maybe" } } }, "aud_1"],
    [{ ...segment, segmentId: undefined, expression }, "aud_1"],
    [{ ...segment, segmentVersion: 0, expression }, "aud_1"],
  ];
  for (const [stored, audienceVersionId] of unreadable) {
    it(`calls ${JSON.stringify(stored)?.slice(0, 100)} invalid`, () => {
      const invalid = { kind: "invalid", audienceVersionId };
      assert.deepEqual(readStored(stored), invalid);
      assert.deepEqual(describeAudience(readStored(stored)), { audience: invalid, targeting: null });
    });
  }
});

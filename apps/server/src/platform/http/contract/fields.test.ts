import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { z } from "zod";
import { eventName } from "../../../domain/fields.ts";
import {
  instant,
  jsonObject,
  jsonObjectOrList,
  patch,
  pathId,
  queryInstant,
  queryInt,
  text,
} from "./fields.ts";

const accepts = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success;

/** The rule that a value breaks, or null. */
const fault = (schema: z.ZodType, value: unknown): string | null =>
  schema.safeParse(value).error?.issues[0]?.message ?? null;

describe("text", () => {
  const cases: [string, string, string | null][] = [
    ["nothing", "", "must not be empty"],
    ["one character", "a", null],
    ["as many as may be", "abcd", null],
    ["one more", "abcde", "must be at most 4 characters"],
    ["characters of two units count once", "💥💥💥💥", null],
    ["one more of those", "💥💥💥💥💥", "must be at most 4 characters"],
    ["two units and more units than twice the limit", "💥".repeat(9), "must be at most 4 characters"],
    ["combining marks count each", "e\u0301e\u0301", null],
    ["spaces are characters", "    ", null],
  ];
  for (const [name, value, rule] of cases) {
    it(name, () => assert.equal(fault(text(4), value), rule));
  }
  it("counts what it needs, in one and in several", () => {
    assert.equal(fault(text(4, 2), "a"), "must be at least 2 characters");
    assert.equal(fault(text(1), "ab"), "must be at most 1 character");
    assert.equal(fault(text(4, 0), ""), null);
  });
  it("bounds ids and event names", () => {
    assert.ok(accepts(pathId, "x".repeat(128)) && !accepts(pathId, "x".repeat(129)));
    assert.ok(accepts(eventName, "x".repeat(80)) && !accepts(eventName, "x".repeat(81)));
  });
});

describe("jsonObject", () => {
  const sized = (bytes: number) => ({ k: "x".repeat(bytes - '{"k":""}'.length) });
  it("yields compact JSON", () => {
    assert.equal(jsonObject(100).parse({ b: 1, a: [null, { c: "é" }] }), '{"b":1,"a":[null,{"c":"é"}]}');
  });
  it("counts UTF-8 bytes of compact JSON", () => {
    assert.ok(accepts(jsonObject(4_096), sized(4_096)));
    assert.equal(fault(jsonObject(4_096), sized(4_097)), "must be at most 4096 bytes as JSON");
    for (const wide of ["é", "€", "💥"]) {
      const value = { k: wide.repeat(Math.floor(90 / Buffer.byteLength(wide))) };
      const bytes = Buffer.byteLength(JSON.stringify(value));
      assert.ok(accepts(jsonObject(bytes), value), wide);
      assert.ok(!accepts(jsonObject(bytes - 1), value), wide);
    }
  });
  it("takes objects only", () => {
    for (const value of [null, [], [{}], "text", 1, true, undefined]) {
      assert.equal(fault(jsonObject(100), value), "must be an object");
    }
  });
});

describe("jsonObjectOrList", () => {
  it("yields compact JSON of objects and lists, and counts its bytes", () => {
    assert.equal(jsonObjectOrList(100).parse([{ b: 1 }, "é"]), '[{"b":1},"é"]');
    assert.equal(jsonObjectOrList(100).parse({}), "{}");
    assert.ok(
      accepts(jsonObjectOrList(9), ["é", 1, 2]) === false && accepts(jsonObjectOrList(10), ["é", 1, 2]),
    );
  });
  it("takes nothing else", () => {
    for (const value of [null, "text", 1, true, undefined])
      assert.equal(fault(jsonObjectOrList(100), value), "must be an object or a list");
  });
});

describe("queryInstant", () => {
  const taken: [string, number][] = [
    ["0", 0],
    ["1768478400000", Date.UTC(2026, 0, 15, 12)],
    ["253402300799999", 253_402_300_799_999],
    ["2026-01-15", Date.UTC(2026, 0, 15)],
    ["2024-02-29", Date.UTC(2024, 1, 29)],
    ["2026-01-15T12:00Z", Date.UTC(2026, 0, 15, 12)],
    ["2026-01-15T12:00:00.250+02:00", Date.UTC(2026, 0, 15, 10) + 250],
  ];
  for (const [raw, ms] of taken) it(`${raw} is ${ms}`, () => assert.equal(queryInstant.parse(raw), ms));
  const refused = [
    "",
    "x",
    "-1",
    "1.5",
    "1e3",
    " 1",
    "253402300800000",
    "2026-01",
    "2026-02-30",
    "2026-13-01",
    "15.01.2026",
    "today",
    ["1", "2"],
    5,
    null,
  ];
  for (const value of refused) {
    it(`refuses ${JSON.stringify(value)}`, () =>
      assert.equal(
        fault(queryInstant, value),
        "must be epoch milliseconds, an ISO-8601 date, or a date-time with an offset",
      ));
  }
});

describe("instant", () => {
  const cases: [unknown, number | null][] = [
    [1_767_225_600_000, 1_767_225_600_000],
    [1_000_000_000_000, 1_000_000_000_000],
    [999_999_999_999, null],
    [1_767_225_600, null],
    [253_402_300_799_999, 253_402_300_799_999],
    [253_402_300_800_000, null],
    [1_767_225_600_000.5, null],
    ["1767225600000", null],
    ["2026-01-01T00:00:00Z", 1_767_225_600_000],
    ["2026-01-01T00:00Z", 1_767_225_600_000],
    ["2026-01-01T00:00:00.250Z", 1_767_225_600_250],
    ["2026-01-01T01:30:00+01:30", 1_767_225_600_000],
    ["2026-01-01T00:00:00", null],
    ["2026-01-01", null],
    ["2026-13-01T00:00:00Z", null],
    ["2026-02-30T00:00:00Z", null],
    ["2026-02-29T00:00:00Z", null],
    ["2028-02-29T00:00:00Z", 1_835_395_200_000],
    ["2026-01-01T25:00:00Z", null],
    ["2026-01-01T24:00:00Z", null],
    ["2026-01-01T00:00:60Z", null],
    ["2026-01-01T00:00:00.123456789Z", 1_767_225_600_123],
    ["2026-01-01T00:00:00.1234567890Z", null],
    ["2026-01-01T23:59:00+23:59", 1_767_225_600_000],
    ["2026-01-01T00:00:00+99:00", null],
    ["2026-01-01 00:00:00Z", null],
    ["Thu, 01 Jan 2026 00:00:00 GMT", null],
    ["1970-01-01T00:00:00Z", null],
    [Number.NaN, null],
    [null, null],
    [true, null],
    [[], null],
  ];
  for (const [value, expected] of cases) {
    it(`${JSON.stringify(value)} is ${expected ?? "refused"}`, () => {
      const parsed = instant.safeParse(value);
      assert.equal(parsed.success ? parsed.data : null, expected);
    });
  }
});

describe("queryInt", () => {
  const schema = queryInt(1, 100, 50);
  const cases: [string | undefined, number | null][] = [
    [undefined, 50],
    ["1", 1],
    ["100", 100],
    ["007", 7],
    ["0", null],
    ["101", null],
    ["-1", null],
    ["1.5", null],
    ["1e2", null],
    ["0x10", null],
    ["", null],
    [" 1", null],
    ["9".repeat(400), null],
    ["١", null],
  ];
  for (const [raw, expected] of cases) {
    it(`${JSON.stringify(raw)} is ${expected ?? "refused"}`, () => {
      const parsed = schema.safeParse(raw);
      assert.equal(parsed.success ? parsed.data : null, expected);
    });
  }
});

describe("patch", () => {
  const schema = patch({ name: text(10), note: text(10).nullable() });
  it("takes any subset but none", () => {
    assert.deepEqual(schema.parse({ name: "a" }), { name: "a" });
    assert.deepEqual(schema.parse({ note: null }), { note: null });
    assert.equal(fault(schema, {}), "must change at least one of name, note");
    assert.equal(fault(schema, { other: 1 }), "must change at least one of name, note");
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { closed } from "./closed.ts";
import { explainIssue } from "./explain-issue.ts";
import { instant, jsonObject, patch, text } from "./fields.ts";

const Message = z.strictObject({ kind: z.literal("text"), title: text(5) });
const Image = z.strictObject({ kind: z.literal("image"), url: text(5), size: z.object({ width: z.int() }) });
const Body = closed(
  z.object({
    name: text(5),
    count: z.int().min(2).max(9).optional(),
    ratio: z.number().optional(),
    isOn: z.boolean().optional(),
    mode: z.enum(["fast", "slow"]).optional(),
    only: z.literal("this").optional(),
    tags: z.array(text(3)).min(1).max(2).optional(),
    inner: z.object({ list: z.array(z.object({ name: text(5) })) }).optional(),
    free: jsonObject(20).optional(),
    map: z.record(z.string(), z.number()).optional(),
    at: instant.optional(),
    message: z.union([Message, Image]).optional(),
    step: z.discriminatedUnion("kind", [Message, Image]).optional(),
    named: z.union([text(5), z.number()], "must be a string or a number").optional(),
  }),
);

const explain = (schema: z.ZodType, value: unknown): string => {
  const parsed = schema.safeParse(value, { reportInput: true });
  assert.ok(!parsed.success);
  return explainIssue(parsed.error, "body");
};

describe("explainIssue", () => {
  const cases: [unknown, string][] = [
    [undefined, "body must be a JSON object"],
    [null, "body must be a JSON object"],
    [[], "body must be a JSON object"],
    ["text", "body must be a JSON object"],
    [{}, "name is required"],
    [{ name: 5 }, "name must be a string"],
    [{ name: null }, "name must be a string"],
    [{ name: "" }, "name must not be empty"],
    [{ name: "sixsix" }, "name must be at most 5 characters"],
    [{ name: "a", count: "1" }, "count must be a number"],
    [{ name: "a", count: 1.5 }, "count must be an integer"],
    [{ name: "a", count: 1 }, "count must be at least 2"],
    [{ name: "a", count: 10 }, "count must be at most 9"],
    [{ name: "a", count: 1e300 }, "count must be at most 9007199254740991"],
    [{ name: "a", ratio: "1" }, "ratio must be a number"],
    [{ name: "a", isOn: "yes" }, "isOn must be true or false"],
    [{ name: "a", mode: "slower" }, "mode must be one of fast, slow"],
    [{ name: "a", mode: null }, "mode must be one of fast, slow"],
    [{ name: "a", only: "that" }, "only must be this"],
    [{ name: "a", tags: "x" }, "tags must be a list"],
    [{ name: "a", tags: [] }, "tags must be at least 1 entry"],
    [{ name: "a", tags: ["a", "b", "c"] }, "tags must be at most 2 entries"],
    [{ name: "a", tags: ["a", "long"] }, "tags[1] must be at most 3 characters"],
    [{ name: "a", inner: [] }, "inner must be an object"],
    [{ name: "a", step: { kind: "sound" } }, "step.kind must be one of text, image"],
    [{ name: "a", step: {} }, "step.kind is required"],
    [{ name: "a", step: { kind: "text" } }, "step.title is required"],
    [{ name: "a", inner: { list: [{ name: "a" }, {}] } }, "inner.list[1].name is required"],
    [{ name: "a", free: [] }, "free must be an object"],
    [{ name: "a", free: { k: "x".repeat(20) } }, "free must be at most 20 bytes as JSON"],
    [{ name: "a", map: { k: "x" } }, "map.k must be a number"],
    [
      { name: "a", at: 1 },
      "at must be epoch milliseconds or an ISO-8601 date-time with an offset, such as 2026-01-31T09:00:00Z",
    ],
    [{ name: "a", named: true }, "named must be a string or a number"],
    [{ name: "a", named: "sixsix" }, "named must be at most 5 characters"],
  ];
  for (const [value, expected] of cases) {
    it(`${JSON.stringify(value)}: ${expected}`, () => assert.equal(explain(Body, value), expected));
  }

  it("in a union, speaks of the branch that was meant", () => {
    const message = (value: unknown) => explain(Body, { name: "a", message: value });
    assert.equal(message({ kind: "text" }), "message.title is required");
    assert.equal(message({ kind: "text", title: "sixsix" }), "message.title must be at most 5 characters");
    assert.equal(message({ kind: "image", url: "a", size: {} }), "message.size.width is required");
    assert.equal(
      message({ kind: "text", title: "a", other: 1 }),
      "message.other: unknown field, known here are kind, title",
    );
    assert.equal(message("text"), "message must be an object");
    assert.equal(message(null), "message must be an object");
  });
  it("names an unknown field, before what is missing, and the one that was likely meant", () => {
    assert.equal(explain(Body, { nmae: "a" }), "nmae: unknown field, did you mean name?");
    assert.equal(
      explain(Body, { name: "a", inner: { list: [{ name: "a" }], List: [] } }),
      "inner.List: unknown field, did you mean list?",
    );
    const meant = { name: "a", message: { kind: "image", urll: "a" } };
    assert.equal(explain(Body, meant), "message.urll: unknown field, did you mean url?");
    const many = explain(Body, { name: "a", ["💥".repeat(1_000)]: 1 });
    assert.ok(many.startsWith("💥".repeat(200)) && many.length < 1_000 && many.isWellFormed(), many);
  });
  it("speaks of the body where no field is at fault", () => {
    assert.equal(explain(patch({ name: text(5) }), {}), "body must change at least one of name");
  });
  it("says which part of a request it was", () => {
    const parsed = z.object({ id: text(5) }).safeParse(null, { reportInput: true });
    assert.ok(!parsed.success);
    assert.equal(explainIssue(parsed.error, "query"), "query must be a JSON object");
  });
});

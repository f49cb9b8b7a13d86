import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cutJson } from "./cut-json.ts";
import { cutText } from "./plain.ts";
import { redactor } from "./redact.ts";
import { usageOf } from "./usage.ts";

describe("an answer of a tool", () => {
  it("is left alone up to 4 KB", () => {
    assert.equal(cutJson({ a: [1, "ü", null] }), '{"answer":{"a":[1,"ü",null]}}');
  });

  it("is shortened to valid JSON beyond, and says so", () => {
    const list = Array.from({ length: 500 }, (_, index) => ({ index, text: "日本".repeat(100) }));
    const wide = Object.fromEntries(list.map(({ index, text }) => [`field ${index}`, text]));
    for (const answer of [list, { list, more: { list } }, "😀".repeat(5_000), "\u0001".repeat(5_000), wide]) {
      const text = cutJson(answer);
      assert.ok(Buffer.byteLength(text) <= 4_096);
      assert.equal((JSON.parse(text) as { isCut: boolean }).isCut, true);
    }
    const { answer } = JSON.parse(cutJson(list)) as { answer: typeof list };
    assert.ok(answer.length >= 5);
    assert.deepEqual(answer[0]?.index, 0);
    assert.equal(cutJson(wide), '{"isCut":true,"answer":null}');
  });

  it("is cut between characters", () => {
    assert.equal(cutText("aüü", 4), "aü");
    assert.equal(cutText("😀😀", 7), "😀");
    assert.equal(cutText("😀", 3), "");
  });
});

describe("a key", () => {
  it("is replaced in texts, names, and JSON within texts", () => {
    const redact = redactor("secret-key");
    assert.deepEqual(redact({ a: ["my secret-key!", 7, null], "secret-key": { b: true } }), {
      a: ["my [key]!", 7, null],
      "[key]": { b: true },
    });
    assert.equal(redact('{"a": "s\\u0065cret-key"}'), '{"a":"[key]"}');
    assert.equal(redact('{"a": "tab\\t"}'), '{"a": "tab\\t"}');
  });

  it("is left alone where it is a word that stands for none", () => {
    assert.equal(redactor("ollama")("ollama"), "ollama");
    assert.equal(redactor(null)("null"), "null");
  });
});

describe("usage", () => {
  const request = { model: "m", messages: [] };

  it("is estimated from the length where an endpoint reports none", () => {
    // 27 bytes of canonical JSON, and 14 of the response.
    const found = usageOf(request, { choices: [] });
    const call = { inputTokens: 9, cachedInputTokens: 0, outputTokens: 5, reasoningTokens: 0 };
    assert.deepEqual(found, { call, isEstimated: true });
    assert.deepEqual(usageOf(request, { fault: "timeout" }), {
      call: { ...call, outputTokens: 0 },
      isEstimated: true,
    });
  });

  it("is none where no model did anything", () => {
    for (const fault of ["late", "unreachable", "redirected"] as const)
      assert.equal(usageOf(request, { fault }), null);
    assert.equal(usageOf(request, { status: 429, body: "" }), null);
  });
});

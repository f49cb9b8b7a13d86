import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { campaignBody, newTemplateDraft, patchOf } from "../src/features/campaigns/editor/draft.ts";
import { pathOf } from "../src/features/campaigns/rules.ts";
import { callsOf, lookOf, RECEIPT_STATES, timelineOf } from "../src/features/campaigns/templates/rules.ts";
import { curlOfSend, resendLine } from "../src/features/campaigns/templates/send-example.pure.ts";
import { lacks, readData, writtenData } from "../src/features/campaigns/templates/template-data.pure.ts";
import { suggestedKey } from "../src/features/campaigns/templates/template-key.pure.ts";

describe("the key of a template", () => {
  it("follows from its name", () => {
    assert.equal(suggestedKey("Your receipt, Émile!"), "your-receipt-emile");
    assert.equal(suggestedKey("order_paid 2"), "order_paid-2");
    assert.equal(suggestedKey("領収書"), "");
  });

  it("is one that the server takes, or none", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 90 }), (name) => {
        assert.match(suggestedKey(name), /^[a-z0-9_-]{0,64}$/);
      }),
    );
  });
});

describe("the data of a template", () => {
  it("is read where it is an object", () => {
    assert.deepEqual(readData(' {"a": 1}\n'), { a: 1 });
    for (const text of ["", "no", "[1]", "null", '"text"', "{"]) assert.equal(readData(text), null, text);
  });

  it("is read as it was written, and then lacks nothing", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (data) => {
        const read = readData(writtenData(data));
        assert.ok(read !== null);
        assert.equal(lacks(read, JSON.parse(JSON.stringify(data))), false);
      }),
    );
    assert.equal(lacks({ a: 1 }, { a: 1, b: "b" }), true);
  });
});

describe("the examples of sending", () => {
  const data = { name: "O'Hara", total: "12 €" };

  it("are a line for a shell, with the quotes of the data", () => {
    const line = curlOfSend("https://t.example", "receipt", data);
    assert.ok(line.startsWith("curl https://t.example/api/v1/send "));
    assert.ok(line.includes("O'\\''Hara"));
  });

  it("are a call of the package of Resend", () => {
    const sent = /^await resend\.emails\.send\((.*)\);$/s.exec(resendLine("receipt", data))?.[1] ?? "";
    assert.deepEqual(JSON.parse(sent).template, { id: "receipt", variables: data });
  });
});

describe("a new template", () => {
  it("is a request without what templates have none of, and changes as a campaign does", () => {
    const draft = { ...newTemplateDraft(), name: "Receipt", template: { key: "receipt", isSensitive: true } };
    const { variants, ...body } = campaignBody(draft);
    assert.deepEqual(body, {
      channel: "email",
      name: "Receipt",
      purpose: "transactional",
      key: "receipt",
      sensitive: true,
    });
    assert.equal(variants?.length, 1);
    const saved = { ...draft, variants: draft.variants.map((variant) => ({ ...variant, id: "var_1" })) };
    assert.deepEqual(patchOf(saved, { ...saved, name: "Bill" }), { name: "Bill" });
  });

  it("has a page of its own", () => {
    assert.equal(pathOf({ id: "cmp_1", purpose: "transactional" }), "templates/cmp_1");
    assert.equal(pathOf({ id: "cmp_1", purpose: "marketing" }), "campaigns/cmp_1");
  });
});

describe("a receipt", () => {
  const nothing = {
    requestedAt: 10,
    sendAt: null,
    sentAt: null,
    deliveredAt: null,
    openedAt: null,
    clickedAt: null,
    bouncedAt: null,
    complainedAt: null,
  };

  it("tells what happened in the order of time", () => {
    const shown = timelineOf({ ...nothing, sendAt: 40, sentAt: 45, deliveredAt: 45, openedAt: 50 });
    assert.deepEqual(
      shown.map(({ name, at }) => [name, at]),
      [
        ["Requested", 10],
        ["Planned for", 40],
        ["Taken by the mail server", 45],
        ["Arrived", 45],
        ["Opened", 50],
      ],
    );
  });

  it("is red where it came back or never left", () => {
    const red = RECEIPT_STATES.filter((state) => lookOf(state).color === "red");
    assert.deepEqual(red, ["bounced", "complained", "failed"]);
  });

  it("has no opens and clicks where it is secret", () => {
    assert.deepEqual(callsOf({ sensitive: true }), ["sent", "delivered", "bounced", "complained"]);
    assert.equal(callsOf({ sensitive: false }).length, 6);
  });
});

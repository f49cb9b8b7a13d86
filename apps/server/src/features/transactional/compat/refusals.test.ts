import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inWordsOf } from "./refusals.pure.ts";

const NAMES = { data: "TemplateModel", from: "From", attachments: "Attachments" };

describe("a refusal of a send", () => {
  for (const [message, own] of [
    ["data must have order.total: …", "TemplateModel must have order.total: …"],
    ["[3].data must have a", "[3].TemplateModel must have a"],
    ["Messages[12].data must have a", "Messages[12].TemplateModel must have a"],
    ["attachments[0] must be no program", "Attachments[0] must be no program"],
    ["[0].attachments[1] must be no program", "[0].Attachments[1] must be no program"],
    ["from must be an address of x.example", "From must be an address of x.example"],
    ["database is away", "database is away"],
    ["This template is not live: it is paused.", "This template is not live: it is paused."],
    ["constructor must be", "constructor must be"],
  ] as const)
    it(message, () => assert.equal(inWordsOf(NAMES, message), own));
});

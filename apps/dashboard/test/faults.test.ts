import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { TidingsError } from "@tidings/client";
import { isFinal, problemOf } from "../src/platform/client.ts";
import { inWords, nameOfPath } from "../src/platform/faults.ts";

describe("what a refusal says to people", () => {
  for (const [refusal, expected] of [
    [
      "message.cta.url must be an http or https address",
      /^Link of the button must be a whole address such as /,
    ],
    ["variants[1].message.subject must not be empty", /^Subject must not be empty$/],
    ["variants[0].name must be at most 40 characters", /^Name of the variant must be at most 40 characters$/],
    ["message must have a title or a body", /^Message must have a title or a text$/],
    ["deliverFrom must be before deliverUntil", /^Deliver from must be before “Deliver until”$/],
    ["pages[2] must start with /", /^Pages must start with \/$/],
    ["message.actions[1].title must not be blank", /^Button 2 must not be blank$/],
    ["push.selection.installationId is required", /^Device is required$/],
    ["some.unknownField: unknown field", /^Unknown field: unknown field$/],
    ["body must link to http, https and mailto addresses only, not to /plans", /\. Write the whole address/],
    ["This campaign has ended.", /^This campaign has ended\.$/],
    ["Campaign not found", /^Campaign not found$/],
  ] as const)
    it(refusal, () => assert.match(inWords(refusal), expected));

  it("calls one field by one name, wherever it stands", () => {
    for (const path of ["subject", "message.subject", "variants[var_1].message.subject"])
      assert.equal(nameOfPath(path), "Subject");
  });
});

describe("what went wrong", () => {
  const refused = (status: number, body: unknown) => new TidingsError(status, body, new Headers());

  it("is said in words of ours where a browser or a load balancer has its own", () => {
    assert.equal(problemOf(new TypeError("Failed to fetch")).message, "The server cannot be reached.");
    assert.doesNotMatch(problemOf(new SyntaxError("Unexpected token '<'")).message, /token/);
    assert.equal(problemOf(refused(503, { error: "busy" })).message, "The server is busy just now.");
    assert.equal(
      problemOf(refused(409, { error: "This campaign has ended." })).message,
      "This campaign has ended.",
    );
  });

  it("is worth another try only where that may go better", () => {
    assert.deepEqual(
      [404, 400, 429, 503].map((status) => isFinal(refused(status, { error: "no" }))),
      [true, true, false, false],
    );
  });
});

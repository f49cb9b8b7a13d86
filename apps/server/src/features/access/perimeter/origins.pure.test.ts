import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { originJudge } from "./origins.pure.ts";

const allows = originJudge([
  "https://shop.example",
  "http://localhost:3000",
  "https://*.acme.example",
  "http://*.dev.example:8080",
  "capacitor://localhost",
]);

const CASES: readonly (readonly [origin: string, isAllowed: boolean])[] = [
  ["https://shop.example", true],
  ["http://shop.example", false],
  ["https://shop.example:8443", false],
  ["https://www.shop.example", false],
  ["https://shop.example.evil.example", false],
  ["https://evilshop.example", false],
  ["http://localhost:3000", true],
  ["http://localhost", false],
  ["http://localhost:30000", false],
  ["https://app.acme.example", true],
  ["https://a.b-1.acme.example", true],
  ["https://acme.example", false],
  ["https://.acme.example", false],
  ["https://evilacme.example", false],
  ["https://app.acme.example:8443", false],
  ["http://app.acme.example", false],
  ["https://evil.example/.acme.example", false],
  ["https://evil.example?.acme.example", false],
  ["https://evil.example#.acme.example", false],
  ["https://ada@evil.acme.example", false],
  ["https://*.acme.example", false],
  ["https://app.acme.example.evil.example", false],
  ["http://x.dev.example:8080", true],
  ["http://x.dev.example", false],
  ["http://x.dev.example:80800", false],
  ["capacitor://localhost", true],
  ["null", false],
  ["", false],
  ["*", false],
  ["https://shop.example, https://evil.example", false],
  [`https://${"a.".repeat(8_000)}acme.example`, true],
  [`https://${"a.".repeat(8_000)}.acme.example`, false],
];

describe("a list of origins", () => {
  for (const [origin, isAllowed] of CASES)
    it(`${isAllowed ? "allows" : "refuses"} ${JSON.stringify(origin.slice(0, 60))}`, () =>
      assert.equal(allows(origin), isAllowed));

  it("that is empty allows none", () => assert.equal(originJudge([])("https://shop.example"), false));
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compilePages, normalizePath } from "./pages.pure.ts";

const onPage = (patterns: readonly string[] | null, path: string): boolean =>
  compilePages(patterns)(normalizePath(path));

describe("pages", () => {
  const cases: readonly [string, readonly string[], readonly string[]][] = [
    // pattern, paths it is for, paths it is not for
    ["/", ["/", "/?a=1", "/#top"], ["/a", "/index.html"]],
    [
      "/pricing",
      ["/pricing", "/pricing/", "/pricing?plan=pro", "/pricing#faq", "/pricing/?a#b"],
      ["/Pricing"],
    ],
    ["/pricing", [], ["/pricing/teams", "/pricings", "/en/pricing", "/", "/pricin"]],
    ["/pricing/", ["/pricing", "/pricing/"], ["/pricing/teams"]],
    ["/*", ["/", "/a", "/a/b/c", "/a/"], []],
    [
      "/docs/*",
      ["/docs/a", "/docs/a/b", "/docs/a/", "/docs/", "/docs"],
      ["/doc", "/docsearch", "/en/docs/a"],
    ],
    ["/docs*", ["/docs", "/docs/", "/docs/a/b", "/docsearch"], ["/doc", "/en/docs"]],
    ["/*/edit", ["/a/edit", "/a/b/edit", "/a/edit/", "/a/edit?x=1"], ["/edit", "/a/edits", "/a/edit/b"]],
    ["/a*b*c", ["/abc", "/a1b2c", "/a/b/c", "/abbcc"], ["/ac", "/acb", "/abcd"]],
    ["/a*a", ["/aa", "/aba", "/a/a"], ["/a", "/ab"]],
    ["/ab*ba", ["/abba", "/abxba"], ["/aba", "/ab"]],
    ["/a**b", ["/ab", "/axb"], ["/a"]],
    ["/*x*x*", ["/xx", "/axbxc"], ["/x", "/ax"]],
    // Every character except the star is literal.
    ["/a.b", ["/a.b"], ["/aXb"]],
    ["/a+(b)[c]{d}|e^$\\", ["/a+(b)[c]{d}|e^$\\"], ["/aa"]],
    // An escape is the character that it stands for.
    ["/%C3%A9", ["/%C3%A9", "/é"], ["/e"]],
    ["/größe*", ["/gr%C3%B6%C3%9Fe", "/gr%C3%B6%C3%9Fe/xl", "/größe"], ["/gr%F6%DFe"]],
    ["/%2A", ["/*", "/%2A"], ["/a"]],
    ["/100%", ["/100%"], ["/100"]],
    ["/é/🎉*", ["/é/🎉", "/é/🎉/x"], ["/e/🎉"]],
  ];
  for (const [pattern, matching, others] of cases) {
    for (const path of matching)
      it(`${pattern} is for ${path}`, () => assert.equal(onPage([pattern], path), true));
    for (const path of others)
      it(`${pattern} is not for ${path}`, () => assert.equal(onPage([pattern], path), false));
  }

  it("are any of the patterns", () => {
    assert.equal(onPage(["/a", "/b/*"], "/a"), true);
    assert.equal(onPage(["/a", "/b/*"], "/b/c"), true);
    assert.equal(onPage(["/a", "/b/*"], "/c"), false);
  });

  it("are everywhere when there are none", () => {
    assert.equal(onPage(null, "/"), true);
    assert.equal(onPage(null, "/anything/at/all"), true);
  });

  it("are decided at once, however many stars there are", () => {
    const pattern = `/${"*a".repeat(127)}b`;
    const path = `/${"a".repeat(2_047)}`;
    const started = performance.now();
    for (let i = 0; i < 100; i++) assert.equal(onPage([pattern], path), false);
    assert.ok(performance.now() - started < 1_000);
    assert.equal(onPage([pattern], `${path}b`), true);
  });
});

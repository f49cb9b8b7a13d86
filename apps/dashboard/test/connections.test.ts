import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { backIn, callName, idOfProblem, libraryName } from "../src/features/connections/rules.ts";
import { LIBRARIES, snippetFor } from "../src/features/connections/snippets.pure.ts";

const ORIGIN = "https://tidings.example.com";

describe("the lines for a library", () => {
  it("name the server, and the publishable key in pages alone", () => {
    for (const library of LIBRARIES) {
      const lines = snippetFor(library, ORIGIN, "pk_pub_shop");
      assert.ok(lines.includes(ORIGIN), library);
      assert.equal(lines.includes("pk_pub_shop"), library === "browser", library);
    }
  });

  it("have something in place of a publishable key that there is not", () => {
    assert.match(snippetFor("browser", ORIGIN, null), /writeKey: "pk_pub_…"/);
  });
});

describe("how far back the page looks", () => {
  it("is what the address says, or else a week", () => {
    assert.deepEqual(
      ["24", "168", "720", "", "9", "x"].map((hours) => backIn({ hours })),
      ["24", "168", "720", "168", "168", "168"],
    );
    assert.equal(backIn({}), "168");
  });
});

describe("what sent a call", () => {
  it("has the name that it gives itself, or words where it gives none", () => {
    assert.deepEqual(["analytics.js", "unknown", "other"].map(libraryName), [
      "analytics.js",
      "no name given",
      "further libraries",
    ]);
    assert.deepEqual([callName("track"), callName("unknown")], ["track", "no known call"]);
  });

  it("is told apart from others with the same reason", () => {
    const problem = {
      library: "analytics.js",
      call: "track",
      reason: "no_user",
      isRefused: true,
      text: "",
      count: 1,
      names: [],
      lastAt: 0,
    } as const;
    const all = [problem, { ...problem, call: "page" as const }, { ...problem, library: "other" }];
    const ids = all.map((each) => idOfProblem({ ...each, names: [] }));
    assert.equal(new Set(ids).size, 3);
  });
});

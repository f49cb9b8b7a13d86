import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  columnNames,
  isSame,
  lackOf,
  MEANINGS,
  meaningOf,
  needsLeft,
  type StopRule,
  withMeaning,
  withoutRest,
} from "../src/features/imports/mapping.pure.ts";
import {
  bringsStops,
  type ColumnMapping,
  type FileLook,
  IMPORT_KINDS,
  type ImportFile,
  kindIn,
  lookAgainMs,
  shareRead,
  stageOf,
} from "../src/features/imports/rules.ts";
import {
  isWhole,
  otherFile,
  PART_BYTES,
  partCount,
  placeOfPart,
  sendingOrder,
  wholeBytes,
} from "../src/features/imports/upload-parts.pure.ts";
import { warningText } from "../src/features/imports/words.ts";

const columns = (...names: string[]): FileLook["columns"] =>
  names.map((name) => ({ name, samples: [], guess: name.startsWith("_") ? "Left out" : "The trait" }));

describe("the parts of a file", () => {
  const sizes = fc.integer({ min: 1, max: 40 * PART_BYTES });

  it("are the whole file, each byte once", () => {
    fc.assert(
      fc.property(sizes, (bytes) => {
        const places = Array.from({ length: partCount(bytes) }, (_, index) => placeOfPart(index + 1, bytes));
        assert.equal(places[0]?.from, 0);
        assert.equal(places.at(-1)?.to, bytes);
        for (const [index, { from, to }] of places.entries()) {
          assert.ok(to > from && to - from <= PART_BYTES);
          assert.equal(from, index === 0 ? 0 : places[index - 1]?.to);
        }
      }),
    );
  });

  it("are all sent, the last one first, so that what was cut is never taken for whole", () => {
    fc.assert(
      fc.property(sizes, fc.array(fc.nat(), { maxLength: 8 }), (bytes, numbers) => {
        const count = partCount(bytes);
        const there = [...new Set(numbers.map((n) => (n % count) + 1))].toSorted((one, other) => one - other);
        const { before, others } = sendingOrder(bytes, there);
        assert.equal(before[0], count);
        assert.equal(new Set([...there, ...before, ...others]).size, count);
        assert.deepEqual(
          others.filter((n) => there.includes(n) || n === count),
          [],
        );
        // After the last part, any number of the others may have arrived.
        for (let arrived = 0; arrived <= others.length; arrived++) {
          const parts = [...new Set([...there, count, ...others.slice(0, arrived)])].toSorted(
            (one, other) => one - other,
          );
          assert.equal(isWhole(parts), parts.length === count);
          const arrivedBytes = parts.reduce(
            (sum, n) => sum + placeOfPart(n, bytes).to - placeOfPart(n, bytes).from,
            0,
          );
          assert.equal(wholeBytes({ parts, bytes: arrivedBytes }), bytes);
        }
      }),
    );
    assert.equal(isWhole([]), false);
  });

  it("that are there go again once, so that another file is found out", () => {
    assert.deepEqual(sendingOrder(3 * PART_BYTES, [2, 3]), { before: [3, 2], others: [1] });
    assert.deepEqual(sendingOrder(3 * PART_BYTES, []), { before: [3], others: [1, 2] });
    assert.deepEqual(sendingOrder(1, []), { before: [1], others: [] });
  });

  it("belong to a file of the same name and size", () => {
    const begun = { name: "a.csv", parts: [1, 3], bytes: PART_BYTES + 10 };
    assert.equal(otherFile({ name: "a.csv", size: 2 * PART_BYTES + 10 }, begun), null);
    assert.equal(otherFile({ name: "b.csv", size: 2 * PART_BYTES + 10 }, begun), "name");
    assert.equal(otherFile({ name: "a.csv", size: 2 * PART_BYTES + 11 }, begun), "size");
    assert.equal(otherFile({ name: "a.csv", size: 5 }, { name: "a.csv", parts: [], bytes: 0 }), null);
  });
});

describe("what becomes of a column", () => {
  const names = ["a", "b", "c", "d"];
  const kinds = fc.constantFrom(...IMPORT_KINDS);

  it("is what a person chose last, and nothing else changes but what only one column can be", () => {
    const steps = fc.array(
      fc.record({ column: fc.constantFrom(...names), pick: fc.nat(), as: fc.constantFrom("x", "y") }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(kinds, steps, (kind, chosen) => {
        let mapping: ColumnMapping = {};
        for (const { column, pick, as } of chosen) {
          const is = MEANINGS[kind][pick % MEANINGS[kind].length] ?? "leftOut";
          const before = mapping;
          mapping = withMeaning(mapping, column, { is, as, type: "number" });
          assert.equal(meaningOf(mapping, column).is, is);
          for (const other of names.filter((name) => name !== column)) {
            const [was, now] = [meaningOf(before, other), meaningOf(mapping, other)];
            if (now.is === "leftOut" && was.is === is) continue;
            assert.deepEqual(now, was, `${other} after ${column} became ${is}`);
          }
        }
        // Each column is named once.
        const listed = [mapping.traits, mapping.props].flatMap((list) =>
          list === undefined || list === "rest" ? [] : list.map(({ column }) => column),
        );
        assert.equal(new Set(listed).size, listed.length);
      }),
    );
  });

  it("is written out where the rest comes along, without what the tool leaves out", () => {
    const mapping: ColumnMapping = { userId: "id", traits: "rest", suppressed: [stop("left")] };
    assert.deepEqual(withoutRest(mapping, columns("id", "plan", "_uid", "left")).traits, [
      { column: "plan", as: "plan", type: "text" },
    ]);
    const listed: ColumnMapping = { userId: "id", traits: [] };
    assert.deepEqual(withoutRest(listed, columns("id", "plan")), listed);
  });

  it("may be one trait for each name in it", () => {
    const mapping = withMeaning({}, "attributes", { is: "eachTrait", as: "attributes", type: "text" });
    assert.deepEqual(mapping.traits, [{ column: "attributes", as: "*", type: "json" }]);
    assert.equal(meaningOf(mapping, "attributes").is, "eachTrait");
    const one = withMeaning(mapping, "attributes", { ...meaningOf(mapping, "attributes"), is: "traits" });
    assert.deepEqual(one.traits, [{ column: "attributes", as: "attributes", type: "json" }]);
  });

  it("is shown of columns within others, too", () => {
    const mapping: ColumnMapping = { userId: "distinct_id", email: "properties.email" };
    assert.deepEqual(columnNames(columns("distinct_id", "properties"), mapping), [
      "distinct_id",
      "properties",
      "properties.email",
    ]);
  });
});

function stop(column: string | null, when: StopRule["when"] = "true"): StopRule {
  return { column, when, reason: "unsubscribed" };
}

describe("what is missing before a file is read", () => {
  const trait = (as: string) => ({ column: as, as, type: "text" as const });

  it("is said, the most important first", () => {
    assert.deepEqual(lackOf("users", {}, {}), { lacks: "userId" });
    assert.equal(lackOf("users", { userId: "id" }, {}), null);
    assert.deepEqual(lackOf("users", { userId: "id" }, { id: "match" }), { lacks: "email" });
    assert.equal(lackOf("users", { email: "email" }, { id: "email" }), null);
    assert.deepEqual(lackOf("events", { userId: "id" }, {}), { lacks: "event" });
    assert.deepEqual(lackOf("events", { userId: "id", event: "e" }, {}), { lacks: "ts" });
    assert.equal(lackOf("events", { userId: "id", event: "e", ts: "t" }, {}), null);
    assert.deepEqual(lackOf("suppressions", { suppressed: [stop("left")] }, {}), { lacks: "email" });
    assert.deepEqual(lackOf("suppressions", { email: "email" }, {}), { lacks: "stops" });
    assert.equal(lackOf("suppressions", { email: "email", suppressed: [stop(null, "always")] }, {}), null);
  });

  it("is a name that is empty or there twice, the address included, and a rule without its texts", () => {
    const users = (mapping: ColumnMapping) => lackOf("users", { userId: "id", ...mapping }, {});
    assert.deepEqual(users({ traits: [trait(" ")] }), { lacks: "name" });
    assert.deepEqual(users({ traits: [trait("plan"), trait("plan")] }), { lacks: "twice", name: "plan" });
    assert.deepEqual(users({ email: "mail", traits: [trait("email")] }), { lacks: "twice", name: "email" });
    assert.equal(users({ traits: [trait("email")] }), null);
    const each = { column: "a", as: "*", type: "json" as const };
    assert.equal(users({ traits: [each, { ...each, column: "b" }] }), null);
    assert.deepEqual(users({ suppressed: [stop("status", [])] }), { lacks: "ruleTexts" });
    assert.deepEqual(users({ suppressed: [stop("")] }), { lacks: "ruleColumn" });
  });

  it("is where those are who left, in a file of users with addresses that does not name all of them", () => {
    const [bare, ruled] = [{ email: "email" }, { email: "email", suppressed: [stop("left")] }];
    assert.equal(needsLeft("users", bare, true, bare), true);
    assert.equal(needsLeft("users", ruled, true, bare), false, "a person has said which lines left");
    assert.equal(needsLeft("users", ruled, true, ruled), true, "the tool never names all");
    assert.equal(needsLeft("users", ruled, false, ruled), false);
    assert.equal(needsLeft("users", bare, false, ruled), true, "the rule was taken away");
    assert.equal(needsLeft("users", { userId: "id" }, true, bare), false);
    assert.equal(needsLeft("events", bare, true, bare), false);
  });
});

const file = (changes: Partial<ImportFile>): ImportFile => ({
  id: "imp_1",
  kind: "users",
  name: "a.csv",
  preset: null,
  state: "waiting",
  isDryRun: false,
  fault: null,
  bytes: 10,
  parts: [1],
  bytesRead: 0,
  lines: 0,
  written: 0,
  known: 0,
  refused: 0,
  reasons: [],
  mapping: null,
  options: {},
  whoLeft: null,
  by: "Ada",
  startedBy: null,
  createdAt: 1,
  startedAt: null,
  endedAt: null,
  ...changes,
});

describe("how far a file is", () => {
  it("is seen by its parts and its state", () => {
    assert.equal(stageOf(file({ parts: [] })), "uploading");
    assert.equal(stageOf(file({ parts: [2] })), "uploading");
    assert.equal(stageOf(file({})), "ready");
    assert.equal(stageOf(file({ state: "running" })), "reading");
    assert.equal(stageOf(file({ state: "done", isDryRun: true })), "ready");
    // What was brought in has no parts any more.
    assert.equal(stageOf(file({ state: "done", parts: [] })), "over");
    for (const state of ["stopped", "failed"] as const) assert.equal(stageOf(file({ state })), "ready");
  });

  it("is looked at often only while something moves", () => {
    const often = lookAgainMs([file({}), file({ state: "running" })]);
    assert.ok(often < lookAgainMs([file({}), file({ state: "done" })]));
    assert.equal(lookAgainMs([file({ parts: [2] })]), often);
  });

  it("is a share that never goes beyond the whole", () => {
    assert.equal(shareRead({ bytes: 10, bytesRead: 5 }), 0.5);
    assert.equal(shareRead({ bytes: 10, bytesRead: 12 }), 1);
    assert.equal(shareRead({ bytes: 0, bytesRead: 0 }), null);
  });

  it("decides whether another file may name it for those who left", () => {
    assert.equal(bringsStops(file({ state: "done", kind: "suppressions" })), true);
    assert.equal(bringsStops(file({ state: "done", kind: "suppressions", isDryRun: true })), false);
    assert.equal(bringsStops(file({ state: "done", mapping: { suppressed: [stop("left")] } })), true);
    assert.equal(bringsStops(file({ state: "done", mapping: {} })), false);
    assert.equal(bringsStops(file({ state: "stopped", kind: "suppressions" })), false);
  });
});

it("the kind of a file is one that there is, whatever the address says", () => {
  assert.deepEqual([{}, { kind: "events" }, { kind: "suppressions" }, { kind: "toString" }].map(kindIn), [
    "users",
    "events",
    "suppressions",
    "users",
  ]);
});

it("a warning names fields as the page has them", () => {
  assert.equal(
    warningText("No column says when: name it as mapping.ts."),
    "No column says when: choose it below.",
  );
  assert.match(
    warningText("The address becomes the id. Set options.id to match for users who are known already."),
    /becomes the id\. Choose “the user who has the address already” below/,
  );
  assert.equal(warningText("Mailchimp writes three files."), "Mailchimp writes three files.");
});

it("plans are the same in whatever order their keys stand", () => {
  assert.ok(isSame({ a: 1, b: [{ c: 1, d: 2 }] }, { b: [{ d: 2, c: 1 }], a: 1 }));
  assert.ok(!isSame({ a: [1, 2] }, { a: [2, 1] }));
  assert.ok(!isSame({ a: 1 }, { a: 1, b: null }));
});

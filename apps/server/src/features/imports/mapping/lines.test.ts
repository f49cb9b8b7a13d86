import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ImportMapping } from "../schema.ts";
import { csvFile, EVENTS, faultsOf, NOW, objectsFile, one, readLines, USERS } from "./files.test-data.ts";

const DAY_MS = 86_400_000;

const FORMS =
  "2026-01-31T09:00:00Z, 2026-01-31 09:00:00, 2026-01-31, or epoch seconds, milliseconds or microseconds";

describe("a line of users", () => {
  const cases: readonly [string, Readonly<Record<string, unknown>>, string][] = [
    ["no id", { id: " " }, "missing: id is empty: the line names no user."],
    [
      "the id of no user",
      { id: "NaN" },
      'user_id: id must be the id of one user: "NaN" is what programs write where they know none.',
    ],
    ["a long id", { id: "x".repeat(257) }, "user_id: id must be at most 256 characters."],
    [
      "an id with a NUL",
      { id: "a\0b" },
      "user_id: id has a NUL character or half of a surrogate pair, which cannot be stored.",
    ],
    [
      "an id that is an object",
      { id: {} },
      "user_id: id is neither a text nor a whole number that can be kept exactly.",
    ],
    [
      "an id that was rounded",
      { id: 2 ** 53 },
      "user_id: id is neither a text nor a whole number that can be kept exactly.",
    ],
    ["a broken address", { id: "u1", email: "ada@" }, "address: email is not an email address."],
    [
      "an American date",
      { id: "u1", seen: "01/31/2026" },
      `time: seen is not a time that can be read, such as ${FORMS}.`,
    ],
    ["an instant ahead", { id: "u1", seen: "2026-11-28T00:00:00.001Z" }, "future: seen lies in the future."],
    ["an instant before 1970", { id: "u1", seen: "1969-12-31" }, "too_early: seen lies before 1970."],
    ["no number", { id: "u1", a: "007" }, "number: a is not a number that can be kept exactly."],
    ["neither true nor false", { id: "u1", b: "maybe" }, "boolean: b is neither true nor false."],
  ];
  const mapping = { ...USERS, traits: [one("a", "number"), one("b", "boolean")] };
  for (const [name, fields, text] of cases)
    it(`is refused for ${name}`, () => assert.deepEqual(faultsOf("users", mapping, fields), [text]));

  const json: readonly [unknown, string][] = [
    ['{"a":', "json: a is not JSON."],
    ['{"a":12345678901234567890}', "number: a has a number that cannot be kept exactly: write it as a text."],
    ["[".repeat(80) + "]".repeat(80), "too_deep: a is nested deeper than 64 levels."],
    [`["${"x".repeat(70_000)}"]`, "too_large: a is over 4096 bytes as JSON."],
    ['["\\u0000"]', "characters: a has a NUL character or half of a surrogate pair, which cannot be stored."],
    [
      '{"\\ud800":1}',
      "characters: a has a NUL character or half of a surrogate pair, which cannot be stored.",
    ],
  ];
  for (const [cell, text] of json)
    it(`is refused for JSON such as ${String(cell).slice(0, 30)}`, () =>
      assert.deepEqual(
        faultsOf("users", { userId: "id", traits: [one("a", "json")] }, { id: "u1", a: cell }),
        [text],
      ));

  it("is refused for texts that cannot be stored, and for more than 4,096 bytes", () => {
    const traits = [one("a", "text"), one("b", "text")];
    assert.deepEqual(faultsOf("users", { userId: "id", traits }, { id: "u1", a: "\ud800", b: "\0" }), [
      "characters: a has a NUL character or half of a surrogate pair, which cannot be stored.",
      "characters: b has a NUL character or half of a surrogate pair, which cannot be stored.",
    ]);
    const sized = (b: string) =>
      faultsOf("users", { userId: "id", traits }, { id: "u1", a: "ä".repeat(1_000), b });
    // {"a":"…","b":"…"} are 15 bytes beside the texts.
    assert.deepEqual(sized("x".repeat(2_081)), []);
    assert.deepEqual(sized("x".repeat(2_082)), [
      "too_large: The traits come to more than 4096 bytes as JSON.",
    ]);
  });

  it("names all that is wrong with it", () => {
    assert.deepEqual(faultsOf("users", mapping, { id: "", email: "x", seen: "x" }).length, 3);
  });

  it("says who gets no mail, even where it is refused", () => {
    const suppressed = [{ column: "left", when: "true", reason: "unsubscribed" } as const];
    const file = csvFile(
      "id,email,seen,left\nu1,ada@example.org,x,yes\nu2,bob@example.org,x,no\n,ada@,x,yes\n",
    );
    const lines = readLines("users", file, { ...USERS, suppressed });
    const stop = { address: "ada@example.org", reason: "unsubscribed", at: null };
    assert.deepEqual(
      lines.map((line) => ("faults" in line ? [line.faults.length, line.stop] : line)),
      [
        [1, stop],
        [1, undefined],
        [3, undefined],
      ],
    );
  });

  it("is about the user of an address, where options say so", () => {
    const read = (id: "email" | "match") =>
      readLines("users", csvFile('email\n Ada@Bücher.example \n""\n'), { email: "email" }, { id });
    const traits = '{"email":"Ada@Bücher.example"}';
    const missing = {
      faults: [{ field: "email", rule: "missing", text: "email has no address: the line names no user." }],
    };
    const line = { kind: "users", traits, firstSeenAt: null, stop: null };
    assert.deepEqual(read("email"), [
      { read: { ...line, user: { id: "ada@xn--bcher-kva.example" } } },
      missing,
    ]);
    assert.deepEqual(read("match"), [
      { read: { ...line, user: { withAddress: "Ada@xn--bcher-kva.example" } } },
      missing,
    ]);
  });

  it("reads cells as its mapping says", () => {
    const file = csvFile('id,n,b,t,j,d,e\n 7 ,19.90,Yes," x ","[1, 2]",2024-07-01 10:00:00,\n');
    const traits = [
      one("n", "number"),
      one("b", "boolean"),
      one("t", "text"),
      one("j", "json", "list"),
      one("d", "time"),
      one("e", "number"),
    ];
    const [line] = readLines("users", file, { userId: "id", traits }, { timeZone: "Europe/Berlin" });
    assert.ok(line && "read" in line && line.read.kind === "users");
    assert.deepEqual(line.read.user, { id: "7" });
    const expected = { n: 19.9, b: true, t: " x ", list: [1, 2], d: Date.UTC(2024, 6, 1, 8) };
    assert.deepEqual(JSON.parse(line.read.traits), expected);
  });

  it("keeps the types of a file that has some", () => {
    const given = {
      id: 7,
      text: "",
      n: 1.5,
      big: 2n ** 60n,
      small: 7n,
      o: { a: null },
      d: new Date(0),
      none: null,
      nan: Number.NaN,
    };
    const file = objectsFile([given], "parquet");
    const [line] = readLines("users", file, { userId: "id", traits: "rest" });
    assert.ok(line && "read" in line && line.read.kind === "users");
    assert.deepEqual(JSON.parse(line.read.traits), {
      text: "",
      n: 1.5,
      big: "1152921504606846976",
      small: 7,
      o: { a: null },
      d: "1970-01-01T00:00:00.000Z",
    });
  });

  it("is refused for a number of JSON that was rounded, wherever it stands", () => {
    const rounded = "number: a has a number that cannot be kept exactly: write it as a text.";
    for (const a of [2 ** 53, [{ n: -(2 ** 60) }]])
      assert.deepEqual(faultsOf("users", { userId: "id", traits: [one("a", "text")] }, { id: "u1", a }), [
        rounded,
      ]);
    const mapping = { userId: "id", traits: [one("a.set", "json", "*")] };
    assert.deepEqual(faultsOf("users", mapping, { id: "u1", a: '{"set":{"n":9007199254740993}}' }), [
      "number: a.set.n has a number that cannot be kept exactly: write it as a text.",
    ]);
  });

  it("reads keys of objects, of which a column of its own counts before the others", () => {
    const file = objectsFile([
      {
        user: { id: "u1", plan: "free", email: "ada@example.org" },
        more: '{"plan":"x","seats":3}',
        plan: "pro",
      },
      { user: { id: "u2", email: "ada" }, more: null, plan: null },
      { user: { id: "u3" }, more: "[1]", plan: null },
    ]);
    const spread = [one("user", "json", "*"), one("more", "json", "*"), one("plan", "text")];
    const mapping: ImportMapping = {
      userId: "user.id",
      traits: spread,
      suppressed: [{ column: null, when: "always", reason: "manual" }],
    };
    const [first, ...others] = readLines("users", file, mapping);
    assert.ok(first && "read" in first && first.read.kind === "users");
    assert.equal(first.read.traits, '{"plan":"pro","id":"u1","email":"ada@example.org","seats":3}');
    assert.deepEqual(first.read.stop, { address: "ada@example.org", reason: "manual", at: null });
    assert.deepEqual(others, [
      { faults: [{ field: "email", rule: "address", text: "email is not an email address." }] },
      { faults: [{ field: "more", rule: "json", text: "more is not a JSON object." }] },
    ]);
  });
});

describe("a line of events", () => {
  const fine = { id: "u1", event: "paid", ts: "2026-11-01T10:00:00Z", key: "m1" };
  const cases: readonly [string, Readonly<Record<string, unknown>>, string][] = [
    ["no name", { event: "" }, "missing: event is empty: the line names no event."],
    ["a long name", { event: "x".repeat(81) }, "text: event must be at most 80 characters."],
    ["a name that is none", { event: [] }, "text: event is neither a text nor a whole number."],
    ["no time", { ts: undefined }, "missing: ts is empty: the line does not say when."],
    [
      "a mail's date",
      { ts: "Sun, 01 Nov 2026 10:00:00 GMT" },
      `time: ts is not a time that can be read, such as ${FORMS}.`,
    ],
    ["a time ahead", { ts: NOW + 1 }, "future: ts lies in the future."],
    ["ten years", { ts: NOW - 3_650 * DAY_MS - 1 }, "too_old: ts is more than 3650 days ago."],
    ["a long id", { key: "x".repeat(129) }, "text: key must be at most 128 characters."],
    [
      "an id with a NUL",
      { key: "\0" },
      "text: key has a NUL character or half of a surrogate pair, which cannot be stored.",
    ],
    ["no user", { id: null }, "missing: id is empty: the line names no user."],
  ];
  for (const [name, fields, text] of cases)
    it(`is refused for ${name}`, () =>
      assert.deepEqual(faultsOf("events", EVENTS, { ...fine, ...fields }), [text]));

  it("is refused where its project keeps no events of that age", () => {
    const at = (ts: number) => faultsOf("events", EVENTS, { ...fine, ts }, { keptDays: 90 });
    assert.deepEqual(at(NOW - 90 * DAY_MS), []);
    assert.deepEqual(at(NOW - 90 * DAY_MS - 1), [
      "too_old: ts is more than 90 days ago, and events are kept for that long.",
    ]);
    assert.deepEqual(faultsOf("events", EVENTS, { ...fine, ts: NOW - 3_650 * DAY_MS }), []);
  });

  it("is refused for properties of more than 4,096 bytes", () => {
    const mapping = { ...EVENTS, props: [one("a", "text")] };
    assert.deepEqual(faultsOf("events", mapping, { ...fine, a: "x".repeat(4_089) }), [
      "too_large: The properties come to more than 4096 bytes as JSON.",
    ]);
    assert.deepEqual(faultsOf("events", mapping, { ...fine, a: "x".repeat(4_088) }), []);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { parseAddress } from "../../email/addresses/rules.ts";
import type { FileFormat, ImportMapping, ImportOptions } from "../schema.ts";
import { compileMapping, MappingFault } from "./compile.pure.ts";
import { csvFile, EVENTS, faultsOf, NOW, objectsFile, one, readLines, USERS } from "./files.test-data.ts";
import { guessMapping } from "./guess.pure.ts";
import { FILE_SHAPES } from "./presets.pure.ts";
import { addressParser } from "./subjects.pure.ts";

describe("who gets no mail", () => {
  const stopOf = (rules: ImportMapping["suppressed"], a: unknown, b: unknown = "") => {
    const file = objectsFile([{ email: "ada@example.org", a, b }]);
    const [line] = readLines("suppressions", file, { email: "email", suppressed: rules });
    return line && "read" in line && line.read.kind === "suppressions" ? line.read.stop : "refused";
  };
  const stop = (reason: string, at: number | null = null) => ({ address: "ada@example.org", reason, at });

  it("follows the first rule that applies", () => {
    const rules: ImportMapping["suppressed"] = [
      { column: "a", when: "true", reason: "bounced" },
      { column: "a", when: ["Left", "gone"], reason: "complained" },
      { column: "a", when: "negative", reason: "manual" },
      { column: "b", when: "given", reason: "unsubscribed", at: "b" },
    ];
    for (const yes of [true, 1, "T", "yes", " y ", "1", "TRUE"])
      assert.deepEqual(stopOf(rules, yes), stop("bounced"));
    assert.deepEqual(stopOf(rules, " left "), stop("complained"));
    for (const below of [-2, "-2", "-0.5"]) assert.deepEqual(stopOf(rules, below), stop("manual"));
    for (const no of [false, 0, "f", "no", "", null, "0", {}]) assert.equal(stopOf(rules, no), null);
    assert.deepEqual(stopOf(rules, "", "2024-01-01"), stop("unsubscribed", Date.UTC(2024, 0, 1)));
  });

  it("does not depend on an instant that cannot be read, or lies ahead", () => {
    const rules: ImportMapping["suppressed"] = [{ column: "b", when: "given", reason: "manual", at: "b" }];
    for (const at of ["x", "2099-01-01", "1950-01-01"])
      assert.deepEqual(stopOf(rules, "", at), stop("manual"));
  });
});

describe("a mapping is refused", () => {
  const { format } = csvFile("id,email,event,ts,a\n");
  const compile = (
    kind: "users" | "events" | "suppressions",
    mapping: ImportMapping,
    options: ImportOptions = {},
  ) => compileMapping({ kind, mapping, options, format, preset: null, now: NOW, keptDays: null });
  const always = { column: null, when: "always", reason: "manual" } as const;
  const cases: readonly [Parameters<typeof compile>, string][] = [
    [
      ["users", {}],
      "mapping.userId is missing: name the column of the user's id, or set options.id to email or match.",
    ],
    [["users", { userId: "uid" }], "mapping.userId names no column of the file: uid."],
    [
      ["users", { userId: "id" }, { id: "email" }],
      "mapping.email is missing: options.id is email, which takes the column of the address.",
    ],
    [["users", { userId: "id", event: "event" }], "mapping.event does not belong to a file of users."],
    [
      ["users", { userId: "id", traits: [one("b", "text")] }],
      "mapping.traits[0].column names no column of the file: b.",
    ],
    [
      ["users", { userId: "id", traits: [one("a", "text"), one("ts", "text", "a")] }],
      "mapping.traits[1].as is there twice: a.",
    ],
    [
      ["users", { userId: "id", traits: [one("a", "text", "*")] }],
      "mapping.traits[0].type must be json where it is called *.",
    ],
    [
      ["users", { userId: "id", email: "email", traits: [one("a", "text", "email")] }],
      "mapping.traits[0].as must not be email, which mapping.email is.",
    ],
    [
      ["users", { userId: "id", traits: [one("a", "text", "\0")] }],
      "mapping.traits has a name that cannot be stored.",
    ],
    [
      ["users", { userId: "id", suppressed: [{ ...always, when: "true" }] }],
      "mapping.suppressed[0].column must be null with always, and only then.",
    ],
    [
      ["users", { userId: "id", suppressed: [{ column: "b", when: "true", reason: "manual" }] }],
      "mapping.suppressed[0].column names no column of the file: b.",
    ],
    [
      ["users", { userId: "id" }, { timeZone: "Middle/Earth" }],
      "options.timeZone is not an IANA time zone: Middle/Earth.",
    ],
    [
      ["events", { userId: "id", ts: "ts" }],
      "mapping.event is missing: name the column that says what the user did.",
    ],
    [["events", { userId: "id", event: "event" }], "mapping.ts is missing: name the column that says when."],
    [
      ["events", { userId: "id", event: "event", ts: "ts", traits: "rest" }],
      "mapping.traits must be a list in a file of events.",
    ],
    [["suppressions", { suppressed: [always] }], "mapping.email is missing: name the column of the address."],
    [
      ["suppressions", { email: "email" }],
      "mapping.suppressed is missing: say which lines are about an address that gets no mail.",
    ],
    [
      ["suppressions", { email: "email", suppressed: [always], userId: "id" }],
      "mapping.userId does not belong to a file of suppressions.",
    ],
  ];
  for (const [given, message] of cases)
    it(message, () =>
      assert.throws(
        () => compile(...given),
        (error) => error instanceof MappingFault && error.message === message,
      ),
    );
});

it("a record that cannot be read keeps its fault", () => {
  const { format } = csvFile("id\n");
  const read = compileMapping({
    kind: "users",
    mapping: { userId: "id" },
    options: {},
    format,
    preset: null,
    now: NOW,
    keptDays: null,
  });
  const fault = { field: "", rule: "quote", text: "A quote does not end." };
  assert.deepEqual(read({ line: 3, fault }), { faults: [fault] });
});

describe("any record", () => {
  const columns = ["id", "email", "seen", "event", "ts", "key", "a", "b"];
  const cell = fc.oneof(
    fc.anything({
      withBigInt: true,
      withDate: true,
      withTypedArray: true,
      withMap: true,
      withSet: true,
      withNullPrototype: true,
      withSparseArray: true,
    }),
    fc.string({ unit: "binary" }),
    fc.constantFrom(
      "ada@example.org",
      "u1",
      "2024-01-01",
      "{}",
      '{"a":1}',
      "1",
      "true",
      "\ud800",
      "[".repeat(5_000),
    ),
  );
  const typed = fc.constantFrom("text", "number", "boolean", "time", "json");
  const record = fc.dictionary(fc.constantFrom(...columns), cell);

  it("is read or refused with a sentence, and what is read can be stored", () => {
    fc.assert(
      fc.property(
        record,
        typed,
        fc.boolean(),
        fc.constantFrom("csv", "ndjson", "parquet"),
        (fields, type, isSpread, format) => {
          const named = [one("a", type), isSpread ? one("b", "json", "*") : one("b", type)];
          const stop = [{ column: "a", when: "true", reason: "manual", at: "b" } as const];
          const mappings = [
            ["users", { ...USERS, traits: named, suppressed: stop }],
            ["events", { ...EVENTS, props: named }],
            ["suppressions", { email: "email", suppressed: stop }],
          ] as const;
          for (const [kind, mapping] of mappings) {
            const given = { isGzip: false, delimiter: null, columns, format };
            const options = { timeZone: "Europe/Berlin" };
            const line = compileMapping({
              kind,
              mapping,
              options,
              format: given,
              preset: null,
              now: NOW,
              keptDays: 90,
            })({ line: 1, fields });
            if ("faults" in line) {
              assert.ok(line.faults.length > 0);
              for (const { text, rule } of line.faults) assert.match(`${rule} ${text}`, /^[a-z_]+ .+\.$/s);
            } else if (line.read.kind !== "suppressions") {
              const json = line.read.kind === "users" ? line.read.traits : (line.read.props ?? "{}");
              assert.ok(Buffer.byteLength(json) <= 4_096);
              // Keys that are numbers come first once they are parsed, so that only the length is the same.
              assert.equal(JSON.stringify(JSON.parse(json)).length, json.length);
              assert.doesNotMatch(json, /(?<!\\)(?:\\\\)*\\u0000/);
            }
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it("of a tool is read or refused as well", () => {
    const shapes = FILE_SHAPES.flatMap(({ writer, kinds, ...shape }) =>
      kinds.map((kind) => {
        const { recognizedBy, userId, email, firstSeenAt, event, ts, spread, only, suppressed, line } = shape;
        const more = [userId, email, firstSeenAt, event, ts, spread, only].flatMap((names) => names ?? []);
        const habits = [line?.emailIf?.column, line?.skips?.column].flatMap((column) => column ?? []);
        const rules = suppressed.flatMap(({ column }) => column ?? []);
        const all = [...recognizedBy.flat(), ...more, ...habits, ...rules];
        return { kind, writer, columns: [...new Set(all.filter((name) => !name.includes(".")))] };
      }),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...shapes),
        fc.array(cell, { maxLength: 20 }),
        ({ kind, writer, columns }, cells) => {
          const fields = Object.fromEntries(columns.map((column, index) => [column, cells[index]]));
          const format: FileFormat = { format: "ndjson", isGzip: false, delimiter: null, columns };
          const record = { line: 1, fields };
          const { mapping, options, preset } = guessMapping(kind, format, [record], null);
          assert.equal(preset ?? "tidings", writer);
          if (kind === "suppressions" && mapping.suppressed === undefined) return;
          const read = compileMapping({ kind, mapping, options, format, preset, now: NOW, keptDays: null });
          const line = read(record);
          assert.ok("read" in line || line.faults.length > 0);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it("does not fail for JSON that no stack can write", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 200_000; level++) deep = [deep];
    const file = objectsFile([{ id: "u1", a: deep }]);
    const circular: Record<string, unknown> = { id: "u2" };
    circular.a = circular;
    const texts = [...readLines("users", file, { userId: "id", traits: [one("a", "json")] })];
    assert.deepEqual(texts, [
      { faults: [{ field: "a", rule: "too_deep", text: "a is nested deeper than 64 levels." }] },
    ]);
    assert.deepEqual(faultsOf("users", { userId: "id", traits: [one("a", "json")] }, circular), [
      "too_deep: a is nested deeper than 64 levels.",
    ]);
  });
});

it("an address is read as mail reads it", () => {
  const parse = addressParser();
  const part = fc.constantFrom(
    "a",
    "B",
    ".",
    "+",
    "é",
    "ü",
    "-",
    "_",
    "'",
    " ",
    "@",
    "x".repeat(40),
    "example",
    ".org",
    "1",
  );
  const text = fc.array(part, { maxLength: 9 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, text, (local, domain) => {
      const written = `${local}@${domain}`;
      assert.equal(parse(written), parseAddress(written)?.address ?? null);
      assert.equal(parse(`a@${domain}.org`), parseAddress(`a@${domain}.org`)?.address ?? null);
    }),
    { numRuns: 2_000 },
  );
});

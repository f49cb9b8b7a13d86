import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { ImportMapping, ImportOptions } from "../schema.ts";
import { csvFile, objectsFile, readGuessed, readLines } from "./files.test-data.ts";
import { guessMapping, resolveRest } from "./guess.pure.ts";

describe("a guess", () => {
  it("finds users by names and values", () => {
    const file = csvFile(
      [
        "E-Mail,Customer ID,Signup Date,Opted Out,PLZ,visits,is_pro,meta,mixed,big,price",
        'ada@example.org,7,2024-01-01,no,01067,7,true,"{""a"":1}",1,12345678901234567890,1.50',
        "bob@example.org,8,2024-01-02 10:00:00,yes,10001,9,FALSE,[],x,1,2.25",
      ].join("\n"),
    );
    const { columns, ...found } = guessMapping("users", file.format, file.records, null);
    assert.deepEqual(found, {
      preset: null,
      mapping: {
        userId: "Customer ID",
        email: "E-Mail",
        firstSeenAt: "Signup Date",
        suppressed: [{ column: "Opted Out", when: "true", reason: "unsubscribed" }],
        traits: [
          { column: "PLZ", as: "PLZ", type: "text" },
          { column: "visits", as: "visits", type: "number" },
          { column: "is_pro", as: "is_pro", type: "boolean" },
          { column: "meta", as: "meta", type: "json" },
          { column: "mixed", as: "mixed", type: "text" },
          { column: "big", as: "big", type: "text" },
          { column: "price", as: "price", type: "text" },
        ],
      },
      options: { id: "column" },
      warnings: [],
      knowsStops: true,
    });
    assert.deepEqual(
      columns.slice(0, 6).map(({ guess }) => guess),
      [
        "The user's address, the trait email",
        "The user's id",
        "When the user was first seen",
        "Says who gets no mail: unsubscribed",
        "The trait PLZ, a text",
        "The trait visits, a number",
      ],
    );
    assert.deepEqual(columns[0]?.samples, ["ada@example.org", "bob@example.org"]);
  });

  it("finds events, in several spellings", () => {
    const spellings = [
      ["user_id", "event", "timestamp", "message_id"],
      ["userId", "event_name", "ts", "eventId"],
      ["external_id", "Event Type", "occurred_at", "uuid"],
      ["customer_id", "name", "time", "id"],
    ] as const;
    for (const [userId, event, ts, eventId] of spellings) {
      const file = csvFile(`${userId},${event},${ts},${eventId},sku\nu1,paid,1790000000,m1,007`);
      const { mapping, options } = guessMapping("events", file.format, file.records, null);
      const props = [{ column: "sku", as: "sku", type: "text" }];
      assert.deepEqual([mapping, options], [{ userId, event, ts, eventId, props }, { id: "column" }]);
    }
  });

  it("takes objects of properties apart, and keeps types of JSON", () => {
    const file = objectsFile([
      {
        userId: "u1",
        event: "paid",
        ts: 1790000000000,
        properties: { amount: 3, note: "" },
        n: "7",
        tags: ["a"],
        b: true,
      },
      { userId: "u1", event: "paid", ts: 1790000000000, properties: {}, n: "8", tags: null, b: null },
    ]);
    const { mapping } = guessMapping("events", file.format, file.records, null);
    assert.deepEqual(mapping.props, [
      { column: "properties", as: "*", type: "json" },
      { column: "n", as: "n", type: "text" },
      { column: "tags", as: "tags", type: "json" },
      { column: "b", as: "b", type: "boolean" },
    ]);
    const [first] = readGuessed("events", file);
    assert.ok(first && "read" in first && first.read.kind === "events");
    assert.deepEqual(JSON.parse(first.read.props ?? ""), {
      amount: 3,
      note: "",
      n: "7",
      tags: ["a"],
      b: true,
    });
  });

  it("takes the address for an id where there is none, and says so", () => {
    const users = csvFile("mail,plan\nada@example.org,pro");
    const ofUsers = guessMapping("users", users.format, users.records, null);
    assert.deepEqual(ofUsers.options, { id: "email" });
    assert.equal(ofUsers.knowsStops, false);
    assert.deepEqual(ofUsers.warnings, [
      "No column has the user's id, so the address becomes the id. Set options.id to match for users who are known already.",
    ]);
    const events = csvFile("mail,event,ts\nada@example.org,paid,1790000000");
    const ofEvents = guessMapping("events", events.format, events.records, null);
    assert.deepEqual(ofEvents.options, { id: "match" });
    assert.deepEqual(ofEvents.warnings, [
      "No column has the user's id: a line is about the one user who has its address.",
    ]);
  });

  it("finds addresses by their values, and no postal ones", () => {
    const file = csvFile("id,address,contact\nu1,1 Main St,ada@example.org");
    assert.equal(guessMapping("users", file.format, file.records, null).mapping.email, "contact");
  });

  it("says which times it cannot read", () => {
    const file = csvFile("id,created_at\nu1,01/02/2024");
    const { mapping, warnings } = guessMapping("users", file.format, file.records, null);
    assert.equal(mapping.firstSeenAt, undefined);
    assert.deepEqual(warnings, ["The times of created_at cannot be read, at least not all."]);
    const events = csvFile("user,at\nu1,now");
    assert.deepEqual(guessMapping("events", events.format, events.records, null).warnings, [
      "No column has the user's id: name it as mapping.userId.",
      "The times of at cannot be read, at least not all.",
      "No column says what the user did: name it as mapping.event.",
      "No column says when: name it as mapping.ts.",
    ]);
  });

  it("takes the word of people for the tool, and says where that does not fit", () => {
    const file = csvFile("id,email,unsubscribed\nu1,ada@example.org,true");
    const found = guessMapping("users", file.format, file.records, "customerio");
    assert.equal(found.preset, "customerio");
    assert.equal(found.mapping.userId, "id");
    assert.deepEqual(found.warnings, ["The columns are not those of a file of customerio."]);
    const events = csvFile("user_id,event,ts\nu1,paid,1790000000");
    const ofEvents = guessMapping("events", events.format, events.records, "listmonk");
    assert.equal(ofEvents.mapping.event, "event");
    assert.deepEqual(ofEvents.warnings, [
      "No file of events is known of listmonk: the columns were guessed.",
    ]);
  });

  it("cuts samples, and shows three", () => {
    const file = csvFile(`id,text\n${[1, 2, 3, 4].map((n) => `u${n},${String(n).repeat(200)}`).join("\n")}`);
    const samples = guessMapping("users", file.format, file.records, null).columns[1]?.samples ?? [];
    assert.deepEqual(
      samples,
      ["1", "2", "3"].map((digit) => `${digit.repeat(79)}…`),
    );
  });
});

describe("who gets no mail", () => {
  const rules = (header: string, ...cells: string[]) => {
    const file = csvFile(
      `id,email,${header}\n${cells.map((cell, n) => `u${n},a${n}@example.org,${cell}`).join("\n")}`,
    );
    return guessMapping("users", file.format, file.records, null).mapping.suppressed;
  };
  const unsubscribed = { reason: "unsubscribed" } as const;

  it("is found by names and values", () => {
    assert.deepEqual(rules("unsubscribed", "true", "false"), [
      { column: "unsubscribed", when: "true", ...unsubscribed },
    ]);
    assert.deepEqual(rules("hasOptedOutOfEmail", "1", "0"), [
      { column: "hasOptedOutOfEmail", when: "true", ...unsubscribed },
    ]);
    assert.deepEqual(rules("Unsubscribed At", "", "2024-01-01"), [
      { column: "Unsubscribed At", when: "given", ...unsubscribed, at: "Unsubscribed At" },
    ]);
    assert.deepEqual(rules("subscribed", "yes", "no"), [
      { column: "subscribed", when: ["false", "f", "no", "n", "0"], ...unsubscribed },
    ]);
    assert.deepEqual(rules("bounced", "t", "f"), [{ column: "bounced", when: "true", reason: "bounced" }]);
    assert.deepEqual(
      rules("status", "active", "Unsubscribed")?.map(({ reason }) => reason),
      ["unsubscribed", "bounced", "complained", "manual"],
    );
    assert.equal(rules("status", "active", "trial"), undefined);
    assert.equal(rules("unsubscribed", "never", "news"), undefined);
  });

  it("is each address of a plain list", () => {
    const file = csvFile("email,date\nada@example.org,2024-01-01\nbob@example.org,");
    assert.deepEqual(readGuessed("suppressions", file), [
      {
        read: {
          kind: "suppressions",
          stop: { address: "ada@example.org", reason: "unsubscribed", at: Date.UTC(2024, 0) },
        },
      },
      {
        read: {
          kind: "suppressions",
          stop: { address: "bob@example.org", reason: "unsubscribed", at: null },
        },
      },
    ]);
  });

  it("has its reason, where a list has reasons", () => {
    const file = csvFile("email,reason\na@example.org,Hard_Bounce\nb@example.org,spam\nc@example.org,GDPR");
    assert.deepEqual(
      readGuessed("suppressions", file).map(
        (line) => "read" in line && line.read.kind === "suppressions" && line.read.stop?.reason,
      ),
      ["bounced", "complained", "manual"],
    );
  });
});

it("what is left of a file is written out, with types", () => {
  const file = csvFile("id,email,n,zip\nu1,ada@example.org,7,01067");
  const given = { userId: "id", email: "email", traits: "rest" } as const;
  const mapping = resolveRest("users", given, file.format, file.records, null);
  const n = { column: "n", as: "n", type: "number" };
  assert.deepEqual(mapping.traits, [n, { column: "zip", as: "zip", type: "text" }]);
  const [line] = readLines("users", file, given);
  assert.ok(line && "read" in line && line.read.kind === "users");
  assert.equal(line.read.traits, '{"email":"ada@example.org","n":"7","zip":"01067"}');
});

it("a guess of any file is a mapping", () => {
  const names = [
    "id",
    "email",
    "event",
    "ts",
    "a.b",
    "traits",
    "properties",
    "unsubscribed",
    "reason",
    "LEID",
    "cio_id",
    "",
    "__proto__",
  ];
  const value = fc.oneof(
    fc.string(),
    fc.constantFrom("true", "1", "{}", "a@example.org", "2024-01-01"),
    fc.jsonValue(),
    fc.bigInt(),
    fc.date(),
  );
  const object = fc.dictionary(fc.constantFrom(...names), value);
  const kinds = fc.constantFrom("users", "events", "suppressions");
  fc.assert(
    fc.property(
      kinds,
      fc.array(object, { maxLength: 5 }),
      fc.constantFrom("ndjson", "parquet"),
      (kind, objects, format) => {
        const file = objectsFile(objects, format);
        const found = guessMapping(kind, file.format, file.records, null);
        assert.deepEqual(ImportMapping.parse(found.mapping), found.mapping);
        assert.deepEqual(ImportOptions.parse(found.options), found.options);
        assert.equal(found.columns.length, file.format.columns.length);
      },
    ),
    { numRuns: 300 },
  );
});

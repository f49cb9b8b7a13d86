import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { csvRow } from "@tidings/client/csv";
import fc from "fast-check";
import { csvFile, objectsFile, readGuessed } from "./files.test-data.ts";
import { guessMapping } from "./guess.pure.ts";

describe("lists of Tidings", () => {
  const at = "2024-01-01T10:00:00.000Z";
  const traits = {
    email: "ada@example.org",
    plan: "=1+1",
    note: "a;=b\n-c 'd'",
    seats: 3,
    tags: ["x"],
    old: true,
  };

  it("come back as tables", () => {
    const names = ["id", "externalUserId", "firstSeenAt", "lastSeenAt"];
    const columns = [
      "traits.email",
      "traits.plan",
      "traits.note",
      "traits.seats",
      "traits.tags",
      "otherTraits",
    ];
    const { email, plan, note, seats, tags, old } = traits;
    const cells = ["eu_1", "-ada", at, at, email, plan, note, seats, tags, { old }];
    const file = csvFile(csvRow([...names, ...columns]) + csvRow(cells));
    const found = guessMapping("users", file.format, file.records, null);
    assert.equal(found.preset, null);
    assert.equal(found.knowsStops, false);
    const [line] = readGuessed("users", file);
    assert.ok(line && "read" in line && line.read.kind === "users");
    assert.deepEqual(JSON.parse(line.read.traits), traits);
    assert.deepEqual([line.read.user, line.read.firstSeenAt], [{ id: "-ada" }, Date.parse(at)]);
  });

  it("come back from objects, with their types", () => {
    const file = objectsFile([
      {
        id: "eu_1",
        externalUserId: " 007",
        traits: { ...traits, zip: "01067", empty: "" },
        firstSeenAt: Date.parse(at),
        lastSeenAt: 1,
      },
    ]);
    const [line] = readGuessed("users", file);
    assert.ok(line && "read" in line && line.read.kind === "users");
    assert.deepEqual(JSON.parse(line.read.traits), { ...traits, zip: "01067", empty: "" });
    assert.deepEqual(line.read.user, { id: " 007" });
    const events = objectsFile([
      {
        id: "ev_1",
        name: "paid",
        props: { amount: 3, none: null },
        ts: Date.parse(at),
        endUserId: "eu_1",
        externalUserId: "ada",
      },
      { id: "ev_2", name: "left", props: null, ts: Date.parse(at), endUserId: "eu_1", externalUserId: "ada" },
    ]);
    const event = { kind: "events", user: { id: "ada" }, ts: Date.parse(at), traits: null };
    assert.deepEqual(readGuessed("events", events), [
      { read: { ...event, name: "paid", eventId: "ev_1", props: '{"amount":3,"none":null}' } },
      { read: { ...event, name: "left", eventId: "ev_2", props: null } },
    ]);
  });

  it("come back with their reasons", () => {
    const file = csvFile(
      csvRow([
        "address",
        "reason",
        "suppressedAt",
        "by",
        "campaignId",
        "campaignName",
        "endUserId",
        "externalUserId",
        "receiptsStoppedBy",
        "receiptsStoppedAt",
      ]) +
        csvRow(["ada@example.org", "complained", at, null, "cmp_1", "Hello", "eu_1", "ada", null, null]) +
        csvRow(["", "bounced", at, null, null, null, null, null, "bounced", at]) +
        // Of whom only receipts are stopped: the file says so by a reason that is empty.
        csvRow(["ben@example.org", null, null, null, "cmp_2", "Bill", "eu_2", "ben", "complained", at]),
    );
    assert.deepEqual(readGuessed("suppressions", file), [
      {
        read: {
          kind: "suppressions",
          stop: { address: "ada@example.org", reason: "complained", at: Date.parse(at) },
        },
      },
      {
        faults: [{ field: "address", rule: "missing", text: "address is empty: the line names no address." }],
      },
      { read: { kind: "suppressions", stop: null } },
    ]);
  });

  it("come back whatever text a cell has", () => {
    const piece = fc.constantFrom("=", "'", '"', " ", "-", "a", ";", "\n", "\t", "@", "1");
    const text = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => `x${pieces.join("")}`);
    fc.assert(
      fc.property(text, (note) => {
        const head = ["externalUserId", "firstSeenAt", "lastSeenAt", "traits.note"];
        const file = csvFile(csvRow(head) + csvRow(["ada", at, at, note]));
        const [line] = readGuessed("users", file);
        assert.ok(line && "read" in line && line.read.kind === "users");
        assert.deepEqual(JSON.parse(line.read.traits), { note });
      }),
    );
  });
});

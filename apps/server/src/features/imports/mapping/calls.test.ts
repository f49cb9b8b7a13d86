import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertCalls } from "./calls.pure.ts";
import { MappingFault } from "./compile.pure.ts";
import { objectsFile, readGuessed } from "./files.test-data.ts";
import { guessMapping } from "./guess.pure.ts";
import { shapeWritten, stopsKnown } from "./presets.pure.ts";

const AT = "2025-03-01T10:00:00.000Z";
const call = (type: string, more: Readonly<Record<string, unknown>>, n = 1) => ({
  type,
  messageId: `m-${n}`,
  userId: "ada",
  anonymousId: "a-1",
  timestamp: AT,
  originalTimestamp: "2025-03-01T09:00:00.000Z",
  sentAt: "2025-03-01T09:00:01.000Z",
  receivedAt: "2025-03-01T10:00:01.000Z",
  context: { library: { name: "analytics.js" } },
  integrations: {},
  ...more,
});

const file = objectsFile([
  call("identify", {
    traits: { email: "Ada@Example.com", plan: "pro", old: null, createdAt: "2024-01-01T00:00:00Z" },
  }),
  call("track", { event: "upgraded", properties: { amount: 49 } }, 2),
  call("page", { name: "Pricing", properties: { url: "https://a.example/p?token=1", path: "/p" } }, 3),
  call("group", { groupId: 7, traits: { name: "Acme" } }, 4),
  call("alias", { previousId: "old" }, 5),
  call("track", { userId: null, event: "seen" }, 6),
  call("track", { event: "odd", timestamp: "soon" }, 7),
  call("track", { event: "wide", properties: { large: "x".repeat(5_000), small: 1 } }, 8),
  call("identify", { traits: { email: "no address" } }, 9),
  call("identify", { traits: { large: "x".repeat(5_000) } }, 10),
]);

const at = Date.parse(AT);
const passed = { read: { kind: "suppressions", stop: null } };
const user = (traits: object, firstSeenAt: number) => ({
  read: { kind: "users", user: { id: "ada" }, traits: JSON.stringify(traits), firstSeenAt, stop: null },
});
const event = (name: string, eventId: string, props: object) => ({
  read: {
    kind: "events",
    user: { id: "ada" },
    name,
    ts: at,
    eventId,
    props: JSON.stringify(props),
    traits: null,
  },
});
const rulesOf = (line: ReturnType<typeof readGuessed>[number] | undefined): unknown[] =>
  line !== undefined && "faults" in line ? line.faults.map(({ field, rule }) => [field, rule]) : [];

describe("an archive of calls that libraries of Segment sent", () => {
  it("is recognized, says what is known of users, and does not say who left", () => {
    const found = guessMapping("users", file.format, file.records, null);
    assert.equal(found.preset, "segment_calls");
    assert.equal(stopsKnown("users", found.mapping, found.preset), false);
    const lines = readGuessed("users", file);
    assert.deepEqual(lines.slice(0, 4), [
      user(
        { email: "Ada@Example.com", plan: "pro", createdAt: "2024-01-01T00:00:00Z" },
        Date.parse("2024-01-01T00:00:00Z"),
      ),
      passed,
      passed,
      user({ group: { id: "7", name: "Acme" }, group_id: "7", group_name: "Acme" }, at),
    ]);
    assert.deepEqual(lines.slice(4).map(rulesOf), [
      [["previousId", "two_users"]],
      [],
      [],
      [],
      [["traits.email", "address"]],
      [["traits", "too_large"]],
    ]);
  });

  it("says what users did, as the intake would have taken it", () => {
    assert.equal(guessMapping("events", file.format, file.records, null).preset, "segment_calls");
    const lines = readGuessed("events", file);
    assert.deepEqual(lines.slice(0, 5), [
      passed,
      event("upgraded", "m-2", { amount: 49 }),
      event("page", "m-3", { $current_url: "https://a.example/p", $pathname: "/p", name: "Pricing" }),
      passed,
      passed,
    ]);
    assert.deepEqual(rulesOf(lines[5]), [["anonymousId", "visitor"]]);
    assert.deepEqual(rulesOf(lines[6]), [["timestamp", "time"]]);
    assert.deepEqual(lines[7], event("wide", "m-8", { small: 1, $trimmed: ["large"] }));
  });

  it("needs no track call, and keeps no other meaning for a field", () => {
    const pages = objectsFile([call("page", { properties: { path: "/p" } })]);
    assert.deepEqual(readGuessed("events", pages), [event("page", "m-1", { $pathname: "/p" })]);
    const shape = shapeWritten("events", "segment_calls");
    assert.ok(shape);
    for (const mapping of [
      { userId: "anonymousId" },
      { props: "rest" as const },
      { suppressed: [{ column: null, when: "always" as const, reason: "manual" as const }] },
    ])
      assert.throws(
        () => assertCalls(mapping, shape),
        (fault) =>
          fault instanceof MappingFault && fault.message.startsWith(`mapping.${Object.keys(mapping)[0]} `),
      );
  });
});

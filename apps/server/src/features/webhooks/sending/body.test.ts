import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { deliveryId } from "../../../domain/ids.ts";
import { SUBSCRIBABLE, TEST_TYPE } from "../types.pure.ts";
import type { SubjectFacts } from "./bodies-store.ts";
import { bodyOf, MOST_BODY_BYTES } from "./body.ts";
import type { LeasedRow } from "./lease-store.ts";

const KEY = "019b0000-0000-7000-8000-000000000001";
const CAMPAIGN = "019b0000-0000-7000-8000-000000000002";
const VARIANT = "019b0000-0000-7000-8000-000000000003";

const rowOf = (type: string, row: Partial<LeasedRow> = {}): LeasedRow => ({
  lane: 0,
  id: KEY,
  type,
  happenedAt: Date.UTC(2026, 10, 28, 12),
  userKey: null,
  campaignId: null,
  occasion: null,
  variantId: null,
  addressKey: null,
  data: null,
  gapBefore: false,
  tries: 0,
  ...row,
});

const NOTHING: SubjectFacts = {
  externalId: null,
  deliveryKey: null,
  traits: null,
  firstSeenAt: null,
  lastSeenAt: null,
  campaignName: null,
  channel: null,
  variantName: null,
  address: null,
};
const KNOWN: SubjectFacts = {
  ...NOTHING,
  externalId: "anna",
  deliveryKey: KEY,
  traits: { plan: "pro" },
  firstSeenAt: 1,
  lastSeenAt: 2,
  campaignName: "Hello",
  channel: "email",
  variantName: "A",
  address: "anna@example.com",
};

type Body = {
  type: string;
  timestamp: string;
  gapBefore?: boolean;
  leftOut?: string[];
  data: Record<string, unknown>;
};

function read(row: LeasedRow, facts: SubjectFacts): Body {
  const text = bodyOf(row, facts);
  assert.ok(Buffer.byteLength(text) <= MOST_BODY_BYTES);
  return JSON.parse(text) as Body;
}
const dataOf = (row: LeasedRow, facts: SubjectFacts) => read(row, facts).data;

const DELIVERY = { userKey: KEY, campaignId: CAMPAIGN, occasion: 0, variantId: VARIANT };
const CAMPAIGN_DATA = { id: `cmp_${CAMPAIGN}`, name: "Hello", channel: "email" };

describe("the body of a message", () => {
  it("says its type, and when it happened", () => {
    for (const type of [...SUBSCRIBABLE, TEST_TYPE]) {
      const body = read(rowOf(type), NOTHING);
      assert.deepEqual(Object.keys(body), ["type", "timestamp", "data"]);
      assert.deepEqual([body.type, body.timestamp], [type, "2026-11-28T12:00:00.000Z"]);
      assert.equal(read(rowOf(type, { gapBefore: true }), NOTHING).gapBefore, true);
    }
  });

  it("says of a delivery whose it is, and of what", () => {
    for (const type of SUBSCRIBABLE.filter((each) => each.startsWith("delivery."))) {
      const { deliveryId, ...data } = dataOf(rowOf(type, DELIVERY), KNOWN);
      assert.match(String(deliveryId), /^del_/);
      const variant = { id: `var_${VARIANT}`, name: "A" };
      assert.deepEqual(data, { userId: "anna", campaign: CAMPAIGN_DATA, variant, occasion: 0 });
    }
  });

  it("names a visitor by no secret of their browser, and a delivery by where it lies", () => {
    const row = rowOf("delivery.shown", DELIVERY);
    const data = dataOf(row, { ...KNOWN, externalId: "$anon:b7e1" });
    assert.deepEqual([data.userId, data.visitor], [null, { id: `eu_${KEY}` }]);
    assert.ok(!bodyOf(row, { ...KNOWN, externalId: "$anon:b7e1" }).includes("b7e1"));
    const moved = dataOf(row, { ...KNOWN, deliveryKey: VARIANT });
    assert.deepEqual(moved.deliveryId, deliveryId({ ...DELIVERY, userKey: VARIANT }));
    assert.equal("visitor" in moved, false);
  });

  it("says of a user what is known of them, and of an address why", () => {
    const user = {
      id: `eu_${KEY}`,
      externalUserId: "anna",
      traits: { plan: "pro" },
      firstSeenAt: 1,
      lastSeenAt: 2,
    };
    assert.deepEqual(dataOf(rowOf("user.identified", { userKey: KEY }), KNOWN), { userId: "anna", user });
    const row = { addressKey: KEY, data: { reason: "bounced" } };
    const stopped = { address: "anna@example.com", reason: "bounced" };
    assert.deepEqual(dataOf(rowOf("address.suppressed", row), KNOWN), stopped);
    assert.deepEqual(dataOf(rowOf("address.allowed", row), KNOWN), stopped);
  });

  it("says of a campaign, or of what is about one, which it is", () => {
    const types = SUBSCRIBABLE.filter((each) => /^(campaign|guardrail|proposal|run)\./.test(each));
    for (const type of types) {
      const row = rowOf(type, { campaignId: CAMPAIGN, data: { x: 1 } });
      assert.deepEqual(dataOf(row, KNOWN), { campaign: CAMPAIGN_DATA, x: 1 });
    }
    assert.deepEqual(dataOf(rowOf("run.created", { data: { x: 1 } }), NOTHING), { campaign: null, x: 1 });
    assert.deepEqual(dataOf(rowOf("import.ended", { data: { lines: 2 } }), NOTHING), { lines: 2 });
    assert.equal(typeof dataOf(rowOf(TEST_TYPE), NOTHING).text, "string");
  });

  it("names nobody who was erased, but where it announces that", () => {
    const delivery = rowOf("delivery.shown", { ...DELIVERY, userKey: null });
    const data = dataOf(delivery, { ...KNOWN, externalId: null, traits: null });
    assert.deepEqual([data.deliveryId, data.userId], [null, null]);
    assert.deepEqual(dataOf(rowOf("user.identified"), NOTHING), { userId: null, user: null });
    assert.deepEqual(dataOf(rowOf("user.erased", { data: { userId: "anna" } }), NOTHING), { userId: "anna" });
    assert.deepEqual(dataOf(rowOf("user.erased"), NOTHING), { userId: null });
    const address = rowOf("address.suppressed", { data: { reason: "bounced" } });
    assert.deepEqual(dataOf(address, NOTHING), { address: null, reason: "bounced" });
  });

  it("does without what makes it longer than 16 KiB, and says what", () => {
    const big = "👋ä\u0001".repeat(4_000);
    const identified = read(rowOf("user.identified", { userKey: KEY }), { ...KNOWN, traits: { big } });
    assert.deepEqual(identified.leftOut, ["traits"]);
    const user = { id: `eu_${KEY}`, externalUserId: "anna", traits: null, firstSeenAt: 1, lastSeenAt: 2 };
    assert.deepEqual(identified.data, { userId: "anna", user });
    const run = rowOf("run.created", { data: { runId: "run_1", rationale: big } });
    const { leftOut, data } = read(run, NOTHING);
    assert.deepEqual([leftOut, data], [["rationale"], { campaign: null, runId: "run_1", rationale: null }]);
    const proposal = { mutation: { big }, reason: big, status: "pending" };
    const both = read(rowOf("proposal.decided", { data: proposal }), NOTHING);
    assert.deepEqual(both.leftOut, ["mutation", "reason"]);
    assert.deepEqual(both.data, { campaign: null, mutation: null, reason: null, status: "pending" });
    assert.equal(
      read(rowOf("proposal.decided", { data: { ...proposal, reason: "no" } }), NOTHING).data.reason,
      "no",
    );
  });

  it("is at most 16 KiB to the byte", () => {
    const ofLength = (length: number) =>
      bodyOf(rowOf("run.created", { data: { rationale: "x".repeat(length) } }), NOTHING);
    const room = MOST_BODY_BYTES - Buffer.byteLength(ofLength(0));
    assert.equal(Buffer.byteLength(ofLength(room)), MOST_BODY_BYTES);
    assert.deepEqual(JSON.parse(ofLength(room + 1)).data, { campaign: null, rationale: null });
  });
});

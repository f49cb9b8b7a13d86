import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  calendarPeriod,
  emailPausedBecause,
  judgeServing,
  periodAt,
  pricesOf,
  spendOf,
  subscriptionOf,
} from "./rules.ts";
import { type BillingSettings, billingSettings } from "./settings.pure.ts";
import { parsePriceTiers } from "./tiers.pure.ts";

const instantOf = (text: string): number => Date.parse(text);
const day = (text: string): number => instantOf(`${text}T00:00:00Z`);
const iso = (ms: number): string => new Date(ms).toISOString();

const DEFAULTS: BillingSettings = {
  "org.spendCapUsd": billingSettings["org.spendCapUsd"].fallback,
  "org.priceTiers": billingSettings["org.priceTiers"].fallback,
  "org.billingStatus": billingSettings["org.billingStatus"].fallback,
  "org.periodStart": billingSettings["org.periodStart"].fallback,
  "org.periodEnd": billingSettings["org.periodEnd"].fallback,
};

describe("a calendar month", () => {
  for (const [instant, key, start, end] of [
    ["2026-01-15T12:00:00Z", 202601, "2026-01-01", "2026-02-01"],
    ["2026-12-31T23:59:59.999Z", 202612, "2026-12-01", "2027-01-01"],
    ["2027-01-01T00:00:00Z", 202701, "2027-01-01", "2027-02-01"],
    ["2024-02-29T00:00:00Z", 202402, "2024-02-01", "2024-03-01"],
  ] as const) {
    it(`of ${instant} is ${key}`, () => {
      assert.deepEqual(periodAt(null, instantOf(instant)), {
        key,
        start: day(start),
        end: day(end),
        boundary: "calendar_month",
      });
      assert.equal(calendarPeriod(instantOf(instant)), key);
    });
  }
});

describe("a subscription's period", () => {
  const cases: [known: [string, string], instant: string, start: string, end: string][] = [
    [["2026-01-15", "2026-02-15"], "2026-01-15T00:00:00Z", "2026-01-15", "2026-02-15"],
    [["2026-01-15", "2026-02-15"], "2026-02-14T23:59:59.999Z", "2026-01-15", "2026-02-15"],
    [["2026-01-15", "2026-02-15"], "2026-02-15T00:00:00Z", "2026-02-15", "2026-03-15"],
    [["2026-01-15", "2026-02-15"], "2026-01-14T23:59:59.999Z", "2025-12-15", "2026-01-15"],
    [["2026-01-15", "2026-02-15"], "2036-07-20T00:00:00Z", "2036-07-15", "2036-08-15"],
    [["2026-01-31", "2026-02-28"], "2026-03-01T00:00:00Z", "2026-02-28", "2026-03-31"],
    [["2026-01-31", "2026-02-28"], "2026-04-30T00:00:00Z", "2026-04-30", "2026-05-31"],
    [["2026-02-28", "2026-03-31"], "2026-05-01T00:00:00Z", "2026-04-30", "2026-05-31"],
    [["2026-02-28", "2026-03-31"], "2026-03-30T00:00:00Z", "2026-02-28", "2026-03-31"],
    [["2026-01-01", "2026-04-01"], "2026-12-31T00:00:00Z", "2026-10-01", "2027-01-01"],
    [["2024-02-29", "2025-02-28"], "2028-02-29T00:00:00Z", "2028-02-29", "2029-02-28"],
    [["2026-01-01", "2026-01-08"], "2026-02-01T00:00:00Z", "2026-01-29", "2026-02-05"],
    [["2026-01-01", "2026-01-02"], "2025-12-30T12:00:00Z", "2025-12-30", "2025-12-31"],
  ];
  for (const [[from, to], instant, start, end] of cases) {
    it(`that was ${from} to ${to} is, at ${instant}, ${start} to ${end}`, () => {
      const period = periodAt({ start: day(from), end: day(to) }, instantOf(instant));
      assert.deepEqual([iso(period.start), iso(period.end)], [iso(day(start)), iso(day(end))]);
      assert.deepEqual([period.key, period.boundary], [day(start) / 60_000, "subscription"]);
    });
  }
  it("has a key that is no month's and fits its column, for a hundred years", () => {
    const subscription = {
      start: instantOf("2001-09-09T01:02:03.004Z"),
      end: instantOf("2001-10-09T01:02:03.004Z"),
    };
    let before = 0;
    for (let instant = subscription.start; instant < day("2101-01-01"); instant += 86_400_000) {
      const { key, start, end } = periodAt(subscription, instant);
      assert.ok(start <= instant && instant < end && key > 1_000_000 && key < 2 ** 31 && key >= before);
      before = key;
    }
  });
  it("takes a payment method, and both ends", () => {
    const settings: BillingSettings = {
      ...DEFAULTS,
      "org.billingStatus": "ok",
      "org.periodStart": "2026-01-15T00:00:00.000Z",
      "org.periodEnd": "2026-02-15T00:00:00.000Z",
    };
    assert.deepEqual(subscriptionOf(settings), { start: day("2026-01-15"), end: day("2026-02-15") });
    assert.equal(subscriptionOf({ ...settings, "org.billingStatus": "none" }), null);
    assert.equal(subscriptionOf({ ...settings, "org.periodEnd": null }), null);
    assert.equal(subscriptionOf(DEFAULTS), null);
    assert.ok(subscriptionOf({ ...settings, "org.billingStatus": "restore_needed" }));
  });
});

describe("spend", () => {
  const managed = pricesOf(DEFAULTS, "managed");
  for (const [users, usd] of [
    [0, 0],
    [1, 0.02],
    [9_999, 199.98],
    [10_000, 200],
    [10_001, 200.012],
    [12_480, 229.76],
    [50_000, 680],
    [100_000_000, 1_200_080],
  ] as const) {
    it(`of ${users} active users is ${usd} USD at the managed prices`, () =>
      assert.equal(spendOf(managed, users) / 1e6, usd));
  }
  it("is nothing for who runs it themselves, unless prices are set", () => {
    assert.equal(spendOf(pricesOf(DEFAULTS, "self_hosted"), 1_000_000), 0);
    const priced = pricesOf({ ...DEFAULTS, "org.priceTiers": "1 to 2, 0 to 4, 0.5" }, "self_hosted");
    assert.deepEqual(
      [0, 1, 2, 3, 4, 5, 6].map((users) => spendOf(priced, users) / 1e6),
      [0, 1, 2, 2, 2, 2.5, 3],
    );
    assert.equal(parsePriceTiers("1 to 2"), null);
  });
});

describe("serving", () => {
  const cases: [
    BillingSettings["org.billingStatus"],
    spendUsd: number,
    capUsd: number | null,
    ReturnType<typeof judgeServing>,
  ][] = [
    ["none", 1e6, null, { serving: "ok", emailServing: "ok" }],
    ["ok", 4.99, 5, { serving: "ok", emailServing: "ok" }],
    ["ok", 5, 5, { serving: "cap_reached", emailServing: "paused" }],
    ["none", 229.76, 229.76, { serving: "cap_reached", emailServing: "paused" }],
    ["none", 229.759, 229.76, { serving: "ok", emailServing: "ok" }],
    ["none", 0, 0, { serving: "cap_reached", emailServing: "paused" }],
    ["past_due", 0, null, { serving: "ok", emailServing: "paused" }],
    ["past_due", 6, 5, { serving: "cap_reached", emailServing: "paused" }],
    ["restore_needed", 0, null, { serving: "payment_required", emailServing: "paused" }],
    ["restore_needed", 6, 5, { serving: "payment_required", emailServing: "paused" }],
  ];
  for (const [status, spendUsd, capUsd, verdict] of cases) {
    it(`with billing ${status}, ${spendUsd} USD spent and a cap of ${capUsd} is ${verdict.serving}, email ${verdict.emailServing}`, () => {
      const judged = judgeServing(status, Math.round(spendUsd * 1e6), capUsd);
      assert.deepEqual(judged, verdict);
      assert.equal(emailPausedBecause(judged) === null, verdict.emailServing === "ok");
    });
  }
  it("says of each pause what ends it", () => {
    const because = (status: BillingSettings["org.billingStatus"], cap: number | null) =>
      emailPausedBecause(judgeServing(status, 0, cap));
    assert.match(because("restore_needed", null) ?? "", /^Nothing is served before billing is restored/);
    assert.match(because("ok", 0) ?? "", /^The spend cap is reached.*org\.spendCapUsd/);
    assert.match(because("past_due", null) ?? "", /^Billing is past due/);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  barsOf,
  type ProjectMetrics,
  type ResultDays,
  reportDays,
  type Waiting,
  waitingLines,
} from "../src/features/overview/rules.ts";
import { mailOf, mailtoOf, openSteps, STEPS } from "../src/features/overview/steps.pure.ts";

const NOTHING = { count: 0, items: [] };
const CALM: Waiting = {
  evaluatedAt: 1,
  serving: "ok",
  emailServing: "ok",
  unknownMails: 0,
  faults: NOTHING,
  breaches: NOTHING,
  splits: NOTHING,
  sources: NOTHING,
  webhooks: NOTHING,
  syncs: NOTHING,
  proposals: NOTHING,
  approvals: NOTHING,
  drafts: NOTHING,
  takenBack: NOTHING,
  unattended: null,
};
const campaign = { campaignId: "cmp_1", campaignName: "Sale" };
const one = <Item>(item: Item) => ({ count: 1, items: [item] });

describe("what waits, as lines", () => {
  it("is none where nothing waits", () => assert.deepEqual(waitingLines(CALM), []));

  it("leads to where each is settled, what stops messages first", () => {
    const lines = waitingLines({
      ...CALM,
      serving: "cap_reached",
      emailServing: "paused",
      unknownMails: 1_000,
      faults: one({ ...campaign, fault: "No password.", since: 1 }),
      breaches: one({
        ...campaign,
        guardrail: "minConversionRate",
        limit: 0.02,
        observed: 0.004,
        breachedAt: 1,
      }),
      takenBack: one({ ...campaign, reason: "rollback", mappingLabel: "acme/web production", since: 1 }),
      splits: one(campaign),
      sources: one({ id: "my web", reason: null }),
      webhooks: one({ id: "wh_1", name: "CRM", offBecause: "gone", since: 1 }),
      syncs: one({ id: "sync_1", name: "folder lake", fault: "The disk is full.", since: 1 }),
      unattended: { ...campaign, since: 1, isApproved: false, count: 3, hasPolicy: true },
      proposals: one({ ...campaign, id: "prop_1", expiresAt: 1 }),
      approvals: one(campaign),
      drafts: one(campaign),
    });
    assert.deepEqual(
      lines.map(({ kind, path, search }) => [kind, path, search]),
      [
        ["serving", "usage", undefined],
        ["fault", "campaigns/cmp_1", undefined],
        ["breach", "approvals", undefined],
        ["takenBack", "approvals/campaigns/cmp_1", undefined],
        ["split", "campaigns/cmp_1", undefined],
        ["source", "sources/my%20web", undefined],
        ["webhook", "webhooks/wh_1", undefined],
        ["sync", "syncs/sync_1", undefined],
        ["unknown", "email", { view: "unknown" }],
        ["unattended", "agent", undefined],
        ["proposal", "approvals/prop_1", undefined],
        ["approval", "approvals/campaigns/cmp_1", undefined],
        ["draft", "campaigns/cmp_1", undefined],
      ],
    );
    assert.match(
      lines[2]?.text ?? "",
      /“Sale” was paused for a limit .* Least conversions: 0\.4.?%, the limit is 2.?%\./,
    );
    assert.match(
      lines[3]?.text ?? "",
      /“Sale” goes on, but since .* acme\/web production runs without a change/,
    );
    assert.match(
      lines[6]?.text ?? "",
      /^CRM gets nothing since .+: it answered that it does not exist any more\.$/,
    );
    assert.match(lines[7]?.text ?? "", /^Nothing is written to folder lake since .+: The disk is full\.$/);
    assert.match(lines[8]?.text ?? "", /1,000 or more/);
    assert.match(
      lines[9]?.text ?? "",
      /^“Sale” has waited for an agent since .+, and 2 more with it: no process has the role agent\.$/,
    );
    assert.equal(new Set(lines.map(({ kind, id }) => `${kind} ${id}`)).size, lines.length);
  });

  it("says how many more there are", () => {
    const lines = waitingLines({ ...CALM, drafts: { count: 7, items: [campaign] }, unknownMails: 1 });
    assert.deepEqual(
      lines.map(({ text }) => text),
      [
        "1 mail was handed over, and no answer came.",
        "What “Sale” announces is live. You can launch it.",
        "and 6 more like this",
      ],
    );
  });

  it("says that only email waits where billing is past due", () => {
    const [line] = waitingLines({ ...CALM, emailServing: "paused" });
    assert.match(line?.text ?? "", /billing is past due/);
  });
});

describe("the bars of days", () => {
  it("fill the width and the height, and show a little as something", () => {
    const days = [0, 1, 1_000].map((value, day) => ({ startAt: day, value }));
    const { bars, thickness } = barsOf(days, 300, 50);
    assert.deepEqual(bars, [
      { at: 1, x: 100, y: 48, height: 2 },
      { at: 2, x: 200, y: 0, height: 50 },
    ]);
    assert.equal(thickness, 75);
  });

  it("are none without days, or with none that had anything", () => {
    assert.deepEqual(barsOf([], 300, 50).bars, []);
    assert.deepEqual(barsOf([{ startAt: 1, value: 0 }], 300, 50).bars, []);
  });
});

describe("the days of both reports", () => {
  const metrics = {
    evaluatedAt: 3,
    timezone: "UTC",
    topEvents: [],
    hasAnyActivity: true,
    totals: { impressions: 9, clicks: 9, conversions: 9, events: 3 },
    days: [1, 2].map((startAt) => ({ startAt, impressions: 9, clicks: 9, conversions: 9, events: startAt })),
  } satisfies ProjectMetrics;

  it("are put together by their beginning", () => {
    const results = {
      evaluatedAt: 3,
      timezone: "UTC",
      totals: { reached: 7, converted: 2 },
      days: [{ startAt: 1, reached: 7, converted: 2 }],
    } satisfies ResultDays;
    assert.deepEqual(reportDays(metrics, results), {
      days: [
        { startAt: 1, events: 1, reached: 7, converted: 2 },
        { startAt: 2, events: 2, reached: null, converted: null },
      ],
      totals: { events: 3, reached: 7, converted: 2 },
    });
  });

  it("have no results before they are counted", () => {
    const { days, totals } = reportDays(metrics, null);
    assert.deepEqual(totals, { events: 3, reached: null, converted: null });
    assert.deepEqual(days[0], { startAt: 1, events: 1, reached: null, converted: null });
  });
});

describe("the first steps", () => {
  const reach = { web_inapp: [], email: [], push: [] };
  const facts = ["hasPageView", "hasUser", "hasEvent", "hasGoal", "hasCampaign", "hasSender"] as const;
  const setup = (done: readonly boolean[]) => ({
    evaluatedAt: 0,
    reach,
    hasPageView: false,
    hasUser: false,
    hasEvent: false,
    hasGoal: false,
    hasCampaign: false,
    hasSender: false,
    ...Object.fromEntries(facts.map((fact, index) => [fact, done[index] ?? false])),
  });

  it("are those that are neither done nor skipped, in their order", () => {
    const flags = fc.array(fc.boolean(), { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(flags, fc.subarray([...STEPS]), (done, skipped) => {
        assert.deepEqual(
          openSteps(setup(done), skipped),
          STEPS.filter((step, index) => done[index] !== true && !skipped.includes(step)),
        );
      }),
    );
  });

  it("are a mail that brings the lines whole, whatever is in them", () => {
    const lines = '<script data-key="pk_pub_a&b=c#d"></script>\n<script>("ä")</script>';
    const { protocol, searchParams } = new URL(
      mailtoOf("Lines & more", mailOf(lines, "https://x.example/p/1")),
    );
    assert.equal(protocol, "mailto:");
    assert.equal(searchParams.get("subject"), "Lines & more");
    assert.ok(searchParams.get("body")?.includes(lines));
  });
});

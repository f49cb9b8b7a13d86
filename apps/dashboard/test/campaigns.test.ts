import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  actionsOf,
  bandOf,
  type Campaign,
  type CampaignDetail,
  copyOf,
  datesOf,
  findingOf,
  lossesOf,
  nameOfCopy,
  outlookOf,
  pauseOf,
  type Statistics,
  stepsOf,
  type Verdict,
} from "../src/features/campaigns/rules.ts";
import { areaOf, type BandPoint, frameOf } from "../src/ui/band.pure.ts";

const NONE = {
  ...{ sent: 0, frequencyCapped: 0, delivered: 0, shown: 0, opened: 0, clicked: 0 },
  ...{ dismissed: 0, bounced: 0, complained: 0, unsubscribed: 0, converted: 0 },
};

describe("the funnel", () => {
  it("counts from the first step of the channel", () => {
    const stats = { ...NONE, sent: 200, delivered: 100, opened: 50, clicked: 20, converted: 10, bounced: 40 };
    const names = (channel: Campaign["channel"]) => stepsOf({ channel, stats }).map(({ name }) => name);
    assert.deepEqual(names("email"), ["sent", "delivered", "opened", "clicked", "converted"]);
    assert.deepEqual(names("push"), ["sent", "delivered", "clicked", "converted"]);
    assert.deepEqual(names("web_inapp"), ["shown", "clicked", "converted"]);
    const shares = stepsOf({ channel: "email", stats }).map(({ share }) => share);
    assert.deepEqual(shares, [1, 0.5, 0.25, 0.1, 0.05]);
    assert.deepEqual(lossesOf({ channel: "email", stats }), [{ name: "bounced", count: 40, share: 0.2 }]);
    assert.deepEqual(
      stepsOf({ channel: "web_inapp", stats: NONE }).map(({ share }) => share),
      [null, null, null],
    );
  });
});

describe("what can be done with a campaign", () => {
  const of = (status: Campaign["status"], effectiveStatus: Campaign["effectiveStatus"]) =>
    actionsOf({ status, effectiveStatus } as Campaign);

  it("follows from its state", () => {
    assert.deepEqual(of("draft", "draft"), ["launch", "end"]);
    assert.deepEqual(of("running", "running"), ["pause", "end"]);
    assert.deepEqual(of("running", "scheduled"), ["pause", "end"]);
    assert.deepEqual(of("paused", "paused"), ["launch", "end"]);
    assert.deepEqual(of("running", "expired"), ["end"]);
    assert.deepEqual(of("ended", "ended"), []);
  });
});

describe("a copy", () => {
  const campaign = {
    channel: "web_inapp",
    pages: ["/reports"],
    goalId: null,
    push: null,
    variants: [
      { id: "var_1", name: "A", weight: 1, isControl: true, content: { presentation: "toast" }, stats: NONE },
    ],
  } as unknown as CampaignDetail;
  const audienceOf = (audience: object) => {
    const copy = copyOf({ ...campaign, audience } as CampaignDetail, "Copy");
    return copy === null ? null : copy.audience;
  };

  it("is for the same users, in the words of a request", () => {
    const expression = { version: 1, root: { kind: "event", event: "paid" } };
    const described = { audienceVersionId: null, schemaVersion: 1, expressionHash: "", summary: "" };
    assert.deepEqual(audienceOf({ kind: "all" }), { kind: "all" });
    assert.deepEqual(
      audienceOf({ kind: "expression", expression, reason: null, legacy: false, ...described }),
      { kind: "expression", expression },
    );
    assert.deepEqual(
      audienceOf({
        ...{ kind: "segment", segmentId: "seg_1", segmentKey: "k", segmentVersion: 3 },
        ...{ expression, reason: "why", ...described },
      }),
      { kind: "segment", segment: "seg_1", version: 3 },
    );
  });

  it("is not made where the audience cannot be read, because it would be for all", () => {
    assert.equal(audienceOf({ kind: "invalid", audienceVersionId: null }), null);
  });

  it("has a name that the server takes", () => {
    assert.equal(nameOfCopy("Sale", " (copy)"), "Sale (copy)");
    assert.equal(nameOfCopy("x".repeat(80), " (copy)").length, 80);
  });
});

const statisticsOf = (verdicts: readonly [Verdict, number][], mismatch = false): Statistics =>
  ({
    sampleRatio: { mismatch },
    variants: [
      { variantId: "control", comparison: null },
      ...verdicts.map(([verdict, lower], index) => ({
        variantId: `var_${index}`,
        comparison: { verdict, relative: { lower } },
      })),
    ],
  }) as unknown as Statistics;

describe("what is said of a comparison", () => {
  it("names the variant with the highest lower end among those that are better", () => {
    const statistics = statisticsOf([
      ["better", 0.02],
      ["undecided", 0.5],
      ["better", 0.05],
    ]);
    assert.deepEqual(findingOf(statistics), { kind: "better", variantId: "var_2", lower: 0.05 });
  });

  it("names none that users do not get, as the rule that ships does", () => {
    const { sampleRatio, variants } = statisticsOf([
      ["better", 0.05],
      ["worse", -0.5],
      ["better", 0.02],
    ]);
    const weighing = (...weights: number[]) =>
      findingOf({
        sampleRatio,
        variants: variants.map((variant, index) => ({ ...variant, weight: weights[index] ?? 0 })),
      } as Statistics);
    assert.deepEqual(weighing(50, 0, 10, 40), { kind: "better", variantId: "var_2", lower: 0.02 });
    assert.deepEqual(weighing(50, 0, 50, 0), { kind: "control", count: 1 });
    assert.deepEqual(weighing(0, 0, 0, 100), { kind: "better", variantId: "var_2", lower: 0.02 });
    // Users get the control alone: what was found of the others is all there is to say.
    assert.deepEqual(weighing(100, 0, 0, 0), { kind: "better", variantId: "var_0", lower: 0.05 });
  });

  it("claims nothing while users are split otherwise than the weights say", () => {
    assert.deepEqual(findingOf(statisticsOf([["better", 0.2]], true)), { kind: "mismatch" });
  });

  it("keeps the control once all others are worse or similar, and waits before", () => {
    const lost: [Verdict, number][] = [
      ["worse", -0.5],
      ["similar", -0.01],
    ];
    assert.deepEqual(findingOf(statisticsOf(lost)), { kind: "control", count: 2 });
    assert.deepEqual(findingOf(statisticsOf([...lost, ["undecided", 0]])), { kind: "undecided" });
    assert.deepEqual(findingOf(statisticsOf([])), { kind: "alone" });
  });

  it("draws the days on which there was a comparison", () => {
    const day = (at: number, lower: number | null) => ({
      at,
      variants: [{ variantId: "var_0", lower, upper: null, eValue: lower === null ? null : 2 }],
    });
    const series = [day(1, null), day(2, -0.5), day(3, 0.1)];
    assert.deepEqual(bandOf({ series } as unknown as Statistics, "var_0"), [
      { at: 2, lower: -0.5, upper: null },
      { at: 3, lower: 0.1, upper: null },
    ]);
  });
});

const [WIDTH, HEIGHT] = [640, 220];
const bands = fc
  .array(
    fc.record({
      lower: fc.double({ min: -1, max: 50, noNaN: true }),
      more: fc.option(fc.double({ min: 0, max: 100, noNaN: true })),
    }),
    { minLength: 1, maxLength: 366 },
  )
  .map((days): BandPoint[] =>
    days.map(({ lower, more }, day) => ({
      at: day * 86_400_000,
      lower,
      upper: more === null ? null : lower + more,
    })),
  );

describe("how long one has to wait", () => {
  const lifts = (...days: (number | null)[]) =>
    days.map((days50, index) => ({
      ...{ lift: [0.05, 0.1, 0.2, 0.5][index] ?? 0, days50 },
      ...{ users50: null, users80: null, days80: null },
    }));

  it("is said of the smallest lift that shows within a year", () => {
    assert.deepEqual(outlookOf({ lifts: lifts(13_651, 3_400, 365, 90) }), { lift: 0.2, days: 365 });
    assert.deepEqual(outlookOf({ lifts: lifts(20, 10, 5, 2) }), { lift: 0.05, days: 20 });
  });

  it("is longer than that where not even the largest one shows", () => {
    assert.deepEqual(outlookOf({ lifts: lifts(null, null, 9_000, 366) }), { lift: 0.5, days: null });
  });
});

describe("a band", () => {
  it("stays within its chart, with no difference on it and lines that can be told apart", () => {
    fc.assert(
      fc.property(bands, (points) => {
        const frame = frameOf(points, WIDTH, HEIGHT);
        const corners = areaOf(points, frame).slice(1, -1).split("L");
        assert.equal(corners.length, 2 * Math.max(points.length, 2));
        for (const corner of corners) {
          const [x = Number.NaN, y = Number.NaN] = corner.split(",").map(Number);
          assert.ok(x >= frame.left && x <= WIDTH, corner);
          assert.ok(y >= 0 && y <= HEIGHT, corner);
        }
        assert.ok(frame.ticks.some(({ value }) => value === 0));
        const heights = frame.ticks.map(({ y }) => y).toSorted((one, other) => one - other);
        for (const [index, y] of heights.entries())
          if (index > 0) assert.ok(y - (heights[index - 1] ?? 0) >= 20, String(heights));
      }),
    );
  });

  it("has its upper end above the lower one, and more above less", () => {
    const points = [{ at: 0, lower: -0.1, upper: 0.3 }];
    const { yOf } = frameOf(points, WIDTH, HEIGHT);
    assert.ok(yOf(0.3) < yOf(0) && yOf(0) < yOf(-0.1));
  });
});

describe("the dates of a campaign", () => {
  const made = { createdAt: 1_000, createdBy: "human", deliverFrom: null, deliverUntil: null };
  const DAY = 86_400_000;
  const verbs = (of: Parameters<typeof datesOf>[0]) =>
    datesOf(of).map((date) => date.replace(/ \w{3} \d+, \d{4}.*?(AM|PM)/, ""));

  it("say that one which waits for its window was launched, and when it begins", () => {
    const waiting = { ...made, startedAt: DAY, deliverFrom: 3 * DAY, effectiveStatus: "scheduled" } as const;
    assert.deepEqual(verbs(waiting), ["Made by a person", "launched", "begins"]);
    assert.deepEqual(verbs({ ...waiting, effectiveStatus: "running" }), [
      "Made by a person",
      "launched",
      "began",
    ]);
    assert.deepEqual(verbs({ ...made, startedAt: DAY, deliverFrom: 1, effectiveStatus: "running" }), [
      "Made by a person",
      "started",
    ]);
    assert.deepEqual(verbs({ ...made, deliverFrom: DAY, effectiveStatus: "draft" }), [
      "Made by a person",
      "from",
    ]);
  });

  it("say that one whose window is over was ended by it", () => {
    const dated = { ...made, startedAt: 1, deliverUntil: DAY };
    assert.deepEqual(verbs({ ...dated, effectiveStatus: "running" }).slice(2), ["until"]);
    assert.deepEqual(verbs({ ...dated, effectiveStatus: "expired" }).slice(2), ["ended by its window"]);
    assert.deepEqual(verbs({ ...dated, endedAt: DAY, effectiveStatus: "ended" }).slice(2), ["ended"]);
  });
});

describe("who paused a campaign", () => {
  const by = (pausedBy: Parameters<typeof pauseOf>[0]["pausedBy"]) => pauseOf({ status: "paused", pausedBy });
  const pause = { name: null, at: 1, runId: null, guardrail: null };

  it("is named, or nobody knows any more", () => {
    assert.equal(pauseOf({ status: "running", pausedBy: null }), null);
    assert.equal(by(null), "Nobody knows any more who paused it");
    assert.match(by({ ...pause, by: "human", name: "Moreau" }) ?? "", /^Paused by Moreau, /);
    assert.match(by({ ...pause, by: "api" }) ?? "", /^Paused by a program, /);
    assert.match(by({ ...pause, by: "agent" }) ?? "", /^Paused by an agent, /);
    assert.match(by({ ...pause, by: "import" }) ?? "", /^Paused by the import, /);
    const limited = { ...pause, by: "guardrail", guardrail: "minConversionRate" } as const;
    assert.match(by(limited) ?? "", /^Paused for a limit of its goal \(Least conversions\), /);
  });
});

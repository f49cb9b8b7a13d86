import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { asNewVariant, newCampaignDraft, withVariant } from "../src/features/campaigns/editor/draft.ts";
import {
  bandOf,
  beganAnew,
  type EarlierText,
  funnelSteps,
  lossesOf,
  notLeftOf,
} from "../src/features/campaigns/results/rules.ts";
import {
  actionsOf,
  copyOf,
  datesOf,
  laterSentence,
  launchSentence,
  nameOfCopy,
  pauseOf,
  sendingOf,
} from "../src/features/campaigns/rules.ts";
import type { Campaign, CampaignDetail } from "../src/platform/api-types.ts";
import { areaOf, type BandPoint, frameOf } from "../src/ui/charts/band.pure.ts";
import {
  type ComparisonVerdict,
  comparisonFinding,
  outlookOf,
  ratesSideBySide,
  type Statistics,
  type VariantStatistics,
} from "../src/ui/statistics/comparison.ts";
import { delays, type Explanation, type Gate, verdictOf } from "../src/ui/why/rules.ts";

const NONE = {
  sent: 0,
  frequencyCapped: 0,
  delivered: 0,
  shown: 0,
  opened: 0,
  clicked: 0,
  dismissed: 0,
  bounced: 0,
  complained: 0,
  unsubscribed: 0,
  converted: 0,
};

describe("the funnel", () => {
  const results = { ...NONE, sent: 200, delivered: 100, opened: 50, clicked: 20, converted: 10, bounced: 40 };

  it("counts from the first step of the channel", () => {
    const names = (channel: Campaign["channel"]) => funnelSteps({ channel, results }).map(({ name }) => name);
    assert.deepEqual(names("email"), ["sent", "delivered", "opened", "clicked", "converted"]);
    assert.deepEqual(names("push"), ["sent", "delivered", "clicked", "converted"]);
    assert.deepEqual(names("web_inapp"), ["shown", "clicked", "converted"]);
    const shares = funnelSteps({ channel: "email", results }).map(({ share }) => share);
    assert.deepEqual(shares, [1, 0.5, 0.25, 0.1, 0.05]);
    assert.deepEqual(
      funnelSteps({ channel: "web_inapp", results: NONE }).map(({ share }) => share),
      [null, null, null],
    );
  });

  it("accounts for all mail that was sent", () => {
    assert.deepEqual(lossesOf({ channel: "email", results }), [
      { name: "unheard", count: 60, share: 0.3 },
      { name: "bounced", count: 40, share: 0.2 },
    ]);
    assert.deepEqual(lossesOf({ channel: "email", results: { ...results, delivered: 160 } }), [
      { name: "bounced", count: 40, share: 0.2 },
    ]);
  });

  it("is followed by the mail that has not left, and never says of an ended campaign that any comes", () => {
    const postponedBy = { localHour: 4, quiet: 6, pressure: 7, cap: 3 };
    const email = { postponedBy, waiting: 25, suppressed: 1, withdrawn: 8, unconfirmed: 2 };
    assert.deepEqual(notLeftOf(email, "running"), [
      { why: "localHour", count: 4 },
      { why: "quiet", count: 6 },
      { why: "pressure", count: 7 },
      { why: "cap", count: 3 },
      { why: "suppressed", count: 1 },
      { why: "withdrawn", count: 8 },
      { why: "unconfirmed", count: 2 },
    ]);
    assert.deepEqual(notLeftOf(email, "ended"), [
      { why: "ended", count: 25 },
      { why: "suppressed", count: 1 },
      { why: "withdrawn", count: 8 },
    ]);
    const nothing = { localHour: 0, quiet: 0, pressure: 0, cap: 0 };
    const none = { postponedBy: nothing, waiting: 0, suppressed: 0, withdrawn: 0, unconfirmed: 0 };
    assert.deepEqual(notLeftOf(none, "ended"), []);
  });

  it("has no step for conversions where no goal counts them", () => {
    const names = funnelSteps({ channel: "web_inapp", results: { ...results, converted: null } });
    assert.deepEqual(
      names.map(({ name }) => name),
      ["shown", "clicked"],
    );
  });
});

describe("what can be done with a campaign", () => {
  const actionsIn = (
    status: Campaign["status"],
    effectiveStatus: Campaign["effectiveStatus"],
    journeyStep: Campaign["journeyStep"] = null,
  ) => actionsOf({ status, effectiveStatus, journeyStep } as Campaign);

  it("follows from its state", () => {
    assert.deepEqual(actionsIn("draft", "draft"), ["launch", "end"]);
    assert.deepEqual(actionsIn("running", "running"), ["pause", "end"]);
    assert.deepEqual(actionsIn("running", "scheduled"), ["pause", "end"]);
    assert.deepEqual(actionsIn("paused", "paused"), ["launch", "end"]);
    assert.deepEqual(actionsIn("running", "expired"), ["end"]);
    assert.deepEqual(actionsIn("ended", "ended"), []);
  });

  it("is a pause alone, and its end, where it is the message of a step", () => {
    const step = { journeyId: "jrn_1", stepId: "welcome" };
    assert.deepEqual(actionsIn("draft", "draft", step), []);
    assert.deepEqual(actionsIn("running", "running", step), ["pause"]);
    assert.deepEqual(actionsIn("paused", "paused", step), ["launch"]);
    assert.deepEqual(actionsIn("ended", "ended", step), []);
  });
});

describe("a campaign for visitors", () => {
  const web = {
    channel: "web_inapp",
    deliverFrom: null,
    deliverUntil: null,
    once: false,
    passEndedAt: null,
    status: "draft",
  } as const;

  it("says at its launch whom it reaches, who are visitors where it is for them alone", () => {
    const sentence = (visitors: CampaignDetail["visitors"], count: number) =>
      launchSentence({ ...web, visitors }, count, 0);
    assert.equal(sentence("none", 2), "2 known users get it when they come");
    assert.equal(sentence("also", 2), "2 known users get it when they come");
    assert.equal(sentence("only", 2), "2 known visitors get it when they come");
    assert.equal(sentence("only", 0), "No known visitor gets it; whoever comes and matches does");
  });
});

describe("who gets a campaign later", () => {
  it("is said with what they wait for, where they do", () => {
    const sentence = (localHour: number, quiet: number, pressure: number) =>
      laterSentence({ later: { localHour, quiet, pressure } });
    assert.equal(sentence(0, 0, 0), null);
    assert.equal(sentence(0, 1, 0), "Of them, as of now, 1 waits for the end of their quiet hours.");
    assert.equal(
      sentence(1200, 2, 1),
      "Of them, as of now, 1,200 wait for their hour, 2 wait for the end of their quiet hours, 1 waits because they got enough lately.",
    );
  });
});

describe("a copy", () => {
  const campaign = {
    channel: "web_inapp",
    visitors: "also",
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
        kind: "segment",
        segmentId: "seg_1",
        segmentKey: "k",
        segmentVersion: 3,
        expression,
        reason: "why",
        ...described,
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

const statisticsOf = (verdicts: readonly [ComparisonVerdict, number][], mismatch = false): Statistics =>
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
    assert.deepEqual(comparisonFinding(statistics), { kind: "better", variantId: "var_2", lower: 0.05 });
  });

  it("names none that users do not get, as the rule that ships does", () => {
    const { sampleRatio, variants } = statisticsOf([
      ["better", 0.05],
      ["worse", -0.5],
      ["better", 0.02],
    ]);
    const weighing = (...weights: number[]) =>
      comparisonFinding({
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
    assert.deepEqual(comparisonFinding(statisticsOf([["better", 0.2]], true)), { kind: "mismatch" });
  });

  it("keeps the control once all others are worse or similar, and waits before", () => {
    const lost: [ComparisonVerdict, number][] = [
      ["worse", -0.5],
      ["similar", -0.01],
    ];
    assert.deepEqual(comparisonFinding(statisticsOf(lost)), { kind: "control", count: 2 });
    assert.deepEqual(comparisonFinding(statisticsOf([...lost, ["undecided", 0]])), { kind: "undecided" });
    assert.deepEqual(comparisonFinding(statisticsOf([])), { kind: "alone" });
  });

  const comparisonOf = (lower: number, upper: number | null, estimate: number | null = 0.2) => ({
    since: 10,
    eValue: 2,
    verdict: "undecided" as ComparisonVerdict,
    bestChance: 0.5,
    firstClaimAt: null,
    relative: { estimate, lower, upper },
    absolute: { estimate: null, lower: null, upper: null },
    rates: null,
  });
  const withBand = (comparison: object, days: readonly (readonly [number, number | null, number])[]) =>
    ({
      variants: [
        { variantId: "var_0", isControl: true, comparison: null },
        { variantId: "var_1", isControl: false, comparison },
      ],
      series: days.map(([at, lower, convertedUsers]) => ({
        at,
        variants: [
          { variantId: "var_0", convertedUsers },
          { variantId: "var_1", convertedUsers, lower, upper: null, eValue: lower === null ? null : 2 },
        ],
      })),
    }) as unknown as Statistics;

  it("has a band since its comparison began, once both have conversions, that ends with what it says now", () => {
    const statistics = withBand(comparisonOf(-0.1, 0.4), [
      [9, -0.5, 7] as const,
      [11, -1, 0] as const,
      [12, null, 7] as const,
      [13, -0.4, 1] as const,
      [14, -0.3, 7] as const,
    ]);
    assert.deepEqual(bandOf(statistics, "var_1", 15), [
      { at: 13, lower: -0.4, upper: null },
      { at: 14, lower: -0.3, upper: null },
      { at: 15, lower: -0.1, upper: 0.4 },
    ]);
    assert.deepEqual(bandOf(statistics, "var_1", 14).at(-1), { at: 14, lower: -0.1, upper: 0.4 });
    assert.deepEqual(bandOf(statistics, "var_0", 15), []);
  });

  it("has no band where nobody on one side converted, unless a difference is claimed", () => {
    for (const estimate of [null, -1])
      assert.deepEqual(bandOf(withBand(comparisonOf(-1, null, estimate), [[11, -1, 0]]), "var_1", 15), []);
    assert.deepEqual(
      bandOf(
        withBand(comparisonOf(0.5, null, null), [
          [11, -1, 0],
          [12, 0.2, 0],
        ]),
        "var_1",
        15,
      ),
      [
        { at: 12, lower: 0.2, upper: null },
        { at: 15, lower: 0.5, upper: null },
      ],
    );
  });

  it("names rates side by side where those of all users say something else", () => {
    const rate = (estimate: number | null) => ({ estimate, lower: 0, upper: 1 });
    const compared = (own: number | null, rates: { variant: number; control: number } | null) =>
      ({ rate: rate(own), comparison: { ...comparisonOf(-0.7, -0.2, -0.5), rates } }) as never;
    const control = { rate: rate(0.2) } as never;
    const worse = { variant: 0.2, control: 0.4 };
    assert.deepEqual(ratesSideBySide(compared(0.3, worse), control), worse);
    assert.equal(ratesSideBySide(compared(0.1, { variant: 0.101, control: 0.199 }), control), null);
    assert.equal(ratesSideBySide(compared(null, worse), control), null);
    assert.equal(ratesSideBySide(compared(0.3, null), control), null);
  });

  it("began anew when its text, or the control's, was changed last", () => {
    const text = (variantId: string, until: number, because: "text" | "control_text") =>
      ({ variantId, until, because }) as EarlierText;
    const earlier = [text("var_1", 5, "text"), text("var_1", 10, "control_text"), text("var_0", 10, "text")];
    const variant = (variantId: string, since: number | null) =>
      ({ variantId, comparison: since === null ? null : { since } }) as VariantStatistics;
    assert.deepEqual(beganAnew(earlier, variant("var_1", 10)), { at: 10, because: "control_text" });
    assert.deepEqual(beganAnew(earlier, variant("var_0", null)), { at: 10, because: "text" });
    assert.equal(beganAnew(earlier, variant("var_2", 1)), null);
  });
});

describe("a text that would be changed", () => {
  const variant = (id: string, name: string, title: string) => ({
    id,
    name,
    weight: 3,
    isControl: id === "var_0",
    content: { presentation: "toast", title },
  });
  const before = {
    ...newCampaignDraft("web_inapp"),
    variants: [variant("var_0", "Plain", "a"), variant("var_1", "Plain 2", "b")],
  };

  it("becomes a variant of its own, beside its former text", () => {
    const draft = withVariant(before, 0, { content: { presentation: "toast", title: "c" }, weight: 5 });
    const apart = asNewVariant(before, draft, "var_0");
    assert.deepEqual(
      apart?.variants.map(({ id, name, weight, isControl, content }) => [
        id,
        name,
        weight,
        isControl,
        content.title,
      ]),
      [
        ["var_0", "Plain", 5, true, "a"],
        ["var_1", "Plain 2", 3, false, "b"],
        [null, "Plain 3", 5, false, "c"],
      ],
    );
    assert.equal(asNewVariant(before, draft, "var_1"), null, "this one has its former text");
    const full = Array.from({ length: 10 }, (_, place) => variant(`var_${place}`, `V${place}`, "x"));
    const crowded = { ...before, variants: full };
    const edited = withVariant(crowded, 0, { content: { presentation: "toast", title: "c" } });
    assert.equal(asNewVariant(crowded, edited, "var_0"), null, "ten are as many as there may be");
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
      lift: [0.05, 0.1, 0.2, 0.5][index] ?? 0,
      days50,
      users50: null,
      users80: null,
      days80: null,
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
  const made = {
    createdAt: 1_000,
    createdBy: "human",
    deliverFrom: null,
    deliverUntil: null,
    endedBy: null,
  };
  const DAY = 86_400_000;
  const verbs = (campaign: Parameters<typeof datesOf>[0]) =>
    datesOf(campaign).map((date) => date.replace(/ \w{3} \d+, \d{4}.*?(AM|PM)/, ""));

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

  it("say who ended it, where that is known", () => {
    const ended = { ...made, startedAt: 1, endedAt: DAY, effectiveStatus: "ended" } as const;
    const ender = { name: null, at: DAY, runId: null };
    const endOf = (endedBy: Campaign["endedBy"]) => verbs({ ...ended, endedBy }).at(-1);
    assert.equal(endOf({ ...ender, by: "human", name: "Moreau" }), "ended by Moreau");
    assert.equal(endOf({ ...ender, by: "human" }), "ended by a person");
    assert.equal(endOf({ ...ender, by: "api" }), "ended by a program");
    assert.equal(endOf({ ...ender, by: "itself" }), "ended by itself: it was sent once");
  });
});

describe("a campaign that is sent once", () => {
  const DAY = 86_400_000;
  const mail = {
    channel: "email",
    visitors: "none",
    deliverFrom: null,
    deliverUntil: null,
    status: "draft",
  } as const;
  const once = { ...mail, once: true, passEndedAt: null } as const;
  const onward = { ...mail, once: false, passEndedAt: null } as const;

  it("says at its launch whom it reaches, when, and that it ends; any other, that it goes on", () => {
    const sentence = (launched: Parameters<typeof launchSentence>[0], users = 40) =>
      launchSentence(launched, users, DAY).replaceAll(/ Jan \d, 1970.*?(AM|PM)/g, " then");
    const ends = ". Then it ends by itself; whoever matches later gets nothing.";
    assert.equal(sentence(once), `40 users get this mail${ends}`);
    assert.equal(sentence(once, 1), `1 user gets this mail${ends}`);
    assert.equal(sentence({ ...once, channel: "push" }), `40 users get this push${ends}`);
    assert.equal(
      sentence({ ...once, deliverFrom: 3 * DAY }),
      `40 users get this mail, as of now, when it begins then${ends}`,
    );
    assert.equal(sentence({ ...once, deliverFrom: 1 }), sentence(once), "its time has begun");
    assert.equal(sentence(onward), "40 users get this mail, and whoever matches later, until you end it.");
    assert.equal(
      sentence({ ...onward, deliverUntil: 3 * DAY }),
      "40 users get this mail, and whoever matches later, until you end it or its time is over, then.",
    );
    assert.match(sentence({ ...once, status: "paused", passEndedAt: DAY }, 0), /^No further user gets it/);
    assert.equal(
      sentence({ ...once, channel: "web_inapp", once: false }),
      "40 known users get it when they come",
    );
  });

  it("says what it waits for while it runs", () => {
    const how = (left: number, unknown: number, passEndedAt: number | null = DAY) =>
      sendingOf({ channel: "email", passEndedAt }, { left, unknown });
    assert.match(how(3, 0, null), /goes through its audience now, and 3 mails wait to leave so far/);
    assert.match(how(2, 0), /^Sending once: 2 mails left\. Then it ends by itself\. It had gone/);
    assert.match(how(0, 1), /^It does not end before a person decides about 1 mail whose fate is unknown\./);
    assert.match(how(1, 2), /1 mail left.*2 mails whose fate is unknown/);
    assert.match(how(0, 0), /^Sent\. It ends by itself in a moment\./);
  });

  it("leaves when its original does, as a copy", () => {
    const when = { sendTime: { at: "09:00", zone: "user" }, priority: 4, patienceHours: 6, urgent: true };
    const copied = copyOf(
      {
        channel: "email",
        once: true,
        goalId: null,
        push: null,
        variants: [],
        audience: { kind: "all" },
        ...when,
      } as unknown as CampaignDetail,
      "Copy",
    );
    const { sendTime, priority, patienceHours, urgent } = copied ?? {};
    assert.deepEqual({ sendTime, priority, patienceHours, urgent }, when);
  });

  it("stays one as a copy, and none is made of another or on the web", () => {
    const copied = (channel: Campaign["channel"], isOnce: boolean) =>
      copyOf(
        {
          channel,
          once: isOnce,
          pages: null,
          goalId: null,
          push: null,
          variants: [],
          audience: { kind: "all" },
        } as unknown as CampaignDetail,
        "Copy",
      )?.once;
    assert.deepEqual(
      [copied("email", true), copied("email", false), copied("push", true), copied("web_inapp", false)],
      [true, false, true, undefined],
    );
  });
});

describe("who paused a campaign", () => {
  const pauseBy = (pausedBy: Parameters<typeof pauseOf>[0]["pausedBy"]) =>
    pauseOf({ status: "paused", pausedBy });
  const pause = { name: null, at: 1, runId: null, guardrail: null };

  it("is named, or nobody knows any more", () => {
    assert.equal(pauseOf({ status: "running", pausedBy: null }), null);
    assert.equal(pauseBy(null), "Nobody knows any more who paused it");
    assert.match(pauseBy({ ...pause, by: "human", name: "Moreau" }) ?? "", /^Paused by Moreau, /);
    assert.match(pauseBy({ ...pause, by: "api" }) ?? "", /^Paused by a program, /);
    assert.match(pauseBy({ ...pause, by: "agent" }) ?? "", /^Paused by an agent, /);
    assert.match(pauseBy({ ...pause, by: "import" }) ?? "", /^Paused by the import, /);
    const limited = { ...pause, by: "guardrail", guardrail: "minConversionRate" } as const;
    assert.match(pauseBy(limited) ?? "", /^Paused for a limit of its goal \(Least conversions\), /);
  });
});

describe("what a campaign comes to for a user", () => {
  const DAY = Date.UTC(2026, 0, 15);
  type Delivery = Extract<Gate, { gate: "delivery" }>["delivery"];
  const cap = (postponedUntil: number | null): Gate => ({
    gate: "cap",
    passes: false,
    note: "",
    capMax: 1,
    capHours: 24,
    accepted: 1,
    inFlight: 0,
    freeAt: DAY,
    overCap: postponedUntil === null ? "skip" : "postpone",
    postponedUntil,
  });
  const verdict = (outcome: Explanation["outcome"], delivery: Delivery, blocking: Gate | null = null) => {
    const gates: Gate[] = [{ gate: "delivery", passes: delivery?.isOpen ?? true, note: "", delivery }];
    const first = gates.find(({ passes }) => passes === false) ?? blocking;
    if (blocking !== null) gates.push(blocking);
    const question = { campaignId: "cmp_1", channel: "email" as const, userId: "ada", evaluatedAt: 1 };
    return verdictOf({ ...question, outcome, blockedBy: first?.gate ?? null, gates });
  };
  const delivery = (state: NonNullable<Delivery>["state"], isOpen: boolean): Delivery => ({
    id: "del_1",
    variantId: "var_1",
    queuedAt: 1,
    state,
    isOpen,
  });

  it("is what the user has, and not what was planned", () => {
    assert.equal(verdict("delivered", delivery("opened", false)), "delivered");
    for (const state of ["frequency_capped", "withdrawn", "failed", "bounced"] as const)
      assert.equal(verdict("delivered", delivery(state, false)), "lost");
    assert.equal(verdict("delivered", delivery("queued", true)), "would_receive");
    const ended: Gate = { gate: "status", passes: false, note: "", status: "ended" };
    assert.equal(verdict("delivered", delivery("queued", true), ended), "stopped");
    assert.equal(verdict("delivered", delivery("queued", true), cap(DAY)), "postponed");
    assert.equal(verdict("delivered", delivery("queued", true), cap(null)), "stopped");
    assert.equal(verdict("postponed", null, cap(DAY)), "postponed");
    assert.equal(verdict("blocked", null, cap(null)), "blocked");
    const failed = { passes: false, note: "" } as const;
    const gates: Gate[] = [
      { gate: "time", ...failed, zone: "Europe/Berlin", until: DAY },
      { gate: "quiet", ...failed, quiet: "21:00-08:00", zone: "Europe/Berlin", until: DAY },
      { gate: "pressure", ...failed, max: 3, hours: 168, had: 3, until: DAY },
      { gate: "pressure", ...failed, max: 3, hours: 168, had: 2, until: null },
    ];
    for (const gate of gates) {
      assert.equal(delays(gate), true, gate.gate);
      assert.equal(verdict("delivered", delivery("queued", true), gate), "postponed", gate.gate);
    }
    assert.deepEqual([delays(cap(DAY)), delays(cap(null)), delays(ended)], [true, false, false]);
  });
});

import type { Answer } from "@tidings/client";
import { lineFacts } from "./audience.ts";
import {
  type Counts,
  count,
  countsOf,
  deliveriesOf,
  goalOf,
  type Side,
  servedSide,
  type Truth,
  variantSide,
} from "./truth.ts";
import type { Facts, View } from "./view.ts";
import { change, day, listOf, number, percent, row, things, time } from "./written.ts";

type Campaign = Truth["campaigns"][number];
type Goal = Truth["goals"][number];
type Statistics = Answer<"getCampaignConversions">["statistics"];
type Holdout = Answer<"getGoalConversions">["holdout"];
type Ends = { lower: number; upper: number | null };

/** What a message goes through on each channel, in the words of the page. */
const STEPS: Readonly<Record<Campaign["channel"], readonly (keyof Counts)[]>> = {
  web_inapp: ["shown", "clicked", "converted"],
  email: ["sent", "delivered", "opened", "clicked", "converted"],
  push: ["sent", "delivered", "clicked", "converted"],
};
const LOSSES = ["frequencyCapped", "bounced", "dismissed", "complained", "unsubscribed"] as const;

const NAMES: Readonly<Record<string, string>> = {
  sent: "Sent",
  delivered: "Delivered",
  shown: "Shown",
  opened: "Opened",
  clicked: "Clicked",
  converted: "Converted",
  dismissed: "Dismissed",
  bounced: "Bounced",
  complained: "Complained",
  unsubscribed: "Unsubscribed",
  frequencyCapped: "Left out by the cap",
};

/** How many messages a campaign began with: shown, or sent. */
export const reachedOf = (counts: Counts, { channel }: Campaign): number =>
  counts[channel === "web_inapp" ? "shown" : "sent"];

const days = ({ attributionDays }: Goal): string =>
  attributionDays === 1 ? "a day" : `${attributionDays} days`;

function funnel(truth: Truth, campaign: Campaign): string[] {
  const counts = countsOf(truth, campaign);
  const all = reachedOf(counts, campaign);
  if (all === 0) return [];
  const goal = goalOf(truth, campaign);
  const steps = STEPS[campaign.channel].filter((name) => name !== "converted" || goal !== null);
  const names = [...steps, ...LOSSES.filter((name) => counts[name] > 0)];
  const step = (name: string, reached: number) => `${name}: ${number(reached)} ${percent(reached / all)}`;
  const unheard = campaign.channel === "email" ? counts.sent - counts.delivered - counts.bounced : 0;
  const states = count(deliveriesOf(truth, campaign), ({ convertedAt }) => convertedAt !== null);
  const about = [
    ...(goal === null
      ? []
      : [`Converted: users who did “${goal.targetEvent}” within ${days(goal)} after they met the message.`]),
    ...(states === counts.converted
      ? []
      : [
          `Among the deliveries, ${things(states, "has", "have")} the state Converted. It has no window, wants a tap of a push, and can be reported by your pages.`,
        ]),
  ];
  return [
    ...names.map((name) => step(NAMES[name] ?? name, counts[name])),
    ...(unheard > 0 ? [step("No report yet", unheard)] : []),
    about.join(" "),
  ];
}

const [WAITS, WAIT] = ["more waits for its window", "more wait for their window"];

const users = ({ matured, pending }: Pick<Side, "matured" | "pending">): string =>
  `${number(matured)}${pending > 0 ? ` / ${things(pending, WAITS, WAIT)}` : ""}`;

/** The share that converted, by own count, with the ends that the server computes: they are right where users are split as the weights say. */
function rate({ matured, converted }: Side, { lower, upper }: Ends, isBroken: boolean): string {
  if (matured === 0) return "no users yet";
  const share = percent(converted / matured);
  return isBroken ? share : `${share} / ${percent(lower)} to ${percent(upper ?? 0)}`;
}

/** Whether a difference is claimed: one of its ends is beyond no difference. */
const isClaimed = ({ lower, upper }: Ends): boolean => lower > 0 || (upper !== null && upper < 0);

/** A difference between users of whom some converted on both sides, or where one is claimed all the same. */
function difference(one: Side, other: Side, ends: Ends, isBroken: boolean): string {
  const [rateOfOne, rateOfOther] = [one.converted / one.matured, other.converted / other.matured];
  const isKnown = one.converted > 0 && other.converted > 0;
  if (isBroken || !(isKnown || isClaimed(ends))) return "–";
  const { lower, upper } = ends;
  return [
    ...(other.converted > 0 ? [change(rateOfOne / rateOfOther - 1)] : []),
    upper === null ? `${change(lower)} or more` : `${change(lower)} to ${change(upper)}`,
  ].join(" / ");
}

const VERDICTS = { better: "▲ Better", worse: "▼ Worse", similar: "= Similar", undecided: "… Open" };

function variants(truth: Truth, campaign: Campaign, statistics: Statistics): string[] {
  const control = campaign.variants.find(({ isControl }) => isControl) ?? campaign.variants[0];
  if (control === undefined) throw new Error(`${campaign.name} has no variant.`);
  return campaign.variants.flatMap(({ id, name, weight }) => {
    const found = statistics.variants.find(({ variantId }) => variantId === id);
    if (found === undefined) throw new Error(`The server knows nothing of the variant ${name}.`);
    const side = variantSide(truth, campaign, id);
    const { comparison } = found;
    const { mismatch } = statistics.sampleRatio;
    return row(name, {
      Weight: number(weight),
      Users: users(side),
      Convert: rate(side, found.rate, mismatch),
      ...(comparison !== null && {
        "Against the control": difference(
          side,
          variantSide(truth, campaign, control.id),
          comparison.relative,
          mismatch,
        ),
        Verdict: [
          VERDICTS[comparison.verdict],
          ...(comparison.eValue > 2 && !mismatch
            ? [`By chance in at most 1 of ${number(Math.floor(comparison.eValue))}`]
            : []),
        ].join(" / "),
      }),
    });
  });
}

const end = (upper: number | null): string => (upper === null ? "open yet" : change(upper));

/** The band of each compared variant: the days on which both sides had converted, and how it is now. */
function bands(truth: Truth, campaign: Campaign, { series = [], variants: found, sampleRatio }: Statistics) {
  const control = campaign.variants.find(({ isControl }) => isControl)?.id ?? "";
  return campaign.variants.flatMap(({ id, name }) => {
    const comparison = found.find(({ variantId }) => variantId === id)?.comparison ?? null;
    if (comparison === null || sampleRatio.mismatch) return [];
    const { relative, since } = comparison;
    const sides = [variantSide(truth, campaign, id), variantSide(truth, campaign, control)];
    if (!isClaimed(relative) && sides.some(({ converted }) => converted === 0)) return [];
    const points = series.flatMap(({ at, variants: each }) => {
      const [own, other] = [id, control].map((variant) =>
        each.find(({ variantId }) => variantId === variant),
      );
      if (own === undefined || own.lower === null || at <= since || at >= truth.now) return [];
      const { lower, upper } = own;
      const haveConverted = own.convertedUsers > 0 && (other?.convertedUsers ?? 0) > 0;
      return isClaimed({ lower, upper }) || haveConverted ? [{ at, lower, upper }] : [];
    });
    const reach =
      relative.upper === null
        ? `from ${change(relative.lower)} upwards, without an upper end yet`
        : `from ${change(relative.lower)} to ${change(relative.upper)}`;
    const now = time(truth.now);
    const sentence = `The band around the lift of ${name}, by UTC day, and as of ${now}: now it reaches ${reach}; the line is no difference.`;
    const cells = ({ lower, upper }: Ends) => ({ "At least": change(lower), "At most": end(upper) });
    return [
      // Once for those who see the chart, and once as its name.
      sentence,
      sentence,
      ...points.flatMap((point) => row(day(point.at), cells(point))),
      ...row(now, cells(relative)),
    ];
  });
}

function finding({ sampleRatio, variants: all, plan }: Statistics): string[] {
  const compared = all.flatMap(({ weight, comparison }) => (comparison ? [{ weight, ...comparison }] : []));
  if (sampleRatio.mismatch || compared.length === 0) return [];
  const [best] = compared
    .filter(({ verdict }) => verdict === "better")
    .map(({ relative }) => relative.lower)
    .toSorted((one, other) => other - one);
  if (best !== undefined)
    return [`Users convert at least ${percent(best)} more often. It stays true however often you look.`];
  if (plan === null || compared.every(({ verdict }) => verdict !== "undecided")) return [];
  const lifts = plan.lifts.toSorted((one, other) => one.lift - other.lift);
  const within = lifts.find(({ days50 }) => days50 !== null && days50 <= 365);
  const begin = `At ${things(Math.round(plan.exposedPerDay), "user")} a day and a rate of ${percent(plan.controlRate)},`;
  return [
    within === undefined
      ? `${begin} even a lift of ${percent(lifts.at(-1)?.lift ?? 0)} takes more than a year to show: reach more users, or try texts that differ more.`
      : `${begin} a lift of ${percent(within.lift)} shows within about ${number(within.days50 ?? 0)} days.`,
  ];
}

/** Users who got messages, by own count, beside those who were held out, of whom the server alone knows. */
export function holdout(served: Side, found: Holdout): string[] {
  const { withheld, relative, verdict, served: known, sampleRatio } = found;
  const { mismatch } = sampleRatio;
  const out: Side = {
    matured: withheld.matured.exposedUsers,
    pending: withheld.pending.exposedUsers,
    converted: withheld.matured.convertedUsers,
  };
  const findings = {
    better: `Messages bring conversions: at least ${percent(relative.lower)} more.`,
    worse: `Messages cost conversions: at most ${change(relative.upper ?? 0)}.`,
    similar: "",
    undecided: "",
  };
  return [
    mismatch ? "" : findings[verdict],
    ...row("Got messages", {
      "How many": users(served),
      Convert: rate(served, known.rate, mismatch),
      Difference: difference(served, out, relative, mismatch),
    }),
    ...row("Held out", { "How many": users(out), Convert: rate(out, withheld.rate, mismatch) }),
  ];
}

function split(truth: Truth, campaign: Campaign, { sampleRatio }: Statistics): string[] {
  if (!sampleRatio.mismatch) return [];
  const all = campaign.variants.reduce((sum, { weight }) => sum + weight, 0);
  const { exposed } = countsOf(truth, campaign);
  return campaign.variants.flatMap(({ id, name, weight }) =>
    row(name, {
      "Were exposed": number(countsOf(truth, campaign, id).exposed),
      "As the weights say": number(Math.round((exposed * weight) / all)),
    }),
  );
}

async function claims({ truth }: View, campaign: Campaign, goal: Goal | null): Promise<string[]> {
  // Without a goal there is nothing to count, and no user has met a message of such a campaign in the month.
  if (goal === null)
    return campaign.variants.flatMap(({ id, name, weight }) =>
      row(name, { Weight: number(weight), Users: number(countsOf(truth, campaign, id).exposed) }),
    );
  const { statistics } = await truth.client.getCampaignConversions({
    path: { id: campaign.id },
    query: { event: goal.targetEvent ?? "", series: "day" },
  });
  const { holdoutPercent } = goal;
  return [
    `Counts until ${days(goal)} after a user saw the message.`,
    ...finding(statistics),
    ...variants(truth, campaign, statistics),
    ...bands(truth, campaign, statistics),
    ...split(truth, campaign, statistics),
    ...(statistics.holdout === null
      ? []
      : [
          `The goal holds ${holdoutPercent} % of users out. Here are those whose first message of the goal was of this campaign.`,
          ...holdout(servedSide(truth, goal, campaign), statistics.holdout),
        ]),
  ];
}

/** How many users met a variant, and which share of them converted, in a sentence beside its message. */
export function rateBeside(truth: Truth, campaign: Campaign, variantId: string): string {
  const { matured, converted, pending } = variantSide(truth, campaign, variantId);
  if (matured === 0) return "";
  const rest = pending > 0 ? ` ${things(pending, WAITS, WAIT)}` : "";
  return `${percent(converted / matured)} of ${things(matured, "user")} converted${rest}`;
}

/** What users read of each variant, with who gets it, and what came of it. */
function messages(truth: Truth, campaign: Campaign): string[] {
  const { variants: all, channel, startedAt } = campaign;
  const weights = all.reduce((sum, { weight }) => sum + weight, 0);
  return all.flatMap(({ id, weight, content }) => {
    const reached = reachedOf(countsOf(truth, campaign, id), campaign);
    const { title = "", body = "" } = content as { title?: string; body?: string };
    return [
      `${percent(weight / weights)} of users`,
      ...(startedAt === undefined
        ? []
        : goalOf(truth, campaign) === null
          ? [`${channel === "web_inapp" ? "Shown" : "Sent"} to ${things(reached, "user")}`]
          : [rateBeside(truth, campaign, id)]),
      // A text may have a number of its own.
      `${title}. ${body}`,
    ];
  });
}

const DELIVERIES_A_PAGE = 50;

/** A campaign that an address names. */
export function campaignIn({ truth, names }: View): Campaign {
  const found = truth.campaigns.find(({ id }) => id === names.$campaignId);
  if (found === undefined) throw new Error(`There is no campaign ${names.$campaignId}.`);
  return found;
}

export async function campaignFacts(view: View): Promise<Facts> {
  const { truth } = view;
  const campaign = campaignIn(view);
  const { audience, pages } = campaign;
  const goal = goalOf(truth, campaign);
  const summary = "summary" in audience ? audience.summary : "all users";
  return {
    everywhere: [`Audience: ${summary}${pages === null ? "" : `, on ${pages.join(", ")}`}`],
    Message: messages(truth, campaign),
    Results: [
      ...funnel(truth, campaign),
      ...(campaign.startedAt === undefined ? [] : await claims(view, campaign, goal)),
    ],
    Deliveries: listOf(deliveriesOf(truth, campaign).length, DELIVERIES_A_PAGE),
  };
}

const CAMPAIGNS_A_PAGE = 25;

export const campaignsFacts = ({ truth }: View): Facts => ({
  everywhere: [
    ...truth.campaigns.flatMap((campaign) => {
      const counts = countsOf(truth, campaign);
      return row(campaign.name, {
        ...(campaign.channel === "web_inapp"
          ? { Shown: number(counts.shown) }
          : { Sent: number(counts.sent), Opened: number(counts.opened) }),
        Clicked: number(counts.clicked),
        Converted: goalOf(truth, campaign) === null ? "–" : number(counts.converted),
      });
    }),
    ...listOf(truth.campaigns.length, CAMPAIGNS_A_PAGE),
  ],
});

/** The share of the users of a campaign that a variant gets, and whom its audience is. */
export function editFacts(view: View): Facts {
  const { truth } = view;
  const { variants: all, audience } = campaignIn(view);
  const whole = all.reduce((sum, { weight }) => sum + weight, 0);
  return {
    everywhere: [
      `${number(truth.users.length)} of ${number(truth.users.length)} users`,
      ...(audience.kind === "expression" ? lineFacts(truth, audience.expression) : []),
    ],
    ...Object.fromEntries(
      all.map(({ name, weight }) => [
        `Variant ${name}`,
        [`${percent(weight / whole)} of users. With 0 it gets no further users.`, `[Weight]: ${weight}`],
      ]),
    ),
  };
}

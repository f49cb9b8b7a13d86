import type { Answer, Input } from "@tidings/client";
import { timeOf } from "../../platform/times.ts";
import type { Expression } from "../../ui/audience/tree.pure.ts";
import type { BandPoint } from "../../ui/band.pure.ts";
import { guardrailName } from "../../ui/guardrails/names.ts";
import type { Results } from "../../ui/results.ts";
import { isKnown, wasKnown } from "../../ui/statistics/rules.ts";
import { words } from "./words.ts";

export type Campaign = Answer<"listCampaigns">["campaigns"][number];
export type CampaignDetail = Answer<"getCampaign">["campaign"];
export type Channel = Campaign["channel"];
export type Status = Campaign["effectiveStatus"];
export type Action = Input<"setCampaignStatus">["body"]["action"];
export type Goal = Answer<"getGoal">["goal"];
export type Census = Answer<"takeCampaignCensus">;
export type Review = Answer<"reviewCampaign">;
export type Explanation = Answer<"explainCampaign">;
export type Gate = Explanation["gates"][number];
export type Delivery = Answer<"listCampaignDeliveries">["deliveries"][number];
export type Conversions = Answer<"getCampaignConversions">;
export type Statistics = Conversions["statistics"];
export type VariantStatistics = Statistics["variants"][number];
export type Comparison = NonNullable<VariantStatistics["comparison"]>;
export type Verdict = Comparison["verdict"];

export const STATUSES: readonly Status[] = ["draft", "scheduled", "running", "paused", "expired", "ended"];

type Dated = Pick<
  Campaign,
  "createdAt" | "createdBy" | "startedAt" | "endedAt" | "deliverFrom" | "deliverUntil" | "effectiveStatus"
>;

/** When a campaign was made, went out and ends, in the order of its life. What has not begun was launched, and did not start. */
export function datesOf(campaign: Dated): string[] {
  const { createdAt, createdBy, startedAt, endedAt, deliverFrom, deliverUntil, effectiveStatus } = campaign;
  const dates = [words.madeAt(timeOf(createdAt), words.makers[createdBy] ?? "")];
  if (startedAt !== undefined) {
    const waits = deliverFrom !== null && deliverFrom > startedAt;
    dates.push((waits ? words.launchedAt : words.startedAt)(timeOf(startedAt)));
    if (waits)
      dates.push((effectiveStatus === "scheduled" ? words.begins : words.began)(timeOf(deliverFrom)));
  } else if (deliverFrom !== null) dates.push(words.from(timeOf(deliverFrom)));
  if (endedAt !== undefined) dates.push(words.endedAt(timeOf(endedAt)));
  else if (deliverUntil !== null)
    dates.push((effectiveStatus === "expired" ? words.endedByWindow : words.until)(timeOf(deliverUntil)));
  return dates;
}

/** Who paused a campaign, when, and for which limit; null where it is not paused. */
export function pauseOf({ status, pausedBy }: Pick<Campaign, "status" | "pausedBy">): string | null {
  if (status !== "paused") return null;
  if (pausedBy === null) return words.pausedBy.nobody;
  const { by, name, at, guardrail } = pausedBy;
  if (by === "human") return words.pausedBy.human(name ?? words.aPerson, timeOf(at));
  if (by === "guardrail")
    return words.pausedBy.guardrail(guardrail === null ? "" : guardrailName(guardrail), timeOf(at));
  return words.pausedBy[by](timeOf(at));
}

/** What a message goes through on each channel, in order. */
const STEPS = {
  web_inapp: ["shown", "clicked", "converted"],
  email: ["sent", "delivered", "opened", "clicked", "converted"],
  push: ["sent", "delivered", "clicked", "converted"],
} as const satisfies Record<Channel, readonly (keyof Results)[]>;

/** The first step of each channel, of which the others are shares. */
export const FIRST_STEPS = {
  web_inapp: "shown",
  email: "sent",
  push: "sent",
} as const satisfies Record<Channel, keyof Results>;

/** What goes wrong with a message, or is turned down. */
const LOSSES = [
  "frequencyCapped",
  "bounced",
  "dismissed",
  "complained",
  "unsubscribed",
] as const satisfies readonly (keyof Results)[];

export type Step = { name: keyof Results | "unheard"; count: number; share: number | null };

/** Results of a campaign on its channel. */
type Counted = { channel: Channel; results: Results };

const allOf = ({ channel, results }: Counted): number => results[FIRST_STEPS[channel]];

const stepOf = (name: Step["name"], count: number, all: number): Step => ({
  ...{ name, count },
  share: all === 0 ? null : count / all,
});

/** A step for each figure that is counted: without a goal nobody converts. */
const stepsFrom = (names: readonly (keyof Results)[], counted: Counted): Step[] =>
  names.flatMap((name) => {
    const count = counted.results[name];
    return count === null ? [] : [stepOf(name, count, allOf(counted))];
  });

/** How many deliveries reached each step, with their share of those that reached the first one. */
export const stepsOf = (counted: Counted): Step[] => stepsFrom(STEPS[counted.channel], counted);

/** Mail that was handed over and of which nothing was heard since, so that all that was sent is accounted for. */
function unheardOf(counted: Counted): Step[] {
  const { sent, delivered, bounced } = counted.results;
  return counted.channel === "email" ? [stepOf("unheard", sent - delivered - bounced, allOf(counted))] : [];
}

/** What was lost on the way, where something was. */
export const lossesOf = (counted: Counted): Step[] =>
  [...unheardOf(counted), ...stepsFrom(LOSSES, counted)].filter(({ count }) => count > 0);

/** What can be done with a campaign: the same states as on the server, which refuses the rest. */
export function actionsOf({ status, effectiveStatus }: Campaign): readonly Action[] {
  if (status === "ended") return [];
  if (effectiveStatus === "expired") return ["end"];
  return status === "running" ? ["pause", "end"] : ["launch", "end"];
}

type Body = Input<"createCampaign">["body"];

/** An audience as a request names it; undefined for one that cannot be read. A segment keeps its version. */
export function audienceFor(audience: Campaign["audience"]): Body["audience"] | undefined {
  switch (audience.kind) {
    case "all":
      return audience;
    case "expression": {
      const { kind, expression, reason } = audience;
      return { kind, expression, ...(reason !== null && { reason }) };
    }
    case "segment":
      return { kind: "segment", segment: audience.segmentId, version: audience.segmentVersion };
    case "invalid":
      return undefined;
  }
}

/**
 * A draft with the content of a campaign, without its delivery window, which may be over. Null where its audience cannot be read: a copy
 * would go to others.
 */
export function copyOf(
  { channel, audience, pages, goalId, push, variants }: CampaignDetail,
  name: string,
): Body | null {
  const known = audienceFor(audience);
  if (known === undefined) return null;
  return {
    name,
    channel,
    audience: known,
    ...(channel === "web_inapp" && { pages }),
    goalId,
    variants: variants.map(({ name: called, weight, isControl, content }) => ({
      name: called,
      weight,
      isControl,
      message: content as NonNullable<Body["message"]>,
    })),
    ...(push !== null && { push }),
  };
}

/** Whom a campaign is for, in words; null for all users. */
export const summaryOf = ({ audience }: Campaign): string | null =>
  "summary" in audience ? audience.summary : null;

const MAX_NAME = 80;

/** A name for a copy, within what the server takes. */
export const nameOfCopy = (name: string, suffix: string): string =>
  `${name.slice(0, MAX_NAME - suffix.length)}${suffix}`;

/** What may be said of a comparison as a whole, from the most to the least important. */
export type Finding =
  | { kind: "mismatch" }
  | { kind: "better"; variantId: string; lower: number }
  | { kind: "control"; count: number }
  | { kind: "undecided" }
  | { kind: "alone" };

/**
 * Of several that are better, the one with the highest lower end is named, as the rule that ships does; and like it, this speaks of
 * variants that users get, unless they get the control alone.
 */
export function findingOf({ variants, sampleRatio }: Statistics): Finding {
  if (sampleRatio.mismatch) return { kind: "mismatch" };
  const all = variants.flatMap(({ variantId, weight, comparison }) =>
    comparison === null ? [] : [{ variantId, weight, ...comparison }],
  );
  if (all.length === 0) return { kind: "alone" };
  const live = all.filter(({ weight }) => weight > 0);
  const compared = live.length > 0 ? live : all;
  const [best] = compared
    .filter(({ verdict }) => verdict === "better")
    .toSorted((one, other) => other.relative.lower - one.relative.lower);
  if (best !== undefined) return { kind: "better", variantId: best.variantId, lower: best.relative.lower };
  const isLost = ({ verdict }: { verdict: Verdict }) => verdict === "worse" || verdict === "similar";
  return compared.every(isLost) ? { kind: "control", count: compared.length } : { kind: "undecided" };
}

/**
 * The band around the lift of a variant: day by day since its comparison began, and as it is now, so that it ends with what the table
 * says. Days on which nobody on one side had converted say nothing.
 */
export function bandOf(
  { series = [], variants }: Statistics,
  variantId: string,
  evaluatedAt: number,
): BandPoint[] {
  const comparison = variants.find((variant) => variant.variantId === variantId)?.comparison ?? null;
  const control = variants.find(({ isControl }) => isControl)?.variantId;
  if (comparison === null || !isKnown(comparison.relative)) return [];
  const days = series.flatMap(({ at, variants: ofDay }): BandPoint[] => {
    const day = ofDay.find((variant) => variant.variantId === variantId);
    if (day === undefined || day.lower === null || at <= comparison.since || at >= evaluatedAt) return [];
    const { lower, upper } = day;
    const sides = ofDay.filter((each) => each.variantId === variantId || each.variantId === control);
    return wasKnown({ lower, upper }, sides) ? [{ at, lower, upper }] : [];
  });
  const { lower, upper } = comparison.relative;
  return [...days, { at: evaluatedAt, lower, upper }];
}

/** A former text of a variant, or one of the control that a variant was compared with. */
export type EarlierText = NonNullable<Conversions["earlier"]>[number];

/** Since when a variant is counted anew, because its own text or that of the control was changed; null where it never began anew. */
export function beganAnew(
  earlier: readonly EarlierText[],
  { variantId, comparison }: VariantStatistics,
): { at: number; because: EarlierText["because"] } | null {
  const [newest] = earlier
    .filter((text) => text.variantId === variantId)
    .toSorted((one, other) => other.until - one.until);
  return newest === undefined
    ? null
    : { at: Math.max(newest.until, comparison?.since ?? 0), because: newest.because };
}

/** How far apart two rates are that a person would call the same. */
const APART = 0.1;

const areApart = (one: number, other: number): boolean =>
  Math.abs(one - other) > APART * Math.max(one, other);

/**
 * The rates of a variant and of the control that may be set beside each other; null where the rates of all their users may be. Where shares
 * moved, a variant may have more of its users from better times, and its rate then says so.
 */
export function ratesSideBySide(
  { rate, comparison }: VariantStatistics,
  control: VariantStatistics | undefined,
): NonNullable<Comparison["rates"]> | null {
  const [own, other] = [rate.estimate, control?.rate.estimate ?? null];
  if (comparison === null || own === null || other === null) return null;
  const { rates, relative } = comparison;
  if (rates === null || !isKnown(relative)) return null;
  const isContradicted = (own - other) * (rates.variant - rates.control) < 0;
  return isContradicted || areApart(rates.variant, own) || areApart(rates.control, other) ? rates : null;
}

/** The words of a message by which people know it: its title or subject, then its text. */
export function wordsOf(content: EarlierText["content"]): { title: string; text: string } | null {
  if (content === null) return null;
  const { title, subject, body } = content as Readonly<Record<string, unknown>>;
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  return { title: text(title) || text(subject), text: text(body) };
}

/** The conditions of the audience of a campaign; null for all users, and for one that cannot be read. */
export const expressionOf = ({ audience }: CampaignDetail): Expression | null =>
  "expression" in audience ? audience.expression : null;

/** The condition that stops a campaign for a user first; null where none does. Who has had the campaign is not stopped by that. */
export function stopOf({ outcome, blockedBy, gates }: Explanation): Gate | null {
  if (outcome === "delivered" && blockedBy === "delivery") return null;
  return gates.find(({ gate }) => gate === blockedBy) ?? null;
}

/** Sentences that say what becomes of the campaign for a user who gets it, or has had it. */
export function reasonsOf({ outcome, gates }: Explanation): string[] {
  if (outcome === "delivered") return gates.filter(({ gate }) => gate === "delivery").map(({ note }) => note);
  if (outcome !== "would_receive") return [];
  const isOpen = (gate: Gate): boolean => gate.gate === "page" && gate.passes === null;
  return gates.filter((gate) => gate.gate === "variant" || isOpen(gate)).map(({ note }) => note);
}

/** The names of variants by id. */
export type Names = ReadonlyMap<string, string>;

export const nameIn = (names: Names, variantId: string): string => names.get(variantId) ?? variantId;

/** When something last happened to a delivery, epoch ms. */
export const lastChangeOf = (delivery: Delivery): number =>
  Math.max(
    ...Object.entries(delivery).flatMap(([name, value]) =>
      name.endsWith("At") && typeof value === "number" ? [value] : [],
    ),
  );

const YEAR_DAYS = 365;

/**
 * The smallest lift that shows within a year in half of all runs, and within how many days; with null where even the largest one takes longer,
 * because nobody waits for that.
 */
export function outlookOf({ lifts }: Pick<NonNullable<Statistics["plan"]>, "lifts">): {
  lift: number;
  days: number | null;
} {
  const rising = lifts.toSorted((a, b) => a.lift - b.lift);
  const shown = rising.find(({ days50 }) => days50 !== null && days50 <= YEAR_DAYS);
  return { lift: (shown ?? rising.at(-1))?.lift ?? 0, days: shown?.days50 ?? null };
}

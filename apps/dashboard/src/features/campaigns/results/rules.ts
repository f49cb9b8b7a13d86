import type { Answer } from "@tidings/client";
import type { CampaignDetail, Channel } from "../../../platform/api-types.ts";
import type { Results } from "../../../ui/campaigns/results.ts";
import type { BandPoint } from "../../../ui/charts/band.pure.ts";
import type { Statistics, VariantStatistics } from "../../../ui/statistics/comparison.ts";
import { isKnown, wasKnown } from "../../../ui/statistics/rules.ts";
import { FIRST_STEPS, liveVariants } from "../rules.ts";

export type Conversions = Answer<"getCampaignConversions">;

/** What a message goes through on each channel, in order. */
const STEPS = {
  web_inapp: ["shown", "clicked", "converted"],
  email: ["sent", "delivered", "opened", "clicked", "converted"],
  push: ["sent", "delivered", "clicked", "converted"],
} as const satisfies Record<Channel, readonly (keyof Results)[]>;

/** What goes wrong with a message, or is turned down. */
const LOSSES = [
  "frequencyCapped",
  "bounced",
  "dismissed",
  "complained",
  "unsubscribed",
] as const satisfies readonly (keyof Results)[];

export type FunnelStep = { name: keyof Results | "unheard"; count: number; share: number | null };

/** Results of a campaign on its channel. */
type Counted = { channel: Channel; results: Results };

const allOf = ({ channel, results }: Counted): number => results[FIRST_STEPS[channel]];

const stepOf = (name: FunnelStep["name"], count: number, all: number): FunnelStep => ({
  name,
  count,
  share: all === 0 ? null : count / all,
});

/** A step for each figure that is counted: without a goal no user converts. */
const stepsFrom = (names: readonly (keyof Results)[], counted: Counted): FunnelStep[] =>
  names.flatMap((name) => {
    const count = counted.results[name];
    return count === null ? [] : [stepOf(name, count, allOf(counted))];
  });

/** How many deliveries reached each step, with their share of those that reached the first one. */
export const funnelSteps = (counted: Counted): FunnelStep[] => stepsFrom(STEPS[counted.channel], counted);

/** Mail that was handed over and of which no report has come since, so that all that was sent is accounted for. */
function unheardOf(counted: Counted): FunnelStep[] {
  const { sent, delivered, bounced } = counted.results;
  return counted.channel === "email" ? [stepOf("unheard", sent - delivered - bounced, allOf(counted))] : [];
}

/** What was lost on the way, where something was. */
export const lossesOf = (counted: Counted): FunnelStep[] =>
  [...unheardOf(counted), ...stepsFrom(LOSSES, counted)].filter(({ count }) => count > 0);

type CampaignEmail = Answer<"getCampaignEmail">;
type NotLeft = {
  why: keyof CampaignEmail["postponedBy"] | "ended" | "suppressed" | "withdrawn" | "unconfirmed";
  count: number;
};

/** Mail that has not left, and why, where there is any: what it waits for, its campaign ended before, or its address takes none. */
export function notLeftOf(
  email: Pick<CampaignEmail, "postponedBy" | "waiting" | "suppressed" | "withdrawn" | "unconfirmed">,
  status: CampaignDetail["status"],
): NotLeft[] {
  const { waiting, suppressed, withdrawn, unconfirmed } = email;
  const { localHour, quiet, pressure, cap } = email.postponedBy;
  const isOver = status === "ended";
  const all: NotLeft[] = [
    { why: "localHour", count: isOver ? 0 : localHour },
    { why: "quiet", count: isOver ? 0 : quiet },
    { why: "pressure", count: isOver ? 0 : pressure },
    { why: "cap", count: isOver ? 0 : cap },
    { why: "ended", count: isOver ? waiting : 0 },
    { why: "suppressed", count: suppressed },
    { why: "withdrawn", count: withdrawn },
    { why: "unconfirmed", count: isOver ? 0 : unconfirmed },
  ];
  return all.filter(({ count }) => count > 0);
}

const usersOf = ({ matured, pending }: VariantStatistics): number =>
  matured.exposedUsers + pending.exposedUsers;

/** What is counted of a campaign, without variants that were taken out before any user got them: of those there is nothing to say. */
export function withoutUnseen<Measured extends Pick<Conversions, "statistics">>(
  conversions: Measured,
  campaign: Pick<CampaignDetail, "variants">,
): Measured {
  const known = new Set(liveVariants(campaign).map(({ id }) => id));
  const { variants, sampleRatio, ...statistics } = conversions.statistics;
  const seen = variants.filter((variant) => known.has(variant.variantId) || usersOf(variant) > 0);
  const ids = new Set(seen.map(({ variantId }) => variantId));
  const arms = sampleRatio.arms.filter(({ variantId }) => ids.has(variantId));
  return {
    ...conversions,
    statistics: { ...statistics, variants: seen, sampleRatio: { ...sampleRatio, arms } },
  };
}

type Parted = { present: VariantStatistics[]; takenOut: VariantStatistics[]; isClosed: boolean };

/**
 * The variants that users get, with the control, and those that were taken out, which no user gets any more. They are folded away, unless
 * the finding speaks of them because nothing else is compared.
 */
export function partedBy({ variants }: Pick<Statistics, "variants">): Parted {
  const isOut = ({ weight, isControl }: VariantStatistics): boolean => weight === 0 && !isControl;
  const [present, takenOut] = [variants.filter((each) => !isOut(each)), variants.filter(isOut)];
  const isCompared = ({ comparison }: VariantStatistics): boolean => comparison !== null;
  return { present, takenOut, isClosed: present.some(isCompared) || !takenOut.some(isCompared) };
}

/**
 * The band around the lift of a variant: day by day since its comparison began, and as it is now, so that it ends with what the table
 * says. Days on which no user of one side had converted say nothing.
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

/** The words of a message by which people know it: its title or subject, then its text. */
export function messageWords(content: EarlierText["content"]): { title: string; text: string } | null {
  if (content === null) return null;
  const { title, subject, body } = content as Readonly<Record<string, unknown>>;
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  return { title: text(title) || text(subject), text: text(body) };
}

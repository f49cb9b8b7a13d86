import type { Answer, Input } from "@tidings/client";
import { beginningOf } from "@tidings/client/text";
import type { Campaign, CampaignDetail, CampaignStatus, Channel } from "../../platform/api-types.ts";
import { timeOf } from "../../platform/times.ts";
import { audienceFor } from "../../ui/audience/choice.ts";
import type { Results } from "../../ui/campaigns/results.ts";
import { guardrailName } from "../../ui/guardrails/names.ts";
import { words } from "./words.ts";

export type Action = Input<"setCampaignStatus">["body"]["action"];
export type Census = Answer<"takeCampaignCensus">;
export type CampaignReview = Answer<"reviewCampaign">;
export type Delivery = Answer<"listCampaignDeliveries">["deliveries"][number];

export const CAMPAIGN_STATUSES: readonly CampaignStatus[] = [
  "draft",
  "scheduled",
  "running",
  "paused",
  "expired",
  "ended",
];

/** The first step of each channel, of which the others are shares. */
export const FIRST_STEPS = {
  web_inapp: "shown",
  email: "sent",
  push: "sent",
} as const satisfies Record<Channel, keyof Results>;

/** The figures that a list shows of a campaign, by its channel. */
const LISTED = {
  web_inapp: ["shown", "clicked", "converted"],
  email: ["sent", "opened", "clicked", "converted"],
  push: ["sent", "opened", "clicked", "converted"],
} as const satisfies Record<Channel, readonly (keyof Results)[]>;

export type ListedFigure = (typeof LISTED)[Channel][number];

const LISTED_FIGURES: readonly ListedFigure[] = ["sent", "shown", "opened", "clicked", "converted"];

export const isListed = (figure: ListedFigure, channel: Channel): boolean =>
  LISTED[channel].some((each) => each === figure);

/** The figures of campaigns in a list, in the order of a message's way: those that one of them has at least. */
export const figuresOf = (campaigns: readonly Pick<Campaign, "channel">[]): ListedFigure[] =>
  LISTED_FIGURES.filter((figure) => campaigns.some(({ channel }) => isListed(figure, channel)));

/** The path of the page of a campaign, or of a template, within its project. */
export const pathOf = ({ id, purpose }: Pick<Campaign, "id" | "purpose">): string =>
  `${purpose === "transactional" ? "templates" : "campaigns"}/${id}`;

/** How a person calls the status of a campaign. */
export const nameOfStatus = ({ effectiveStatus }: Pick<Campaign, "effectiveStatus">): string =>
  words.statuses[effectiveStatus].toLowerCase();

type Dated = Pick<
  Campaign,
  | "createdAt"
  | "createdBy"
  | "startedAt"
  | "endedAt"
  | "endedBy"
  | "deliverFrom"
  | "deliverUntil"
  | "effectiveStatus"
>;

/** The words for what ended a campaign, to stand behind when that was; empty where it is not known. */
function enderOf(endedBy: Campaign["endedBy"]): string {
  if (endedBy === null) return "";
  const { by, name } = endedBy;
  return by === "human" ? words.endedBy.human(name ?? words.aPerson) : words.endedBy[by];
}

/** When a campaign was made, went out and ends, in the order of its life. What has not begun was launched, and did not start. */
export function datesOf(campaign: Dated): string[] {
  const { createdAt, createdBy, startedAt, endedAt, endedBy, deliverFrom, deliverUntil, effectiveStatus } =
    campaign;
  const dates = [words.madeAt(timeOf(createdAt), words.makers[createdBy] ?? "")];
  if (startedAt !== undefined) {
    const waits = deliverFrom !== null && deliverFrom > startedAt;
    dates.push((waits ? words.launchedAt : words.startedAt)(timeOf(startedAt)));
    if (waits)
      dates.push((effectiveStatus === "scheduled" ? words.begins : words.began)(timeOf(deliverFrom)));
  } else if (deliverFrom !== null) dates.push(words.from(timeOf(deliverFrom)));
  if (endedAt !== undefined) dates.push(words.endedAt(timeOf(endedAt), enderOf(endedBy)));
  else if (deliverUntil !== null)
    dates.push((effectiveStatus === "expired" ? words.endedByWindow : words.until)(timeOf(deliverUntil)));
  return dates;
}

/** The sentence that says who paused a campaign, when, and for which limit; null where it is not paused. */
export function pauseOf({ status, pausedBy }: Pick<Campaign, "status" | "pausedBy">): string | null {
  if (status !== "paused") return null;
  if (pausedBy === null) return words.pausedBy.unknown;
  const { by, name, at, guardrail } = pausedBy;
  if (by === "human") return words.pausedBy.human(name ?? words.aPerson, timeOf(at));
  if (by === "guardrail")
    return words.pausedBy.guardrail(guardrail === null ? "" : guardrailName(guardrail), timeOf(at));
  return words.pausedBy[by](timeOf(at));
}

/** How a campaign that is sent once goes on, or has ended by itself, in a few words; null for any other. */
export function onceOf({ once, effectiveStatus, passEndedAt, endedBy }: Campaign): string | null {
  if (endedBy?.by === "itself") return words.endedByItself(timeOf(endedBy.at));
  if (!once || effectiveStatus !== "running") return null;
  return passEndedAt === null ? words.sendingOnce : words.sentOnce;
}

/** Messages that wait or are on their way, and those of which it is unknown whether they arrived. */
export type InFlight = { left: number; unknown: number };

/** How far a running campaign is that is sent once, and what it waits for. */
export function sendingOf(
  { channel, passEndedAt }: Pick<Campaign, "channel" | "passEndedAt">,
  { left, unknown }: InFlight,
): string {
  const what = channel === "push" ? "push" : "email";
  if (passEndedAt === null) return words.passing[what](left);
  const sentences = [
    left > 0 && words.left[what](left),
    unknown > 0 && words.untilDecided(unknown),
    left === 0 && unknown === 0 && words.endsSoon,
    words.passed(timeOf(passEndedAt)),
  ];
  return sentences.filter((sentence) => sentence !== false).join(" ");
}

type Launched = Pick<
  CampaignDetail,
  "channel" | "deliverFrom" | "deliverUntil" | "once" | "passEndedAt" | "status" | "visitors"
>;

/** How many users a launch reaches, when, and whether it goes on to those who match later, in a sentence. @param now epoch ms */
export function launchSentence(campaign: Launched, willReceive: number, now: number): string {
  const { channel, deliverFrom, deliverUntil, once, passEndedAt } = campaign;
  const { getsIt, asItBegins, thenEnds, andLater, passedBefore } = words;
  if (channel === "web_inapp")
    return campaign.visitors === "only" ? getsIt.visitors(willReceive) : getsIt.web_inapp(willReceive);
  if (once && passEndedAt !== null) return passedBefore(timeOf(passEndedAt));
  const begins = deliverFrom !== null && deliverFrom > now ? asItBegins(timeOf(deliverFrom)) : "";
  const ends = once ? thenEnds : andLater(deliverUntil === null ? null : timeOf(deliverUntil));
  return `${getsIt[channel](willReceive)}${begins}${ends}`;
}

const LATER = ["localHour", "quiet", "pressure"] as const satisfies readonly (keyof Census["later"])[];

/** How many users of a launch get it later, and for what they wait; null where all get it at once. */
export function laterSentence({ later }: Pick<Census, "later">): string | null {
  const waits = LATER.filter((reason) => later[reason] > 0).map((reason) =>
    words.later[reason](later[reason]),
  );
  return waits.length === 0 ? null : words.laterOfThem(waits.join(", "));
}

type Counted = { id: string; stats: CampaignDetail["stats"] };

/** Variants, by their ids, of which something was delivered, or is on its way to users. */
export const deliveredOf = ({ variants }: { variants: readonly Counted[] }): ReadonlySet<string> =>
  new Set(variants.flatMap(({ id, stats }) => (Object.values(stats).some((count) => count > 0) ? [id] : [])));

type Variant = CampaignDetail["variants"][number];

/** Variants of a campaign that matter to its readers: without those that were taken out before any user got them. */
export function liveVariants(campaign: Pick<CampaignDetail, "variants">): Variant[] {
  const delivered = deliveredOf(campaign);
  return campaign.variants.filter(
    ({ id, weight, isControl }) => weight > 0 || isControl || delivered.has(id),
  );
}

type Live = Pick<Campaign, "channel" | "deliverFrom" | "effectiveStatus" | "startedAt">;

/** Since when a campaign is live, or when it starts, and when there is something to count; null for one that reaches no user. */
export function liveSentence({ channel, deliverFrom, effectiveStatus, startedAt }: Live): string | null {
  if (effectiveStatus === "scheduled" && deliverFrom !== null) return words.startsAt(timeOf(deliverFrom));
  if (effectiveStatus !== "running" || startedAt === undefined) return null;
  return words.liveSince(timeOf(Math.max(startedAt, deliverFrom ?? 0)), words.firstNumbers[channel]);
}

/** A campaign as it is from its launch on. @param now epoch ms */
export const asLaunched = (campaign: Campaign, now: number): Campaign => ({
  ...campaign,
  startedAt: campaign.startedAt ?? now,
  effectiveStatus: (campaign.deliverFrom ?? 0) > now ? "scheduled" : "running",
});

/** What can be done with the message of a step by itself. */
const STEP_ACTIONS: Partial<Record<Campaign["status"], readonly Action[]>> = {
  running: ["pause"],
  paused: ["launch"],
};

/** What can be done with a campaign: the same states as on the server, which refuses the rest. */
export function actionsOf({ status, effectiveStatus, journeyStep }: Campaign): readonly Action[] {
  if (status === "ended") return [];
  // Its journey launches and ends the message of a step.
  if (journeyStep !== null) return STEP_ACTIONS[status] ?? [];
  if (effectiveStatus === "expired") return ["end"];
  return status === "running" ? ["pause", "end"] : ["launch", "end"];
}

type Body = Input<"createCampaign">["body"];

/**
 * A draft with the content of a campaign, without its delivery window, which may be over. Null where its audience cannot be read: a copy
 * would go to others.
 */
export function copyOf(campaign: CampaignDetail, name: string): Body | null {
  const { channel, audience, visitors, pages, goalId, topicId, once, push } = campaign;
  const { sendTime, priority, patienceHours, urgent } = campaign;
  const known = audienceFor(audience);
  if (known === undefined) return null;
  return {
    name,
    channel,
    audience: known,
    ...(channel === "web_inapp"
      ? { visitors, pages }
      : { once, topicId, sendTime, priority, patienceHours, urgent }),
    goalId,
    variants: liveVariants(campaign).map(({ name: called, weight, isControl, content }) => ({
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
  `${beginningOf(name, MAX_NAME - suffix.length)}${suffix}`;

/** When something last happened to a delivery, epoch ms. */
export const lastChangeOf = (delivery: Delivery): number =>
  Math.max(
    ...Object.entries(delivery).flatMap(([name, value]) =>
      name.endsWith("At") && typeof value === "number" ? [value] : [],
    ),
  );

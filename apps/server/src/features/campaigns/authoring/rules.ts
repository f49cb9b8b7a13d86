export type CampaignStatus = "draft" | "running" | "paused" | "ended";
export type EffectiveStatus = "draft" | "scheduled" | "running" | "paused" | "expired" | "ended";
export type StatusAction = "launch" | "pause" | "end";

/** The maker of a campaign: a request, or source work, which alone says then which changes the campaign announces. */
export type CampaignMaker = "human" | "api" | "agent";

/** Whether source work says which changes a campaign announces. */
export const isFromSource = ({ createdBy }: { createdBy: string }): boolean =>
  createdBy === ("agent" satisfies CampaignMaker);

/** Half-open: from `deliverFrom`, until just before `deliverUntil`; null is no bound. Epoch milliseconds. */
export type DeliveryWindow = { deliverFrom: number | null; deliverUntil: number | null };

/** Whether an instant lies before a delivery window, in it, or after it. */
export function placeInWindow(
  { deliverFrom, deliverUntil }: DeliveryWindow,
  now: number,
): "before" | "open" | "over" {
  if (deliverUntil !== null && now >= deliverUntil) return "over";
  return deliverFrom !== null && now < deliverFrom ? "before" : "open";
}

/** The status of a campaign at an instant. `scheduled` and `expired` follow from the delivery window and are never stored. */
export function effectiveStatus(
  status: CampaignStatus,
  window: DeliveryWindow,
  now: number,
): EffectiveStatus {
  if (status === "draft" || status === "ended") return status;
  const place = placeInWindow(window, now);
  if (place === "over") return "expired";
  return status === "running" && place === "before" ? "scheduled" : status;
}

const NEXT: Readonly<Record<StatusAction, CampaignStatus>> = {
  launch: "running",
  pause: "paused",
  end: "ended",
};

/** Stored states from which an action is possible. */
export const ACTION_FROM: Readonly<Record<StatusAction, readonly CampaignStatus[]>> = {
  launch: ["draft", "paused"],
  pause: ["running"],
  end: ["draft", "running", "paused"],
};

/** The stored status after an action, or why it is refused. */
export function applyAction(
  action: StatusAction,
  status: CampaignStatus,
  window: DeliveryWindow,
  now: number,
): { next: CampaignStatus } | { refusal: string } {
  if (status === "ended") return { refusal: "This campaign has ended." };
  if (action !== "end") {
    const isOver = window.deliverUntil !== null && now >= window.deliverUntil;
    if (isOver) return { refusal: "The delivery window is over: extend deliverUntil, or end the campaign." };
    if (action === "launch" && status === "running") return { refusal: "This campaign is running already." };
    if (action === "pause" && status !== "running")
      return { refusal: "Only a running campaign can be paused." };
  }
  return { next: NEXT[action] };
}

/** Why a delivery window of a request is refused, or null. Only a changed end has to lie in the future. */
export function windowFault(window: DeliveryWindow, newUntil: boolean, now: number): string | null {
  const { deliverFrom, deliverUntil } = window;
  if (newUntil && deliverUntil !== null && deliverUntil <= now) return "deliverUntil must be in the future";
  if (deliverFrom !== null && deliverUntil !== null && deliverFrom >= deliverUntil) {
    return "deliverFrom must be before deliverUntil";
  }
  return null;
}

/**
 * What a campaign is for. `marketing`: it goes to the users of its audience. `transactional`: it is a template, and goes to each recipient for
 * whom it is requested, such as a receipt.
 */
export const PURPOSES = ["marketing", "transactional"] as const;
export type Purpose = (typeof PURPOSES)[number];

/** What the message of a campaign is: that of its channel, or a mail whose text is filled with the data of each request. */
export const messageKindOf = <Channel extends string>({
  channel,
  purpose,
}: {
  channel: Channel;
  purpose: Purpose;
}): Channel | "receipt" => (purpose === "transactional" ? "receipt" : channel);

/** What a request says of a campaign that templates do not have, or that only they have. */
type OfPurpose = {
  purpose: Purpose;
  channel: string;
  key: string | null;
  sensitive: boolean;
  isForEveryone: boolean;
  visitors: VisitorsMet;
  pages: readonly string[] | null;
  once: boolean;
} & DeliveryWindow;

/** Why a campaign may not have what a request says, for its purpose; null where it may. */
export function purposeFault(wanted: OfPurpose): string | null {
  const { purpose, channel, key, sensitive, isForEveryone, visitors, pages, once } = wanted;
  if (purpose === "marketing") {
    if (key !== null) return "key is for transactional campaigns only: leave it out";
    return sensitive ? "sensitive is for transactional campaigns only: leave it out" : null;
  }
  if (channel !== "email") return "purpose can be transactional for email campaigns only";
  if (key === null) return "key is required for a transactional campaign: requests to send it name it";
  const given = (name: string): string =>
    `${name} is not for transactional campaigns, which go to whoever a request names: leave it out`;
  if (!isForEveryone) return given("audience");
  if (visitors !== "none") return given("visitors");
  if (pages !== null) return given("pages");
  if (once) return given("once");
  if (wanted.deliverFrom !== null) return given("deliverFrom");
  return wanted.deliverUntil === null ? null : given("deliverUntil");
}

/** Why a campaign may not be sent once, or null. @param channel as the API spells it */
export const onceFault = (channel: string, once: boolean): string | null =>
  once && channel === "web_inapp" ? "once is for email and push campaigns only: leave it out" : null;

/** Why a campaign may not be about a topic, or null. @param channel as the API spells it */
export const topicFault = (channel: string, purpose: Purpose, topicId: string | null): string | null =>
  topicId !== null && (channel === "web_inapp" || purpose === "transactional")
    ? "topicId is for email and push campaigns only, and not for transactional ones: leave it out"
    : null;

/** What of a campaign its journey says, where it is the message of a step. */
const OF_JOURNEY = [
  "audience",
  "targeting",
  "visitors",
  "goalId",
  "deliverFrom",
  "deliverUntil",
  "once",
] as const;

/** Why a change of the message of a step is refused, or null. */
export function stepFault(
  { journeyId }: { journeyId: string | null },
  change: Readonly<Partial<Record<(typeof OF_JOURNEY)[number], unknown>>>,
): string | null {
  const field = journeyId === null ? undefined : OF_JOURNEY.find((name) => change[name] !== undefined);
  return field === undefined ? null : `${field} is what the journey of this message says: change it there`;
}

/** Whom a web campaign is for: users alone, visitors who are not signed in as well, or these alone. */
export const VISITORS_MET = ["none", "also", "only"] as const;
export type VisitorsMet = (typeof VISITORS_MET)[number];

/** Whether a campaign is for a user, or for a visitor. */
export const isMet = (visitors: VisitorsMet, isVisitor: boolean): boolean =>
  visitors === "also" || (visitors === "only") === isVisitor;

/** Why a campaign may not be for visitors, or null. @param channel as the API spells it */
export const visitorsFault = (channel: string, visitors: VisitorsMet): string | null =>
  visitors !== "none" && channel !== "web_inapp"
    ? "visitors must be none: only web campaigns can be for visitors"
    : null;

export const MAX_VARIANTS = 10;

/** The fields of a variant that rules need. */
export type VariantState = { name: string; weight: number; isControl: boolean };

/** Why users cannot be split between some variants, or between what else has their names, weights and control; or null. @param place the field that has them */
export function sharesFault(place: string, shares: readonly VariantState[]): string | null {
  const controls = shares.filter((share) => share.isControl).length;
  if (controls !== 1) return `${place} must have exactly one control, not ${controls}`;
  if (!shares.some((share) => share.weight > 0)) return `${place} must have at least one weight above 0`;
  if (new Set(shares.map((share) => share.name)).size < shares.length)
    return `${place} must have different names`;
  return null;
}

/** Why the variants of a campaign are refused, or null. */
export const variantsFault = (variants: readonly VariantState[]): string | null =>
  variants.length > MAX_VARIANTS
    ? `variants must be at most ${MAX_VARIANTS}`
    : sharesFault("variants", variants);

/** A, B, C … by position. */
export const defaultVariantName = (position: number): string => String.fromCharCode(65 + position);

export type VariantPatch = {
  name?: string | undefined;
  weight?: number | undefined;
  isControl?: boolean | undefined;
};

/** A variant's state after a patch. */
export const patchVariant = <V extends VariantState>(variant: V, patch: VariantPatch): V => ({
  ...variant,
  name: patch.name ?? variant.name,
  weight: patch.weight ?? variant.weight,
  isControl: patch.isControl ?? variant.isControl,
});

/** `once` as digests name it: only where it is set, so that those from before it existed are still those of the same campaigns. */
export const onceIfSet = ({ once }: { once: boolean }): { once?: true } => (once ? { once } : {});

/** `topicId` as digests name it, alike: only where the campaign has a topic. */
export const topicIfSet = ({ topicId }: { topicId: string | null }): { topicId?: string } =>
  topicId === null ? {} : { topicId };

/** `visitors` as digests name it, alike: only where the campaign is for visitors. */
export const visitorsIfMet = ({ visitors }: { visitors: VisitorsMet }): { visitors?: VisitorsMet } =>
  visitors === "none" ? {} : { visitors };

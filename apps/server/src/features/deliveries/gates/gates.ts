import { apiId, deliveryId } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import type { App } from "../../../platform/runtime.ts";
import { readStored } from "../../audience/language/parse/stored.pure.ts";
import { explainExpression } from "../../audience/language/public.ts";
import { unmetOf } from "../../audience/language/unmet.pure.ts";
import type { Trace } from "../../audience/segments/schema.ts";
import { isBehind, type Pass } from "../../campaigns/authoring/public.ts";
import { type CampaignStatus, type DeliveryWindow, placeInWindow } from "../../campaigns/authoring/rules.ts";
import type { Serving } from "../../counting/usage/rules.ts";
import type { DeliveryState } from "../lifecycle/rules.ts";
import { type CurrentEpoch, isHeldOut } from "../results/point.ts";
import type { Gate, GateName } from "./schema.ts";
import type { Subject } from "./subject-store.ts";
import { instantIn, listed, quoted, shortened } from "./words.pure.ts";

/** The campaign that is asked about, as it is stored. */
export type GatedCampaign = DeliveryWindow & {
  id: string;
  status: CampaignStatus;
  audience: unknown;
  variants: readonly { id: string; name: string }[];
  /** How people call its goal, and the segment that it is for; null where it has none. */
  goalName: string | null;
  segmentName: string | null;
  /** How far it has come with its audience. */
  pass: Pass;
};

/** Whether a user gets a campaign now: all that a channel needs to answer. `now` is epoch milliseconds. */
export type GateQuestion = {
  app: App;
  /** Reads at one instant. */
  db: Db;
  projectId: string;
  now: number;
  campaign: GatedCampaign;
  subject: Subject;
  /** The user's id in the customer's product. */
  externalId: string;
  /** Of the page, normalized; null where none is given. */
  path: string | null;
  /** Whether pages have to prove their user. */
  proofRequired: boolean;
  serving: Serving;
  /** What is missing before the channel can send; null for nothing. */
  channelFault: string | null;
};

/** The gate of a name. */
export type GateOf<Name extends GateName> = Extract<Gate, { gate: Name }>;

/** Gates answer for each user alone. */
export type Gates = (question: GateQuestion) => Promise<Gate[]>;

const STATUS: Readonly<Record<CampaignStatus, string>> = {
  draft: "The campaign is a draft: launch it.",
  running: "The campaign is running.",
  paused: "The campaign is paused: launch it again.",
  ended: "The campaign has ended, for good.",
};
/** Where an instant lies to the delivery window, in a sentence. */
function windowSentence(
  place: "before" | "open" | "over",
  { deliverFrom, deliverUntil }: DeliveryWindow,
): string {
  if (place === "before") return `Delivery begins on ${instantIn(deliverFrom ?? 0)}.`;
  if (place === "over") return `Delivery ended on ${instantIn(deliverUntil ?? 0)}: choose a later end.`;
  return deliverUntil === null
    ? "Messages are delivered without an end."
    : `Messages are delivered until ${instantIn(deliverUntil)}.`;
}

/** Whether the campaign runs, and whether its delivery window is open: two gates. */
export function openGates({ campaign, now }: GateQuestion): [GateOf<"status">, GateOf<"window">] {
  const { status, deliverFrom, deliverUntil } = campaign;
  const place = placeInWindow(campaign, now);
  const note = windowSentence(place, campaign);
  return [
    { gate: "status", passes: status === "running", note: STATUS[status], status },
    { gate: "window", passes: place === "open", note, place, deliverFrom, deliverUntil },
  ];
}

/** @param pausedBecause why the channel serves nothing, in a sentence; null where it serves */
export const servingGate = (
  { serving: { serving, emailServing } }: GateQuestion,
  pausedBecause: string | null,
): GateOf<"serving"> => ({
  gate: "serving",
  passes: pausedBecause === null,
  note: pausedBecause ?? "Messages are served.",
  serving,
  emailServing,
});

/** Whether the project can send over the channel at all: the same that a launch asks. */
export const channelGate = ({ channelFault }: GateQuestion): GateOf<"channel"> => ({
  gate: "channel",
  passes: channelFault === null,
  note: channelFault ?? "The project can send over this channel.",
});

/** Said where a channel reaches known users alone, and there is no user of this id. */
export const NO_SUCH_USER = "Nobody has this id.";

/** Whether the channel finds the user. @param makesUsers whether the channel makes unknown users when it delivers */
export function userGate({ subject, proofRequired }: GateQuestion, makesUsers: boolean): GateOf<"user"> {
  const known = subject.known !== null;
  const proof = proofRequired && makesUsers ? " The page has to prove the user with userHash." : "";
  const found = known
    ? "The user is known."
    : makesUsers
      ? "Nobody has this id. The first page view that names it makes the user, for whom the rest is answered."
      : NO_SUCH_USER;
  return { gate: "user", passes: known || makesUsers, note: `${found}${proof}`, known, proofRequired };
}

/** What became of a delivery, after "it". */
const BECAME: Readonly<Record<DeliveryState, string>> = {
  queued: "has not reached them yet",
  sending: "is being sent",
  retryable: "could not be sent so far",
  frequency_capped: "was left out, because the address had had as many mails as the cap allows",
  sent: "was sent",
  delivered: "was delivered",
  shown: "was shown",
  opened: "was opened",
  clicked: "was clicked",
  dismissed: "was dismissed",
  bounced: "came back",
  complained: "was reported as spam",
  unsubscribed: "made the user unsubscribe",
  failed: "could not be sent",
  converted: "led to the goal",
};

const nameOfVariant = ({ variants }: GatedCampaign, variantId: string | null): string | null =>
  variants.find(({ id }) => id === variantId)?.name ?? null;

/** What still becomes of a delivery. What has not left when its campaign is over stays so, unless it is on its way. */
function whatComes({ campaign, now }: GateQuestion, state: DeliveryState, isOpen: boolean): string {
  if (!isOpen) return ". A user gets a campaign once at most.";
  if (state === "sending") return ": it goes on.";
  if (campaign.status === "ended") return ", and never will: the campaign has ended.";
  return placeInWindow(campaign, now) === "over"
    ? ", and does not any more: its delivery is over."
    : ": it goes on.";
}

/** @param isOpen whether more comes of a delivery in this state */
export function deliveryGate(
  question: GateQuestion,
  isOpen: (state: NonNullable<Subject["delivery"]>["state"]) => boolean,
): GateOf<"delivery"> {
  const {
    subject: { delivery, userKey },
    campaign,
  } = question;
  if (delivery === null)
    return {
      gate: "delivery",
      passes: true,
      note: "The user has not had the campaign yet.",
      delivery,
    };
  const { state, variantId, queuedAt } = delivery;
  const open = isOpen(state);
  const name = nameOfVariant(campaign, variantId);
  const variant = name === null ? "" : `, with the variant ${quoted(name)}`;
  const had = `The campaign was queued for the user on ${instantIn(queuedAt)}${variant}, and ${BECAME[state]}`;
  return {
    gate: "delivery",
    passes: open,
    note: `${had}${whatComes(question, state, open)}`,
    delivery: {
      id: deliveryId(userKey, campaign.id),
      variantId: apiId("var", variantId),
      state,
      queuedAt,
      isOpen: open,
    },
  };
}

/** The goal of a campaign, at the beginning of a sentence. */
const goalOf = ({ goalName }: GatedCampaign): string =>
  goalName === null ? "The goal" : `The goal ${quoted(goalName)}`;

export const withheldGate = ({ subject: { withheldAt }, campaign }: GateQuestion): GateOf<"withheld"> => ({
  gate: "withheld",
  passes: withheldAt === null,
  withheldAt,
  note:
    withheldAt === null
      ? "The user was never held out of this campaign."
      : `${goalOf(campaign)} held the user out on ${instantIn(withheldAt)}, when the message was due. It stays so for this campaign.`,
});

const HAS_DELIVERY = "The user has had the campaign already.";

/** Whether a campaign that is sent once may still come to the user: one gate, which other campaigns do not have. */
export function passGates({ campaign: { pass }, subject }: GateQuestion): GateOf<"pass">[] {
  if (!pass.once) return [];
  const base = { gate: "pass", reason: null, passEndedAt: pass.endedAt } as const;
  if (subject.delivery !== null) return [{ ...base, passes: null, note: HAS_DELIVERY }];
  if (!isBehind(pass, subject))
    return [{ ...base, passes: true, note: "The campaign is sent once, and has not come to the user yet." }];
  const over =
    pass.endedAt === null
      ? "it has passed this user"
      : `it had gone through its audience on ${instantIn(pass.endedAt)}`;
  const note = `The campaign is sent once, and ${over}: it does not come to users who could not get it then.`;
  return [{ ...base, passes: false, note, reason: "too_late" }];
}

const SENTENCE_LENGTH = 300;

/** Whether the user matches, and on what it lies, in a sentence. @param segment the one that the campaign is for, with its version */
function audienceSentence(segment: string | null, unmet: readonly string[]): string {
  if (unmet.length === 0)
    return segment === null ? "The user meets the conditions." : `The user is in the segment ${segment}.`;
  const verdict =
    segment === null ? "The user does not meet the conditions" : `The user is not in the segment ${segment}`;
  return `${verdict}. Not met: ${shortened(listed(unmet), SENTENCE_LENGTH)}.`;
}

/**
 * Whether the user matches the campaign's audience, node by node. With a delivery the audience is not asked any more, and the gate says
 * only what it would find.
 * @param makesUsers whether the channel judges unknown users too
 */
export async function audienceGate(
  { db, projectId, now, campaign, subject, externalId }: GateQuestion,
  makesUsers: boolean,
): Promise<GateOf<"audience">> {
  const gate = (matched: boolean | null, note: string, trace: Trace | null = null): GateOf<"audience"> =>
    subject.delivery === null
      ? { gate: "audience", passes: matched, note, matched, trace }
      : { gate: "audience", passes: null, note: `${HAS_DELIVERY} ${note}`, matched, trace };
  if (subject.known === null && !makesUsers) return gate(null, NO_SUCH_USER);
  const stored = readStored(campaign.audience);
  if (stored.kind === "all") return gate(true, "The campaign is for all users.");
  if (stored.kind === "invalid")
    return gate(false, "The audience cannot be read, so it is for no user: choose another one.");
  const user = { ...subject, externalId };
  const { matched, trace } = await explainExpression(db, projectId, user, stored.expression, now);
  const { segmentName } = campaign;
  const segment =
    stored.kind === "segment" && segmentName !== null
      ? `${quoted(segmentName)} (version ${stored.segmentVersion})`
      : null;
  return gate(matched, audienceSentence(segment, unmetOf(stored.expression.root, trace)), trace);
}

/** @param variantId the variant that the user has or would get; null where no variant has a weight */
export function variantGate(
  { campaign, subject }: GateQuestion,
  variantId: string | null,
): GateOf<"variant"> {
  const name = nameOfVariant(campaign, variantId);
  if (variantId === null) {
    const note = "No variant gets users: the weight of each is 0.";
    return { gate: "variant", passes: false, note, variantId, variantName: name };
  }
  const called = name === null ? "a variant that is gone" : `the variant ${quoted(name)}`;
  const note = subject.delivery === null ? `The user would get ${called}.` : `The user got ${called}.`;
  return { gate: "variant", passes: true, note, variantId: apiId("var", variantId), variantName: name };
}

/** Whether the user is held out from the goal. With a delivery, or a withheld one, that is decided already. */
export function holdoutGate(
  { subject: { delivery, withheldAt, userKey }, campaign }: GateQuestion,
  allocation: Omit<CurrentEpoch, "epoch">,
): GateOf<"holdout"> {
  const { goalId, holdoutPercent } = allocation;
  const shown = { goalId: goalId === null ? null : apiId("goal", goalId), holdoutPercent };
  const gate = (passes: boolean | null, note: string): GateOf<"holdout"> => ({
    gate: "holdout",
    passes,
    note,
    ...shown,
  });
  if (delivery !== null) return gate(null, HAS_DELIVERY);
  const goal = goalOf(campaign);
  if (withheldAt !== null) return gate(null, "The user was held out already.");
  if (goalId === null) return gate(true, "The campaign has no goal that could hold users out.");
  if (holdoutPercent === 0) return gate(true, `${goal} holds no user out.`);
  return isHeldOut(allocation, userKey)
    ? gate(false, `${goal} holds out ${holdoutPercent} % of users, and this is one of them.`)
    : gate(true, `${goal} holds out ${holdoutPercent} % of users, and not this one.`);
}

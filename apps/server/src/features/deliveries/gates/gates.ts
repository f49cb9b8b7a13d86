import { apiId, deliveryId } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import type { App } from "../../../platform/runtime.ts";
import { readStored } from "../../audience/language/parse/stored.pure.ts";
import { explainExpression } from "../../audience/language/public.ts";
import type { Trace } from "../../audience/segments/schema.ts";
import { type CampaignStatus, type DeliveryWindow, placeInWindow } from "../../campaigns/authoring/rules.ts";
import type { Serving } from "../../counting/usage/rules.ts";
import { type Epoch, isHeldOut } from "../point.ts";
import type { Gate, GateName } from "./schema.ts";
import type { Subject } from "./subject-store.ts";

/** The campaign that is asked about, as it is stored. */
export type GatedCampaign = DeliveryWindow & {
  id: string;
  status: CampaignStatus;
  audience: unknown;
  variants: readonly { id: string; name: string }[];
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
const WINDOW = {
  before: "The delivery window has not begun.",
  open: "This instant is within the delivery window.",
  over: "The delivery window is over: extend deliverUntil.",
} as const;

/** Whether the campaign runs, and whether its delivery window is open: two gates. */
export function openGates({ campaign, now }: GateQuestion): [GateOf<"status">, GateOf<"window">] {
  const { status, deliverFrom, deliverUntil } = campaign;
  const place = placeInWindow(campaign, now);
  return [
    { gate: "status", passes: status === "running", note: STATUS[status], status },
    { gate: "window", passes: place === "open", note: WINDOW[place], place, deliverFrom, deliverUntil },
  ];
}

/** @param pausedBecause why the channel serves nothing, in a sentence; null where it serves */
export const servingGate = (
  { serving: { serving, emailServing } }: GateQuestion,
  pausedBecause: string | null,
): GateOf<"serving"> => ({
  ...{ gate: "serving", passes: pausedBecause === null },
  note: pausedBecause ?? "Messages are served.",
  ...{ serving, emailServing },
});

/** Whether the project can send over the channel at all: the same that a launch asks. */
export const channelGate = ({ channelFault }: GateQuestion): GateOf<"channel"> => ({
  ...{ gate: "channel", passes: channelFault === null },
  note: channelFault ?? "The project can send over this channel.",
});

/** Whether the channel finds the user. @param makesUsers whether the channel makes unknown users when it delivers */
export function userGate({ subject, proofRequired }: GateQuestion, makesUsers: boolean): GateOf<"user"> {
  const known = subject.known !== null;
  const proof = proofRequired && makesUsers ? " The page has to prove the user with userHash." : "";
  const found = known
    ? "The user is known."
    : makesUsers
      ? "The user is not known yet: the first page view makes them."
      : "The project has no such user.";
  return { gate: "user", passes: known || makesUsers, note: `${found}${proof}`, known, proofRequired };
}

/** @param isOpen whether more comes of a delivery in this state */
export function deliveryGate(
  { subject: { delivery, userKey }, campaign }: GateQuestion,
  isOpen: (state: NonNullable<Subject["delivery"]>["state"]) => boolean,
): GateOf<"delivery"> {
  if (delivery === null)
    return {
      gate: "delivery",
      passes: true,
      note: "The user has no delivery of the campaign yet.",
      delivery,
    };
  const { state, variantId, queuedAt } = delivery;
  const open = isOpen(state);
  return {
    ...{ gate: "delivery", passes: open },
    note: open
      ? `The user has a delivery, which is ${state}: it goes on.`
      : `The user has had the campaign: the delivery is ${state}. There is one for each user at most.`,
    delivery: {
      ...{ id: deliveryId(userKey, campaign.id), variantId: apiId("var", variantId) },
      ...{ state, queuedAt, isOpen: open },
    },
  };
}

export const withheldGate = ({ subject: { withheldAt } }: GateQuestion): GateOf<"withheld"> => ({
  ...{ gate: "withheld", passes: withheldAt === null, withheldAt },
  note:
    withheldAt === null
      ? "No delivery was withheld from the user."
      : "The user was held out when the delivery would have been made, and stays so for this campaign.",
});

const HAS_DELIVERY = "The user has a delivery already.";

/**
 * Whether the user matches the campaign's audience, node by node. With a delivery the audience is not asked any more, and the gate says
 * only what it would find.
 * @param makesUsers whether the channel judges unknown users too
 */
export async function audienceGate(
  { db, projectId, now, campaign, subject }: GateQuestion,
  makesUsers: boolean,
): Promise<GateOf<"audience">> {
  const of = (matched: boolean | null, note: string, trace: Trace | null = null): GateOf<"audience"> =>
    subject.delivery === null
      ? { gate: "audience", passes: matched, note, matched, trace }
      : { gate: "audience", passes: null, note: `${HAS_DELIVERY} ${note}`, matched, trace };
  if (subject.known === null && !makesUsers) return of(null, "The project has no such user.");
  const stored = readStored(campaign.audience);
  if (stored.kind === "all") return of(true, "The campaign is for everyone.");
  if (stored.kind === "invalid") return of(false, "The audience cannot be read, and so matches no user.");
  const { matched, trace } = await explainExpression(db, projectId, subject, stored.expression, now);
  return of(
    matched,
    matched ? "The user matches the audience." : "The user does not match the audience.",
    trace,
  );
}

/** @param variantId the variant that the user has or would draw; null where no variant has a weight */
export function variantGate(
  { campaign, subject }: GateQuestion,
  variantId: string | null,
): GateOf<"variant"> {
  const name = campaign.variants.find(({ id }) => id === variantId)?.name ?? null;
  if (variantId === null) {
    const note = "No variant of the campaign has a weight.";
    return { gate: "variant", passes: false, note, variantId, variantName: name };
  }
  const note =
    subject.delivery === null ? "The user would draw this variant." : "The delivery has this variant.";
  return { gate: "variant", passes: true, note, variantId: apiId("var", variantId), variantName: name };
}

/** Whether the user is held out from the goal. With a delivery, or a withheld one, that is decided already. */
export function holdoutGate(
  { subject: { delivery, withheldAt, userKey } }: GateQuestion,
  allocation: Omit<Epoch, "epoch">,
): GateOf<"holdout"> {
  const { goalId, holdoutPercent } = allocation;
  const shown = { goalId: goalId === null ? null : apiId("goal", goalId), holdoutPercent };
  const of = (passes: boolean | null, note: string): GateOf<"holdout"> => ({
    ...{ gate: "holdout", passes, note, ...shown },
  });
  if (delivery !== null) return of(null, HAS_DELIVERY);
  if (withheldAt !== null) return of(null, "The delivery was withheld already.");
  if (goalId === null || holdoutPercent === 0) return of(true, "The campaign holds no user out.");
  return isHeldOut(allocation, userKey)
    ? of(false, `The user is one of the ${holdoutPercent} % whom the goal holds out.`)
    : of(true, `The goal holds out ${holdoutPercent} % of the users, and not this one.`);
}

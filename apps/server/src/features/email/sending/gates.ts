import { counted } from "@tidings/client/text";
import { HOUR_MS } from "../../../platform/time/clock.ts";
import { perimeterSettings } from "../../access/perimeter/settings.pure.ts";
import { type CampaignAllocation, readAllocation } from "../../campaigns/authoring/public.ts";
import { placeInWindow } from "../../campaigns/authoring/rules.ts";
import { emailPausedBecause } from "../../counting/usage/rules.ts";
import { instantIn, quoted, shortened } from "../../deliveries/gates/words.pure.ts";
import { NOT_LEFT } from "../../deliveries/lifecycle/rules.ts";
import {
  audienceGate,
  channelGate,
  deliveryGate,
  drawVariant,
  type GateOf,
  type GateQuestion,
  type Gates,
  holdoutGate,
  NO_SUCH_USER,
  openGates,
  passGates,
  servingGate,
  userGate,
  variantGate,
  withheldGate,
} from "../../deliveries/public.ts";
import { readSettings } from "../../settings/public.ts";
import { addressRef, readAddress, readStopper } from "../addresses/public.ts";
import { freeAt, mayLeave, type OverCap, parseAddress } from "../addresses/rules.ts";
import { emailSettings } from "../sender/settings.pure.ts";
import { wouldConfirm } from "./census.ts";
import { readPostponedUntil } from "./progress-store.ts";
import { postponingCap } from "./rules.ts";

type Mailbox = NonNullable<ReturnType<typeof parseAddress>>;
type Address = Awaited<ReturnType<typeof readAddress>>;

const NO_ADDRESS = "There is no address to ask about.";

function addressGate({ subject: { known } }: GateQuestion, to: Mailbox | null): GateOf<"address"> {
  if (known === null) return { gate: "address", passes: null, note: NO_SUCH_USER, reason: null };
  if (to !== null)
    return { gate: "address", passes: true, note: `Mail to the user goes to ${to.address}.`, reason: null };
  return typeof known.traits.email === "string"
    ? {
        gate: "address",
        passes: false,
        note: `The trait email is ${quoted(shortened(known.traits.email))}, which is no address.`,
        reason: "invalid_address",
      }
    : {
        gate: "address",
        passes: false,
        note: "The user has no address: the trait email is missing, or is no text.",
        reason: "no_address",
      };
}

/** Why an address gets no mail, after the instant since when. */
const STOPPED: Readonly<Record<string, string>> = {
  unsubscribed: "its owner unsubscribed",
  bounced: "it does not exist",
  complained: "its owner reported mail as spam",
  manual: "it was stopped by hand",
};

async function suppressionGate(
  { db, projectId }: GateQuestion,
  to: Mailbox | null,
  address: Address,
): Promise<GateOf<"suppression">> {
  const base = { gate: "suppression", reason: null, suppressedBy: null, suppressedAt: null } as const;
  if (to === null) return { ...base, passes: null, note: NO_ADDRESS };
  if (address === null || address.suppressedAt === null)
    return { ...base, passes: true, note: `${to.address} takes mail of the project.` };
  const { suppressedBy, suppressedAt } = address;
  const by = await readStopper(db, projectId, addressRef(projectId, to.address));
  const why = STOPPED[suppressedBy ?? ""] ?? "it was stopped";
  const note = `${to.address} has had no mail since ${instantIn(suppressedAt)}: ${why}${by === null ? "" : `, by ${by}`}.`;
  return { ...base, passes: false, note, reason: "suppressed", suppressedBy, suppressedAt };
}

type Cap = { capMax: number; capHours: number; overCap: OverCap };

/** What becomes of a mail that waits for the cap until an instant, whose campaign may be over by then. */
const postponedSentence = (which: string, until: number, isOver: boolean): string =>
  isOver
    ? `${which} waits until ${instantIn(until)}, and the campaign is over by then: it does not leave.`
    : `${which} waits until ${instantIn(until)}, or longer where other mail waits for the address, then leaves if the campaign still runs.`;

/** @param postponedUntil until when the mail itself waits for the cap already, epoch milliseconds; null where it does not */
function capGate(
  question: GateQuestion,
  to: Mailbox | null,
  address: Address,
  { capMax, capHours, overCap, postponedUntil }: Cap & { postponedUntil: number | null },
): GateOf<"cap"> {
  const base = {
    ...({ gate: "cap", capMax, capHours, accepted: null, inFlight: null, freeAt: null } as const),
    overCap,
    postponedUntil: null,
  };
  if (to === null) return { ...base, passes: null, note: NO_ADDRESS };
  const acceptedAt = address?.acceptedAt ?? [];
  const [accepted, inFlight] = [acceptedAt.length, address?.onTheWay ?? 0];
  // Whether the address is suppressed is a gate of its own.
  const verdict = mayLeave({ isSuppressed: false, accepted, onTheWay: inFlight }, capMax);
  const free = freeAt(acceptedAt, capMax, capHours * HOUR_MS);
  const until = postponedUntil ?? (overCap === "postpone" ? free : null);
  const within = `within ${counted(capHours, "hour")}`;
  const had = `${to.address} has had ${counted(accepted, "mail")} ${within}`;
  const sentences = {
    suppressed: "",
    send:
      capMax === 0
        ? "The project sends any number of mails to an address."
        : `${had}, and may have ${capMax}.`,
    capped: `${had}, and may have ${capMax}: a mail that is due before ${instantIn(free ?? 0)} is left out for good.`,
    wait: `${had}, and may have ${capMax}; ${counted(inFlight, "more mail")} may have reached it, so the next one waits.`,
  };
  const found = { ...base, accepted, inFlight, freeAt: free };
  if (until === null) return { ...found, passes: verdict === "send", note: sentences[verdict] };
  const isOver = placeInWindow(question.campaign, until) === "over";
  // An address that has changed since may be below the cap: the mail is looked at again when it is due, and not before.
  const which = postponedUntil === null ? "A mail that is due" : "This mail was postponed, and";
  const note = `${had}, and may have ${capMax}. ${postponedSentence(which, until, isOver)}`;
  return { ...found, passes: false, note, postponedUntil: isOver ? null : until };
}

/** Whether an address that a publishable key gave is confirmed, or would be by the next send. */
async function confirmationGate(
  question: GateQuestion,
  to: Mailbox | null,
  allocation: CampaignAllocation,
  perHour: number,
): Promise<GateOf<"confirmation">> {
  const { subject } = question;
  const givenAt = subject.known?.addressGivenAt ?? null;
  const base = { gate: "confirmation", reason: null, givenAt, perHour } as const;
  if (to === null) return { ...base, passes: null, note: NO_ADDRESS };
  if (givenAt === null) return { ...base, passes: true, note: "The address is confirmed." };
  const given = instantIn(givenAt);
  const unconfirmed = { ...base, passes: false, reason: "unconfirmed" } as const;
  // Sending confirms no address: it was another one when the message was queued.
  if (subject.delivery !== null)
    return {
      ...unconfirmed,
      note: `A page changed the address on ${given}: it gets mail once your server confirms it.`,
    };
  return (await wouldConfirm(question, allocation, subject, { at: givenAt, perHour }))
    ? { ...base, passes: true, note: `A page gave the address on ${given}, and the next send confirms it.` }
    : {
        ...unconfirmed,
        note: `A page gave the address on ${given}. It is one of too many of that hour: sending confirms ${perHour}, and your server any.`,
      };
}

/** The gates of email, in the order in which the sweep and then the sending ask them. */
export const emailGates: Gates = async (question) => {
  const { app, db, projectId, now, campaign, subject } = question;
  const allocation = await readAllocation(db, projectId, campaign.id);
  if (allocation === null) throw new Error("An email campaign that is not there.");
  const settings = await readSettings(db, app.secrets, projectId, { ...emailSettings, ...perimeterSettings });
  const cap = {
    capMax: settings["email.capMax"],
    capHours: settings["email.capHours"],
    overCap: settings["email.overCap"],
  };
  // One that was postponed for a former cap is decided about anew within a second.
  const postponing = postponingCap(settings);
  const postponedUntil =
    subject.delivery === null || postponing === null
      ? null
      : await readPostponedUntil(
          db,
          projectId,
          { ...subject, campaignId: campaign.id },
          { cap: postponing, now },
        );
  const to = parseAddress(subject.known?.traits.email);
  const address =
    to === null
      ? null
      : await readAddress(db, projectId, addressRef(projectId, to.address), now - cap.capHours * HOUR_MS);
  const variantId =
    subject.delivery?.variantId ?? drawVariant(allocation.variants, campaign.id, subject.userKey)?.id ?? null;
  return [
    ...openGates(question),
    userGate(question, false),
    deliveryGate(question, (state) => NOT_LEFT.includes(state)),
    withheldGate(question),
    ...passGates(question),
    await audienceGate(question, false),
    addressGate(question, to),
    variantGate(question, variantId),
    await suppressionGate(question, to, address),
    await confirmationGate(question, to, allocation, settings["identity.newAddressesPerHour"]),
    holdoutGate(question, allocation),
    servingGate(question, emailPausedBecause(question.serving)),
    channelGate(question),
    capGate(question, to, address, { ...cap, postponedUntil }),
  ];
};

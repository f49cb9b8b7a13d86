import type { sql } from "kysely";
import { count, epochMs } from "../../../../platform/http/contract/fields.ts";
import { DAY_MS, HOUR_MS } from "../../../../platform/time/clock.ts";
import { perimeterSettings } from "../../../access/perimeter/settings.pure.ts";
import { gate } from "../../../deliveries/gates/gate.ts";
import { instantIn } from "../../../deliveries/gates/words.pure.ts";
import { NO_ADDRESS } from "./address.ts";

/** `givenAt`: when a publishable key gave the address (epoch ms); null where it is confirmed. */
type Given = { addressGivenAt: number | null };
type Found = Given & {
  to: object | null;
  settings: { "identity.newAddressesPerHour": number };
  delivery: object | null;
};

const gateOf = {
  gate: "confirmation",
  asks: "is an address that came with the public key confirmed, or would the next send confirm it?",
  reasons: {
    unconfirmed:
      "the public key gave the address, with more in the same hour than `identity.newAddressesPerHour`",
  },
  shape: {
    givenAt: epochMs
      .nullable()
      .describe("When a publishable key gave the address; null where it is confirmed."),
    perHour: count
      .nullable()
      .describe(
        "How many such addresses of one hour are confirmed by sending (`identity.newAddressesPerHour`).",
      ),
  },
  skipped: ({ to }: Found) => (to === null ? NO_ADDRESS : null),
  settings: { "identity.newAddressesPerHour": perimeterSettings["identity.newAddressesPerHour"] },
  details: ({ addressGivenAt: givenAt, settings }: Found) => ({
    givenAt,
    perHour: settings["identity.newAddressesPerHour"],
  }),
} as const;

const CONFIRMED = "The address is confirmed.";

/**
 * Whether the address is confirmed, or the next send confirms it. Sending confirms a number of addresses each hour; which of them, is decided
 * where they are written, of all that come with them.
 */
export const confirmationGate = gate({
  ...gateOf,
  stages: ["plan"],
  passes: ({ addressGivenAt, wouldConfirm }: Given & { wouldConfirm: boolean }) =>
    addressGivenAt === null || wouldConfirm,
  sql: ({ isBeyondIntake }: { isBeyondIntake: ReturnType<typeof sql> }) => [
    { when: isBeyondIntake, bucket: "unconfirmed" },
  ],
  applies: ({ delivery }: Found) => delivery === null,
  note({ addressGivenAt, settings, wouldConfirm }: Found & { wouldConfirm: boolean }) {
    if (addressGivenAt === null) return CONFIRMED;
    const given = instantIn(addressGivenAt);
    return wouldConfirm
      ? `A page gave the address on ${given}, and the next send confirms it.`
      : `A page gave the address on ${given}. It is one of too many of that hour: sending confirms ${settings["identity.newAddressesPerHour"]}, and your server any.`;
  },
});

/** How long a message is deferred while its user's new address is not confirmed. */
const UNCONFIRMED_MS = HOUR_MS;
/** How long a campaign that is sent once waits for that: it ends when all its messages are finished. */
const CONFIRMED_WITHIN_MS = 3 * DAY_MS;

/** Why a message waits whose user's new address is not confirmed. */
export const UNCONFIRMED = "the address was given by a publishable key and waits for the word of the server";
const NEVER_CONFIRMED = "the user's new address was not confirmed within three days";

/** `once`: whether the campaign is sent once. `queuedAt`: when the message was queued, epoch milliseconds. */
type Due = Given & { once: boolean; queuedAt: number; now: number };

const isOverdue = ({ once, queuedAt, now }: Due): boolean => once && now - queuedAt >= CONFIRMED_WITHIN_MS;

/**
 * Whether the address is still the one that was confirmed when the message was queued. It goes before the gates of the address itself: a page
 * that changes it can only delay what was queued for another one, and not end it.
 */
export const changedAddressGate = gate({
  ...gateOf,
  stages: ["lease"],
  passes: ({ addressGivenAt }: Given) => addressGivenAt === null,
  until: (due: Due) => (isOverdue(due) ? null : due.now + UNCONFIRMED_MS),
  remark: (due: Due) => (isOverdue(due) ? NEVER_CONFIRMED : UNCONFIRMED),
  applies: ({ delivery }: Found) => delivery !== null,
  skipped: ({ to, addressGivenAt }: Found) => (to === null && addressGivenAt === null ? NO_ADDRESS : null),
  note: ({ addressGivenAt }: Given) =>
    addressGivenAt === null
      ? CONFIRMED
      : `A page changed the address on ${instantIn(addressGivenAt)}: it gets mail once your server confirms it.`,
});

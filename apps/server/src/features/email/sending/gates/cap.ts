import { counted } from "@tidings/client/text";
import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import { count, epochMs } from "../../../../platform/http/contract/fields.ts";
import { HOUR_MS, SECOND_MS } from "../../../../platform/time/clock.ts";
import type { DeliveryWindow } from "../../../campaigns/authoring/rules.ts";
import { gate } from "../../../deliveries/gates/gate.ts";
import { instantIn } from "../../../deliveries/gates/words.pure.ts";
import { lostAt, lostWords, type TimingFacts } from "../../../timing/public.ts";
import { type WaitsFor, waitsUntil } from "../../../timing/waiting.pure.ts";
import { type EmailSettings, emailSettings } from "../../sender/settings.pure.ts";
import { NO_ADDRESS } from "./address.ts";

/** The settings that say how many mails an address gets, and what becomes of more. */
export const CAP_SETTINGS = ["email.capMax", "email.capHours", "email.overCap"] as const;
type CapSettings = Pick<EmailSettings, (typeof CAP_SETTINGS)[number]>;

/**
 * The cap for which messages are postponed, as it is kept with each of them: mails/hours. Null where none are: there is no cap, or what is
 * over it is skipped.
 */
export function postponingCap(settings: CapSettings): string | null {
  const { "email.capMax": max, "email.capHours": hours, "email.overCap": overCap } = settings;
  return overCap === "postpone" && max > 0 ? `${max}/${hours}` : null;
}

/** How long a message is deferred while another one to the same address is in flight. */
export const IN_FLIGHT_MS = 5 * SECOND_MS;

const at = epochMs.nullable();

/** Instants are epoch milliseconds. */
type Facts = {
  settings: CapSettings;
  now: number;
  /** When mail was accepted for the address within the window of the cap, oldest first. */
  acceptedAt: readonly number[];
  /** Messages to the address that are in flight. */
  onTheWay: number;
  /** For what this message waits already; null where it does not. */
  waiting: WaitsFor | null;
};
type Found = Facts & TimingFacts & { to: { address: string } | null; campaign: DeliveryWindow };

/**
 * Whether a mail may leave for the address. Only accepted mails put an address over the cap: while mails in flight would reach it, the next one
 * waits for their outcomes.
 */
function verdictOf({ settings, acceptedAt, onTheWay }: Facts): "send" | "capped" | "wait" {
  const max = settings["email.capMax"];
  if (max === 0) return "send";
  if (acceptedAt.length >= max) return "capped";
  return acceptedAt.length + onTheWay >= max ? "wait" : "send";
}

/** When the address is below the cap again, epoch milliseconds; null where it is. */
function freeAt({ settings, acceptedAt }: Facts): number | null {
  const max = settings["email.capMax"];
  const last = max === 0 ? undefined : acceptedAt[acceptedAt.length - max];
  return last === undefined ? null : last + settings["email.capHours"] * HOUR_MS;
}

/** Until when a mail that is over the cap waits for it; null where it does not. */
const capUntil = (facts: Facts): number | null =>
  postponingCap(facts.settings) === null ? null : freeAt(facts);

/** Until when this message waits for the cap already; null where it does not. */
const postponedUntilOf = ({ waiting, settings, now }: Facts): number | null =>
  waitsUntil(waiting, postponingCap(settings), now);

/** How many of `users` who share an address are over the cap, where `used` mails count for it. */
export const usersOverCap = (users: RawBuilder<unknown>, used: RawBuilder<unknown>, capMax: number) =>
  capMax === 0 ? sql`0` : sql`greatest(${users} - greatest(${capMax}::int - ${used}, 0), 0)`;

/** Whether the address may get a mail now. */
export const capGate = gate({
  gate: "cap",
  asks: "has the address had as many mails as `email.capMax` allows, when is it free again, and what becomes of the mail (`overCap`, `postponedUntil`)?",
  stages: ["lease"],
  settings: {
    "email.capMax": emailSettings["email.capMax"],
    "email.capHours": emailSettings["email.capHours"],
    "email.overCap": emailSettings["email.overCap"],
  },
  bucket: "capped",
  shape: {
    capMax: count.describe("Mails that one address gets at most within `capHours`; 0 for no cap."),
    capHours: count.describe("Hours that the cap counts back."),
    accepted: count.nullable().describe("Mails that were accepted for the address within that time."),
    inFlight: count.nullable().describe("Mails to the address that are handed over and not answered yet."),
    freeAt: at.describe("When the address is below the cap again, epoch milliseconds; null where it is."),
    overCap: z
      .enum(["skip", "postpone"])
      .describe("What becomes of a mail that is over the cap (`email.overCap`)."),
    postponedUntil: at.describe(
      "When this mail may leave at the earliest, if the campaign still runs then; null where it is not postponed, or the campaign is over before, or has no patience until then.",
    ),
  },
  passes: (facts: Facts) => postponedUntilOf(facts) === null && verdictOf(facts) === "send",
  until: (facts: Facts) => (verdictOf(facts) === "wait" ? facts.now + IN_FLIGHT_MS : capUntil(facts)),
  terms: (facts: Facts) => (verdictOf(facts) === "capped" ? postponingCap(facts.settings) : null),
  skipped: ({ to }: Found) => (to === null ? NO_ADDRESS : null),
  note(found: Found) {
    const { settings, acceptedAt, onTheWay, to } = found;
    const postponedUntil = postponedUntilOf(found);
    const max = settings["email.capMax"];
    const had = `${to?.address} has had ${counted(acceptedAt.length, "mail")} within ${counted(settings["email.capHours"], "hour")}`;
    const may = `${had}, and may have ${max}`;
    const until = postponedUntil ?? capUntil(found);
    if (until !== null) {
      // An address that has changed since may be below the cap: the mail is looked at again when it is due, and not before.
      const which = postponedUntil === null ? "A mail that is due" : "This mail was postponed, and";
      const waits = `${may}. ${which} waits until ${instantIn(until)}`;
      const lost = lostAt(found, "cap", until);
      return lost !== null
        ? `${waits}${lostWords(lost)}.`
        : `${waits}, or longer where other mail waits for the address, then leaves if the campaign still runs.`;
    }
    switch (verdictOf(found)) {
      case "send":
        return max === 0 ? "The project sends any number of mails to an address." : `${may}.`;
      case "capped":
        return `${may}: a mail that is due before ${instantIn(freeAt(found) ?? 0)} is left out for good.`;
      case "wait":
        return `${may}; ${counted(onTheWay, "more mail")} may have reached it, so the next one waits.`;
    }
  },
  details(found: Found) {
    const { settings, acceptedAt, onTheWay, to } = found;
    const until = postponedUntilOf(found) ?? capUntil(found);
    const isOver = until !== null && lostAt(found, "cap", until) !== null;
    const isKnown = to !== null;
    return {
      capMax: settings["email.capMax"],
      capHours: settings["email.capHours"],
      overCap: settings["email.overCap"],
      accepted: isKnown ? acceptedAt.length : null,
      inFlight: isKnown ? onTheWay : null,
      freeAt: isKnown ? freeAt(found) : null,
      postponedUntil: isKnown && !isOver ? until : null,
    };
  },
});

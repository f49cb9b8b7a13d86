import { HOUR_MS } from "../../platform/time/clock.ts";
import { type DeliveryWindow, placeInWindow } from "../campaigns/authoring/rules.ts";
import type { CampaignTiming } from "../campaigns/authoring/timing.pure.ts";
import type { Judge } from "../deliveries/gates/list.ts";
import { clockNamed, type ReaderClock } from "./reader-clock.pure.ts";
import { leavesAt } from "./send-time.pure.ts";
import type { TimingSettings } from "./settings.pure.ts";

/** What decides how long a due message is postponed. Instants are epoch milliseconds. */
export type TimingFacts = {
  timing: CampaignTiming;
  settings: TimingSettings;
  reader: ReaderClock;
  queuedAt: number;
  /** How often it was tried. */
  attempts: number;
  now: number;
};

/** Why a message is withdrawn that was postponed for too long. */
export const OUT_OF_PATIENCE = "it was postponed for longer than its campaign has patience";

/** What becomes of a message that is postponed: it waits until an instant, `by` what is kept with it; or it is withdrawn. */
export type Postponed = { until: number; by: string | null } | "withdrawn";

/**
 * Until when the campaign of a message has patience, from when on it could have left. One that was tried is not withdrawn: its server, or a person
 * who had it sent again, decides about it.
 */
const patienceUntil = ({ timing, settings, reader, queuedAt, attempts }: TimingFacts): number =>
  attempts > 0
    ? Number.POSITIVE_INFINITY
    : leavesAt(timing, reader, clockNamed(settings["time.zone"]), queuedAt) + timing.patienceHours * HOUR_MS;

/** What keeps a message from leaving at an instant until which it waits: its campaign is over by then, or has no patience. */
export function lostAt(
  facts: TimingFacts & { campaign: DeliveryWindow },
  gate: string,
  until: number,
): "over" | "withdrawn" | null {
  if (placeInWindow(facts.campaign, until) === "over") return "over";
  return gate !== "time" && until >= patienceUntil(facts) ? "withdrawn" : null;
}

/** The end of a sentence that says that a message waits until an instant. */
export const lostWords = (lost: ReturnType<typeof lostAt>): string =>
  lost === null
    ? ""
    : lost === "over"
      ? ", and the campaign is over by then: it does not leave"
      : ", and the campaign has no patience until then: it is withdrawn";

/**
 * What becomes of a message that stops at a gate, where this does not end it; null where it does. Its hour is part of when it leaves, so patience
 * begins there.
 */
export function postponedAt<Facts>(
  gate: Pick<Judge<Facts>, "gate" | "until" | "terms">,
  facts: Facts & TimingFacts,
): Postponed | null {
  const until = gate.until?.(facts) ?? null;
  if (until === null) return null;
  const by = gate.terms?.(facts) ?? null;
  if (by === null || gate.gate === "time") return { until, by };
  const last = patienceUntil(facts);
  return last <= facts.now ? "withdrawn" : { until: Math.min(until, last), by };
}

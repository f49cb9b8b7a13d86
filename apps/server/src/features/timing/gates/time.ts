import { z } from "zod";
import { epochMs } from "../../../platform/http/contract/fields.ts";
import type { DeliveryWindow } from "../../campaigns/authoring/rules.ts";
import { type CampaignTiming, READERS_ZONE } from "../../campaigns/authoring/timing.pure.ts";
import { gate } from "../../deliveries/gates/gate.ts";
import { instantIn } from "../../deliveries/gates/words.pure.ts";
import { lostAt, lostWords, type TimingFacts } from "../postpone.ts";
import { clockNamed, type ReaderClock } from "../reader-clock.pure.ts";
import { leavesAt } from "../send-time.pure.ts";
import { type TimingSettings, timingSettings } from "../settings.pure.ts";
import { timeWords } from "../wait-words.pure.ts";

type Facts = {
  timing: Pick<CampaignTiming, "sendTime" | "deliverFrom">;
  settings: Pick<TimingSettings, "time.zone">;
  reader: ReaderClock;
  /** When the message was queued, or would be, epoch milliseconds. */
  queuedAt: number;
  now: number;
};
type Found = Facts & TimingFacts & { campaign: DeliveryWindow };

const instantOf = ({ timing, reader, settings, queuedAt }: Facts): number =>
  leavesAt(timing, reader, clockNamed(settings["time.zone"]), queuedAt);

/** Whether the hour has come at which the messages of the campaign leave. Campaigns without such an hour do not have this gate. */
export const timeGate = gate({
  gate: "time",
  asks: "has the hour of the reader come at which the campaign leaves (`sendTime`)? Campaigns without such an hour do not have this gate",
  stages: ["lease"],
  settings: { "time.zone": timingSettings["time.zone"] },
  shape: {
    zone: z.string().max(64).describe("The time zone that the hour is read in."),
    until: epochMs
      .nullable()
      .describe(
        "When the message may leave, epoch milliseconds; null where it may now, or the campaign is over before.",
      ),
  },
  passes: (facts: Facts) => facts.timing.sendTime === null || instantOf(facts) <= facts.now,
  until: instantOf,
  terms: ({ timing, settings }: Facts) => timeWords(timing, settings),
  applies: ({ timing }: Facts) => timing.sendTime !== null,
  note(facts: Found) {
    const { timing, reader, now } = facts;
    const zone =
      timing.sendTime?.zone === READERS_ZONE
        ? `${reader.name}, the zone of the reader`
        : timing.sendTime?.zone;
    const leaves = `It leaves at ${timing.sendTime?.at} in ${zone}`;
    const at = instantOf(facts);
    return at <= now
      ? `${leaves}: that has come.`
      : `${leaves}: on ${instantIn(at)}${lostWords(lostAt(facts, "time", at))}.`;
  },
  details(facts: Found) {
    const { timing, reader, now } = facts;
    const zone = timing.sendTime?.zone ?? READERS_ZONE;
    const at = instantOf(facts);
    return {
      zone: zone === READERS_ZONE ? reader.name : zone,
      until: at <= now || lostAt(facts, "time", at) !== null ? null : at,
    };
  },
});

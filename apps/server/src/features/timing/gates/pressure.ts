import { counted } from "@tidings/client/text";
import { count, epochMs } from "../../../platform/http/contract/fields.ts";
import { SECOND_MS } from "../../../platform/time/clock.ts";
import type { DeliveryWindow } from "../../campaigns/authoring/rules.ts";
import type { CampaignTiming } from "../../campaigns/authoring/timing.pure.ts";
import type { CampaignTopic } from "../../campaigns/topics/public.ts";
import { gate } from "../../deliveries/gates/gate.ts";
import { instantIn } from "../../deliveries/gates/words.pure.ts";
import { lostAt, lostWords, type TimingFacts } from "../postpone.ts";
import { keptBy, type Pressure } from "../pressure.pure.ts";
import { type PressingChannel, type TimingSettings, timingSettings } from "../settings.pure.ts";
import { limitsFor } from "../wait-words.pure.ts";
import { type WaitsFor, waitsUntil } from "../waiting.pure.ts";

type Facts = {
  timing: Pick<CampaignTiming, "urgent" | "priority">;
  topic: CampaignTopic | null;
  settings: Pick<TimingSettings, "pressure.max" | "pressure.hours" | "pressure.counts">;
  /** What the reader bears; none where the message is urgent, which is not asked about it. */
  pressure: Pressure;
  now: number;
  /** For what this message waits already; null where it does not. */
  waiting: WaitsFor | null;
};

type Found = Facts & TimingFacts & { campaign: DeliveryWindow };

/** How long a message is deferred while others are on their way to its reader, or go first. */
const SOON_MS = 5 * SECOND_MS;

/** Whether a reader bears one more message of a channel. */
export function pressureGate(channel: PressingChannel) {
  const limits = ({ timing, settings, topic }: Facts) => limitsFor(timing, settings, channel, topic);
  const standing = (facts: Facts) => keptBy(limits(facts).limits, facts.pressure, facts.now);
  /** Until when the message waits for a limit; null where it waits for others alone, or not. */
  const reachedUntil = (facts: Facts): number | null => {
    const waits = waitsUntil(facts.waiting, limits(facts).words, facts.now);
    if (waits !== null) return waits;
    const found = standing(facts);
    return found === null || found === "soon" ? null : found.until;
  };
  return gate({
    gate: "pressure",
    asks: "does the reader bear one more message, by `pressure.max` and the limit of the topic, after those that go first? Urgent campaigns pass",
    stages: ["lease"],
    settings: {
      "pressure.max": timingSettings["pressure.max"],
      "pressure.hours": timingSettings["pressure.hours"],
      "pressure.counts": timingSettings["pressure.counts"],
    },
    shape: {
      max: count.describe(
        "Messages that one reader gets at most within `hours` (`pressure.max`); 0 for any number.",
      ),
      hours: count.describe("Hours that it counts back (`pressure.hours`)."),
      had: count.describe(
        "Messages that the reader got within the longest time that counts, or that are on their way to them.",
      ),
      until: epochMs
        .nullable()
        .describe(
          "When the reader bears another one, epoch milliseconds, or where others go first, when it is looked at again; null where they do, or where it does not leave then.",
        ),
    },
    passes: (facts: Facts) => reachedUntil(facts) === null && standing(facts) === null,
    until: (facts: Facts) => reachedUntil(facts) ?? facts.now + SOON_MS,
    terms: (facts: Facts) => (reachedUntil(facts) === null ? null : limits(facts).words),
    note(facts: Found) {
      const { pressure, timing, settings } = facts;
      const had = `The reader got ${counted(pressure.borne.length, "message")} lately`;
      if (timing.urgent) return "The campaign is urgent: it leaves however much the reader got.";
      if (limits(facts).limits.length === 0)
        return settings["pressure.max"] === 0
          ? "The project sends a reader any number of messages."
          : "Messages of this channel do not count.";
      const until = reachedUntil(facts);
      if (until !== null)
        return `${had}, and gets no more before ${instantIn(until)}: a message that is due waits${lostWords(lostAt(facts, "pressure", until))}.`;
      return standing(facts) === null
        ? `${had}, and may get another one.`
        : `${had}. Others are on their way or go first, so a message that is due waits for them.`;
    },
    details(facts: Found) {
      const until = reachedUntil(facts) ?? (standing(facts) === null ? null : facts.now + SOON_MS);
      return {
        max: facts.settings["pressure.max"],
        hours: facts.settings["pressure.hours"],
        had: facts.pressure.borne.length,
        until: until === null || lostAt(facts, "pressure", until) !== null ? null : until,
      };
    },
  });
}

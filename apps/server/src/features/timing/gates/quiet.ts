import { z } from "zod";
import { epochMs } from "../../../platform/http/contract/fields.ts";
import type { DeliveryWindow } from "../../campaigns/authoring/rules.ts";
import type { CampaignTiming } from "../../campaigns/authoring/timing.pure.ts";
import { gate } from "../../deliveries/gates/gate.ts";
import { instantIn } from "../../deliveries/gates/words.pure.ts";
import { lostAt, lostWords, type TimingFacts } from "../postpone.ts";
import { parseQuiet, quietUntil } from "../quiet.pure.ts";
import type { ReaderClock } from "../reader-clock.pure.ts";
import { type TimingSettings, timingSettings } from "../settings.pure.ts";
import { quietWords } from "../wait-words.pure.ts";

type Facts = {
  timing: Pick<CampaignTiming, "urgent">;
  settings: Pick<TimingSettings, "time.quiet" | "time.zone">;
  reader: ReaderClock;
  now: number;
};

type Found = Facts & TimingFacts & { campaign: DeliveryWindow };

function quietEnd({ settings, reader, now }: Facts): number | null {
  const quiet = settings["time.quiet"] === null ? null : parseQuiet(settings["time.quiet"]);
  return quiet === null ? null : quietUntil(quiet, reader.zone, now);
}

const untilOf = (facts: Facts): number | null => (facts.timing.urgent ? null : quietEnd(facts));

/** Whether it is not in the quiet hours of the reader. */
export const quietGate = gate({
  gate: "quiet",
  asks: "is it outside of the reader's quiet hours (`time.quiet`)? Urgent campaigns pass",
  stages: ["lease"],
  settings: { "time.zone": timingSettings["time.zone"], "time.quiet": timingSettings["time.quiet"] },
  shape: {
    quiet: z.string().max(11).nullable().describe("The quiet hours (`time.quiet`); null for none."),
    zone: z.string().max(64).describe("The time zone of the reader."),
    until: epochMs
      .nullable()
      .describe(
        "When the quiet hours are over, epoch milliseconds; null where none keep it, or it does not leave then.",
      ),
  },
  passes: (facts: Facts) => untilOf(facts) === null,
  until: untilOf,
  terms: ({ timing, settings }: Facts) => quietWords(timing, settings),
  note(facts: Found) {
    const { timing, settings, reader } = facts;
    const quiet = settings["time.quiet"];
    if (quiet === null) return "The project has no quiet hours.";
    const until = quietEnd(facts);
    if (until === null) return `It is not within the quiet hours of the reader, ${quiet} in ${reader.name}.`;
    return timing.urgent
      ? `It is within the quiet hours of the reader, ${quiet} in ${reader.name}, and the campaign is urgent.`
      : `It is within the quiet hours of the reader, ${quiet} in ${reader.name}: a message that is due waits until ${instantIn(until)}${lostWords(lostAt(facts, "quiet", until))}.`;
  },
  details(facts: Found) {
    const until = untilOf(facts);
    return {
      quiet: facts.settings["time.quiet"],
      zone: facts.reader.name,
      until: until === null || lostAt(facts, "quiet", until) !== null ? null : until,
    };
  },
});

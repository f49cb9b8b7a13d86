import type { CampaignTiming } from "../campaigns/authoring/timing.pure.ts";
import type { CampaignTopic } from "../campaigns/topics/public.ts";
import { hoursOf, limitsOf } from "./pressure.pure.ts";
import type { PressingChannel, TimingSettings } from "./settings.pure.ts";
import { waitWords } from "./waiting.pure.ts";

/** Messages wait at most a week for their hour, and the days around it. */
const MOST_HOURS_OF_TIME = 9 * 24;
/** Quiet hours are shorter than a day, which has an hour more where clocks go back. */
const MOST_HOURS_OF_QUIET = 25;

/** For what messages wait whose hour has not come; null where the campaign has no hour. */
export const timeWords = (
  { sendTime, deliverFrom }: Pick<CampaignTiming, "sendTime" | "deliverFrom">,
  settings: Pick<TimingSettings, "time.zone">,
): string | null =>
  sendTime === null
    ? null
    : waitWords(
        "local_hour",
        [
          sendTime.at,
          sendTime.zone,
          sendTime.weekdays?.join(",") ?? "daily",
          deliverFrom ?? "any",
          settings["time.zone"],
        ],
        MOST_HOURS_OF_TIME,
      );

/** For what messages wait in quiet hours; null where there are none for them. */
export const quietWords = (
  { urgent }: Pick<CampaignTiming, "urgent">,
  settings: Pick<TimingSettings, "time.quiet" | "time.zone">,
): string | null =>
  urgent || settings["time.quiet"] === null
    ? null
    : waitWords("quiet", [settings["time.quiet"], settings["time.zone"]], MOST_HOURS_OF_QUIET);

/** The limits on what a reader bears that a message of a campaign keeps, and for what messages wait that are beyond; null for none. */
export function limitsFor(
  { urgent }: Pick<CampaignTiming, "urgent">,
  settings: Pick<TimingSettings, "pressure.max" | "pressure.hours" | "pressure.counts">,
  channel: PressingChannel,
  topic: CampaignTopic | null,
) {
  const limits = urgent ? [] : limitsOf(settings, channel, topic);
  const each = limits.map(
    ({ max, hours, channels, topicId }) => `${max}/${hours}/${topicId ?? "all"}/${channels.join("+")}`,
  );
  const words = limits.length === 0 ? null : waitWords("pressure", each, hoursOf(limits));
  return { limits, words };
}

/** All that messages of a campaign may wait for by the settings and the campaign of now. */
export const wordsOfNow = (
  timing: CampaignTiming,
  settings: TimingSettings,
  channel: PressingChannel,
  topic: CampaignTopic | null,
): string[] =>
  [
    timeWords(timing, settings),
    quietWords(timing, settings),
    limitsFor(timing, settings, channel, topic).words,
  ].filter((words) => words !== null);

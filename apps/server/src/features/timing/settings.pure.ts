import type { SettingGroup, SettingSet, Settings } from "../../platform/settings/setting.ts";
import { typed, whole } from "../../platform/settings/typed.ts";
import { zoneNamed } from "../../platform/time/zone.ts";
import { parseQuiet } from "./quiet.pure.ts";

/** The channels whose messages interrupt a reader, and so can be too many. */
export const PRESSING = ["email", "push"] as const;
export type PressingChannel = (typeof PRESSING)[number];

/** The channels that a text names, in the order of `PRESSING`; null where it names none, or another one. */
function parseChannels(text: string): readonly PressingChannel[] | null {
  const names = text.split(",").map((name) => name.trim());
  const known = PRESSING.filter((channel) => names.includes(channel));
  return known.length === 0 || known.length < names.length ? null : known;
}

/** When messages may leave, and how many one reader gets. */
export const timingSettings = {
  "time.zone": {
    parse: typed("must be an IANA time zone such as Europe/Berlin", (text) =>
      zoneNamed(text.trim()) === null ? null : text.trim(),
    ),
    fallback: "UTC",
    label: "Time zone of readers",
    meaning: "the time zone of readers who have no trait $timezone",
  },
  "time.quiet": {
    parse: typed("must be two times such as 21:00-08:00, which differ", (text) =>
      parseQuiet(text.trim()) === null ? null : text.trim(),
    ),
    fallback: null,
    label: "Quiet hours",
    meaning:
      "hours of a reader in which no campaign email and push leaves, such as 21:00-08:00: it waits until they are over; by default none",
  },
  "pressure.max": {
    parse: whole(0, 1_000),
    fallback: 0,
    label: "Messages per reader",
    meaning:
      "messages of campaigns that one reader gets at most within pressure.hours, over all channels of pressure.counts: more wait; 0: any number",
  },
  "pressure.hours": {
    parse: whole(1, 720),
    fallback: 168,
    label: "Hours that pressure counts",
    meaning: "hours that pressure.max counts back",
  },
  "pressure.counts": {
    parse: typed(
      "must be email, push, or both with a comma between",
      (text) => parseChannels(text)?.join(", ") ?? null,
    ),
    fallback: PRESSING.join(", "),
    label: "Channels that press",
    meaning: "channels whose messages count for pressure.max, and wait for it",
  },
} as const satisfies SettingSet;

/** Their keys. */
export const TIMING_KEYS = [
  "time.zone",
  "time.quiet",
  "pressure.max",
  "pressure.hours",
  "pressure.counts",
] as const;

export type TimingSettings = Settings<typeof timingSettings>;

/** The channels that count for pressure, of a value that the parser has taken. */
export const countedChannels = (
  settings: Pick<TimingSettings, "pressure.counts">,
): readonly PressingChannel[] => parseChannels(settings["pressure.counts"]) ?? PRESSING;

export const timingSettingGroup: SettingGroup = { settings: timingSettings, topic: "time" };

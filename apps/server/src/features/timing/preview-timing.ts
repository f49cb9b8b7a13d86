import { z } from "zod";
import { atOneInstant } from "../../platform/db/transactions/at-one-instant.ts";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { count, epochMs } from "../../platform/http/contract/fields.ts";
import type { SettingValue } from "../../platform/settings/setting.ts";
import { DAY_MS } from "../../platform/time/clock.ts";
import { readSome } from "../settings/public.ts";
import { countBeyond, listLeft } from "./preview-store.ts";
import { parseQuiet, quietUntil } from "./quiet.pure.ts";
import { clockNamed, readerClock } from "./reader-clock.pure.ts";
import { countedChannels, TIMING_KEYS, type TimingSettings, timingSettings } from "./settings.pure.ts";

type TimingKey = (typeof TIMING_KEYS)[number];

const LOOKS_BACK_MS = 7 * DAY_MS;

/** What a person has typed, as settings. @throws ApiError invalid_request that begins with the key */
function readTyped(typed: { readonly [Key in TimingKey]?: string | undefined }): Partial<TimingSettings> {
  const values = TIMING_KEYS.flatMap((key): [TimingKey, SettingValue][] => {
    const text = typed[key];
    if (text === undefined) return [];
    const { parse, fallback } = timingSettings[key];
    if (text.trim() === "") return [[key, fallback]];
    const read = parse.safeParse(text);
    if (!read.success) throw new ApiError("invalid_request", `${key} ${read.error.issues[0]?.message}`);
    return [[key, read.data]];
  });
  return Object.fromEntries(values) as Partial<TimingSettings>;
}

const typedText = z.string().max(200).optional();

export const previewTiming = endpoint(
  {
    id: "previewTiming",
    method: "POST",
    path: "/api/people/timing/preview",
    tag: "Settings",
    summary: "What quiet hours and pressure would have held back last week",
    description:
      "Counts over the campaign emails and pushes that left within the last seven days, by these settings in the place of those of the project. Changes nothing. Where messages wait, others come later, so the counts say how much it would be, and not which message would leave when.",
    keys: [],
    people: "viewer",
    cost: "heavy",
    isRead: true,
    body: z.object({
      settings: z
        .strictObject({
          "time.zone": typedText,
          "time.quiet": typedText,
          "pressure.max": typedText,
          "pressure.hours": typedText,
          "pressure.counts": typedText,
        })
        .describe("Settings as people type them, by their keys; an empty text is the default."),
    }),
    example: { settings: { "time.quiet": "21:00-08:00", "pressure.max": "3" } },
    result: z
      .object({
        since: epochMs,
        messages: count.describe("Messages that left, without urgent ones."),
        quiet: count.describe("Of them: left within the quiet hours of their readers."),
        pressure: count.describe("Of them: came when their reader had had as many as `pressure.max`."),
        readers: count.describe("Readers whom `pressure` is about."),
      })
      .meta({ id: "TimingPreview" }),
  },
  async ({ db, projectId, now }, { body }) => {
    const typed = readTyped(body.settings);
    const since = now - LOOKS_BACK_MS;
    return atOneInstant(db, async (tx) => {
      const settings = { ...(await readSome(tx, projectId, timingSettings, TIMING_KEYS)), ...typed };
      const { "time.quiet": quietText, "pressure.max": max, "pressure.hours": hours } = settings;
      const project = clockNamed(settings["time.zone"]);
      const left = await listLeft(tx, projectId, since);
      const quiet = quietText === null ? null : parseQuiet(quietText);
      const inQuiet = left.filter(
        ({ zone, minute }) =>
          quiet !== null && quietUntil(quiet, readerClock(zone, project).zone, minute) !== null,
      );
      const sum = (rows: readonly { messages: number }[]) =>
        rows.reduce((all, { messages }) => all + messages, 0);
      const beyond =
        max === 0
          ? { messages: 0, readers: 0 }
          : await countBeyond(tx, projectId, { since, max, hours, channels: countedChannels(settings) });
      return {
        since,
        messages: sum(left),
        quiet: sum(inQuiet),
        pressure: beyond.messages,
        readers: beyond.readers,
      };
    });
  },
);

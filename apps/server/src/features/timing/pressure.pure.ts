import type { CampaignTopic } from "../campaigns/topics/public.ts";
import { countedChannels, PRESSING, type PressingChannel, type TimingSettings } from "./settings.pure.ts";

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;

/** A message of a campaign that a reader got: when (epoch ms), or null while it is on its way; its channel, and the topic (UUID) of its campaign. */
export type Borne = { at: number | null; channel: PressingChannel; topicId: string | null };

/** What a reader bears when a message is due. */
export type Pressure = {
  /** What they got lately, and what is on its way to them. */
  borne: readonly Borne[];
  /** How many other messages are due for them that go before this one. */
  ahead: number;
  /** Whether another device of theirs got this message already. */
  hasLeft: boolean;
};

/** Of a reader of whom nothing was read: nothing keeps the message. */
export const NO_PRESSURE: Pressure = { borne: [], ahead: 0, hasLeft: false };

/** At most so many messages within so many hours, over these channels: of a topic, or of any. */
export type Limit = {
  max: number;
  hours: number;
  channels: readonly PressingChannel[];
  topicId: string | null;
};

type PressureSettings = Pick<TimingSettings, "pressure.max" | "pressure.hours" | "pressure.counts">;

/** The limits that a message keeps. @param channel over which it leaves */
export function limitsOf(
  settings: PressureSettings,
  channel: PressingChannel,
  topic: Pick<CampaignTopic, "id" | "max" | "days"> | null,
): Limit[] {
  const { "pressure.max": max, "pressure.hours": hours } = settings;
  const limits: Limit[] = [];
  const channels = countedChannels(settings);
  if (max > 0 && channels.includes(channel)) limits.push({ max, hours, channels, topicId: null });
  if (topic !== null && topic.max !== null && topic.days !== null)
    limits.push({ max: topic.max, hours: topic.days * DAY_HOURS, channels: PRESSING, topicId: topic.id });
  return limits;
}

/** The hours that the longest of some limits counts back; 0 for none. */
export const hoursOf = (limits: readonly Limit[]): number => Math.max(0, ...limits.map(({ hours }) => hours));

/** The channels that some limits count. */
export const channelsOf = (limits: readonly Limit[]): PressingChannel[] =>
  PRESSING.filter((channel) => limits.some(({ channels }) => channels.includes(channel)));

/** Why a message does not leave now: a limit is reached until an instant (epoch ms), or may be by what is on its way or goes first. */
export type Kept = { until: number; limit: Limit } | "soon" | null;

/** Whether the reader bears one more message within a limit. */
function keptUnder(limit: Limit, { borne, ahead }: Pressure, now: number): Kept {
  const within = borne.filter(
    ({ at, channel, topicId }) =>
      limit.channels.includes(channel) &&
      (limit.topicId === null || topicId === limit.topicId) &&
      (at === null || at > now - limit.hours * HOUR_MS),
  );
  const had = within.flatMap(({ at }) => (at === null ? [] : [at])).sort((one, other) => one - other);
  const oldest = had[had.length - limit.max];
  if (oldest !== undefined) return { until: oldest + limit.hours * HOUR_MS, limit };
  return within.length + ahead >= limit.max ? "soon" : null;
}

/** Whether a reader bears one more message now: the limit that keeps it longest, or that it has to wait for others. */
export function keptBy(limits: readonly Limit[], pressure: Pressure, now: number): Kept {
  if (pressure.hasLeft) return null;
  const each = limits.map((limit) => keptUnder(limit, pressure, now)).filter((found) => found !== null);
  const reached = each.flatMap((found) => (found === "soon" ? [] : [found]));
  return reached.sort((one, other) => other.until - one.until)[0] ?? each[0] ?? null;
}

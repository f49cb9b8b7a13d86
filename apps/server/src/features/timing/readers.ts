import {
  type DeliveryRef,
  deliveryRef,
  deliveryText,
  FIRST_OCCASION,
  type UserRef,
} from "../../domain/ids.ts";
import type { Connection, Db } from "../../platform/db/db.ts";
import { HOUR_MS } from "../../platform/time/clock.ts";
import type { CampaignTiming } from "../campaigns/authoring/timing.pure.ts";
import type { CampaignTopic } from "../campaigns/topics/public.ts";
import { ZONE_TRAIT } from "../content/template/template.pure.ts";
import { channelsOf, hoursOf, NO_PRESSURE, type Pressure } from "./pressure.pure.ts";
import { clockNamed, readerClock } from "./reader-clock.pure.ts";
import { lockReaders, type Pressing, readPressure, readPressureAt } from "./readers-store.ts";
import type { PressingChannel, TimingSettings } from "./settings.pure.ts";
import { limitsFor } from "./wait-words.pure.ts";

/** The campaign whose messages are due, and by what they are judged. `now`: epoch milliseconds. */
export type DueCampaign = {
  projectId: string;
  channel: PressingChannel;
  timing: CampaignTiming;
  topic: CampaignTopic | null;
  settings: TimingSettings;
  now: number;
};

/** What the readers of due messages bear. */
export type Pressures = (delivery: DeliveryRef) => Pressure;

type Due = DeliveryRef & { queuedAt: number };

/** By what the messages of a campaign press; null where nothing limits them. */
function pressingOf({
  timing,
  settings,
  channel,
  topic,
  now,
}: DueCampaign): Omit<Pressing, keyof Due> | null {
  const { limits } = limitsFor(timing, settings, channel, topic);
  if (limits.length === 0) return null;
  const channels = channelsOf(limits).join(",");
  return { now, since: now - hoursOf(limits) * HOUR_MS, channels, priority: timing.priority };
}

/**
 * Locks the readers of due messages until the transaction ends, and reads what they bear: of two messages to one reader, over whichever channels,
 * the second one is decided about once it is known what became of the first.
 */
export async function lockPressures(
  client: Connection,
  campaign: DueCampaign,
  due: readonly Due[],
): Promise<Pressures> {
  const pressing = pressingOf(campaign);
  if (pressing === null || due.length === 0) return () => NO_PRESSURE;
  await lockReaders(client, { userKeys: due.map(({ userKey }) => userKey) });
  const found = await readPressure(
    client,
    due.map((each) => ({ ...deliveryRef(each), queuedAt: each.queuedAt, ...pressing })),
  );
  const byDelivery = new Map(
    found.map(({ borne, ...rest }, at) => [deliveryText(due[at] as Due), { ...rest, borne: borne ?? [] }]),
  );
  return (delivery) => byDelivery.get(deliveryText(delivery)) ?? NO_PRESSURE;
}

/** The user and the campaign of an explanation, as far as its timing goes by them. */
type TimingQuestion = UserRef & {
  db: Db;
  projectId: string;
  now: number;
  settings: TimingSettings;
  campaign: { id: string };
  known: { traits: Record<string, unknown> } | null;
  delivery: { queuedAt: number } | null;
};

/** What an explanation says about when a message leaves: its own, or the one that would be queued now. */
export async function findTiming(
  { db, projectId, now, settings, campaign, known, delivery, lane, userKey }: TimingQuestion,
  channel: PressingChannel,
  { timing, topic }: Pick<DueCampaign, "timing" | "topic">,
) {
  const queuedAt = delivery?.queuedAt ?? now;
  const pressing = pressingOf({ projectId, channel, timing, topic, settings, now });
  const ref = { lane, userKey, campaignId: campaign.id, occasion: FIRST_OCCASION, projectId };
  const found = pressing === null ? null : await readPressureAt(db, { ...ref, queuedAt, ...pressing });
  const pressure = found === null ? NO_PRESSURE : { ...found, borne: found.borne ?? [] };
  const reader = readerClock(known?.traits[ZONE_TRAIT], clockNamed(settings["time.zone"]));
  return { timing, reader, queuedAt, pressure };
}

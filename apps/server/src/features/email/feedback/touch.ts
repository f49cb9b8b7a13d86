import { type DeliveryKey, deliveryRef } from "../../../domain/ids.ts";
import { createBatch } from "../../../platform/db/batch.ts";
import { batchQueue } from "../../../platform/db/batch-queue.ts";
import { type Connection, inTransaction } from "../../../platform/db/db.ts";
import { type App, resource } from "../../../platform/runtime.ts";
import { wakeAfterDelta } from "../../counting/rollups/public.ts";
import { activePeriods } from "../../counting/usage/public.ts";
import { type DeliveryReport, recordDeliveryEvents, revertHits } from "../../deliveries/public.ts";
import { acceptUnknown } from "../sending/public.ts";
import { judgeTouch, NO_TOUCHES, type Touch, type TouchHead, type TouchVerdict } from "./rules.ts";
import {
  findHeads,
  type HeadRow,
  holdDeliveriesAcrossProjects,
  holdUnknownAcrossProjects,
  type JudgedTouch,
  saveTouches,
} from "./touches-store.ts";

/** A link of a message that was followed. */
export type MessageTouch = DeliveryKey & Touch;

type Judged = MessageTouch & { projectId: string; isUnknown: boolean; leftAt: number; verdict: TouchVerdict };

/** The period in which an unknown send makes its user active, by message. */
async function readPeriods(app: App, proven: readonly Judged[]): Promise<ReadonlyMap<string, number>> {
  const periods = new Map<string, number>();
  for (const touch of proven)
    periods.set(keyOf(touch), (await activePeriods(app, touch.projectId))(touch.leftAt));
  return periods;
}

const keyOf = ({ userKey, campaignId }: DeliveryKey): string => userKey + campaignId;
const rowKey = (row: { user_key: string; campaign_id: string }): string => row.user_key + row.campaign_id;

const toRow = ({ verdict, kind, at, url, ...delivery }: Judged): JudgedTouch => ({
  ...deliveryRef(delivery),
  ...{ kind, at, url },
  machine: verdict.machine,
  ...verdict.head,
  trapSince: verdict.trapSince,
  burstSince: verdict.burstSince,
});

/** What a touch tells of its delivery: a person's that it was opened or clicked, any that an unknown send arrived. */
function eventsOf(touch: Judged, period: number | null): DeliveryReport[] {
  const { kind, at, isUnknown, leftAt, verdict } = touch;
  const delivery = deliveryRef(touch);
  const events: DeliveryReport[] = [];
  // What was accepted makes its user active; where that was known, it was counted then.
  if (isUnknown) events.push({ ...delivery, event: "sent", at: leftAt, period });
  if (verdict.machine === null && kind !== "trap")
    events.push({ ...delivery, event: kind === "open" ? "opened" : "clicked", at, period: null });
  return events;
}

const headOf = (row: HeadRow | undefined): TouchHead =>
  row === undefined
    ? NO_TOUCHES
    : {
        touches: row.touches,
        trapAt: row.trap_at,
        link: row.link,
        linkAt: row.link_at,
        otherLinkAt: row.other_link_at,
      };

/** Holds what the touches are about, and judges them by what is committed then; those of nobody's deliveries are left out. */
async function holdAndJudge(client: Connection, touches: readonly MessageTouch[]): Promise<Judged[]> {
  const unknown = new Map(
    (await holdUnknownAcrossProjects(client, touches)).map((row) => [rowKey(row), row.left_at]),
  );
  const held = new Map(
    (await holdDeliveriesAcrossProjects(client, touches)).map((row) => [rowKey(row), row]),
  );
  const known = touches.flatMap((touch) => {
    const delivery = held.get(keyOf(touch));
    return delivery === undefined ? [] : [{ ...touch, projectId: delivery.project_id, delivery }];
  });
  if (known.length === 0) return [];
  const heads = new Map((await findHeads(client, known)).map((row) => [rowKey(row), row]));
  return known.map(({ delivery, ...touch }) => {
    const isUnknown = unknown.has(keyOf(touch));
    const verdict = judgeTouch(touch, headOf(heads.get(keyOf(touch))), {
      sentAt: delivery.sent_at,
      openedAt: delivery.opened_at,
      clickedAt: delivery.clicked_at,
      isAway: isUnknown,
    });
    const leftAt = Math.min(unknown.get(keyOf(touch)) ?? touch.at, touch.at);
    return { ...touch, isUnknown, leftAt, verdict };
  });
}

/** Records touches of different messages in one transaction. */
async function recordTouches(app: App, touches: readonly MessageTouch[]): Promise<void> {
  await inTransaction(
    app.database.hotPool,
    async (client) => {
      const judged = await holdAndJudge(client, touches);
      if (judged.length === 0) return;
      await saveTouches(client, judged.map(toRow));
      const reverted = judged.filter(({ verdict: { takesBack } }) => takesBack.opened || takesBack.clicked);
      if (reverted.length > 0)
        await revertHits(
          client,
          reverted.map((touch) => ({ ...touch, ...touch.verdict.takesBack })),
        );
      const proven = judged.filter(({ isUnknown }) => isUnknown);
      const periods = await readPeriods(app, proven);
      const events = judged.flatMap((touch) => eventsOf(touch, periods.get(keyOf(touch)) ?? null));
      if (events.length > 0) await recordDeliveryEvents(client, events);
      if (proven.length > 0)
        await acceptUnknown(
          client,
          proven.map((touch) => ({ ...touch, response: "a link of the message was followed" })),
        );
    },
    "brief",
  );
  wakeAfterDelta(app);
}

/** Records touches by group commit, those of one message one after the other. */
export const touchBatch = resource((app) =>
  createBatch<MessageTouch, undefined>({
    laneOf: ({ lane }) => lane,
    keyOf,
    queue: batchQueue(app, "touches"),
    userOf: ({ userKey }) => userKey,
    async run(touches) {
      await recordTouches(app, touches);
      return touches.map(() => undefined);
    },
  }),
);

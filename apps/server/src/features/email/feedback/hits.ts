import { type DeliveryKey, deliveryRef, deliveryText } from "../../../domain/ids.ts";
import { createBatch } from "../../../platform/db/batch/batch.ts";
import { batchQueue } from "../../../platform/db/batch/batch-queue.ts";
import { type Connection, inTransaction } from "../../../platform/db/db.ts";
import { type App, resource } from "../../../platform/runtime.ts";
import { wakeAfterDelta } from "../../counting/rollups/public.ts";
import { activePeriods } from "../../counting/usage/public.ts";
import { type DeliveryReport, keyOfRow, recordDeliveryEvents, revertHits } from "../../deliveries/public.ts";
import { acceptUnknown } from "../sending/public.ts";
import {
  findHeads,
  type HeadRow,
  type JudgedHit,
  lockDeliveriesAcrossProjects,
  lockUnknownAcrossProjects,
  saveHits,
} from "./hits-store.ts";
import { type Hit, type HitHead, type HitVerdict, judgeHit, NO_HITS } from "./rules.ts";

/** A hit, and the delivery whose mail it came from. */
export type MessageHit = DeliveryKey & Hit;

type Judged = MessageHit & { projectId: string; isUnknown: boolean; leftAt: number; verdict: HitVerdict };

/** The period in which an unknown send makes its user active, by message. */
async function readPeriods(app: App, proven: readonly Judged[]): Promise<ReadonlyMap<string, number>> {
  const periods = new Map<string, number>();
  for (const hit of proven) {
    const periodOf = await activePeriods(app, hit.projectId);
    periods.set(deliveryText(hit), periodOf(hit.leftAt));
  }
  return periods;
}

const toRow = ({ verdict, kind, at, url, ...delivery }: Judged): JudgedHit => ({
  ...deliveryRef(delivery),
  kind,
  at,
  url,
  bot: verdict.bot,
  ...verdict.head,
  honeypotSince: verdict.honeypotSince,
  burstSince: verdict.burstSince,
});

/** The events of its delivery that a hit proves: a person's, that it was opened or clicked; any, that an unknown send left. */
function eventsOf(hit: Judged, period: number | null): DeliveryReport[] {
  const { kind, at, isUnknown, leftAt, verdict } = hit;
  const delivery = deliveryRef(hit);
  const events: DeliveryReport[] = [];
  // A hit proves that an unknown message was accepted, which makes its user active. For other messages this was counted then.
  if (isUnknown) events.push({ ...delivery, event: "sent", at: leftAt, period });
  if (verdict.bot === null && kind !== "trap")
    events.push({ ...delivery, event: kind === "open" ? "opened" : "clicked", at, period: null });
  return events;
}

const headOf = (row: HeadRow | undefined): HitHead =>
  row === undefined
    ? NO_HITS
    : {
        hits: row.hits,
        honeypotAt: row.honeypot_at,
        link: row.link,
        linkAt: row.link_at,
        otherLinkAt: row.other_link_at,
      };

/** Locks the deliveries of hits, and judges the hits by what is committed by then. Hits of deliveries that are gone are left out. */
async function lockAndJudge(client: Connection, hits: readonly MessageHit[]): Promise<Judged[]> {
  const unknownSends = await lockUnknownAcrossProjects(client, hits);
  const unknown = new Map(unknownSends.map((row) => [keyOfRow(row), row.left_at]));
  const deliveries = await lockDeliveriesAcrossProjects(client, hits);
  const locked = new Map(deliveries.map((row) => [keyOfRow(row), row]));
  const known = hits.flatMap((hit) => {
    const delivery = locked.get(deliveryText(hit));
    return delivery === undefined ? [] : [{ ...hit, projectId: delivery.project_id, delivery }];
  });
  if (known.length === 0) return [];
  const found = await findHeads(client, known);
  const heads = new Map(found.map((row) => [keyOfRow(row), row]));
  return known.map(({ delivery, ...hit }) => {
    const isUnknown = unknown.has(deliveryText(hit));
    const verdict = judgeHit(hit, headOf(heads.get(deliveryText(hit))), {
      sentAt: delivery.sent_at,
      openedAt: delivery.opened_at,
      clickedAt: delivery.clicked_at,
      hasLeft: isUnknown,
    });
    const leftAt = Math.min(unknown.get(deliveryText(hit)) ?? hit.at, hit.at);
    return { ...hit, isUnknown, leftAt, verdict };
  });
}

/** Records hits on different messages in one transaction. */
async function recordHits(app: App, hits: readonly MessageHit[]): Promise<void> {
  await inTransaction(
    app.database.hotPool,
    async (client) => {
      const judged = await lockAndJudge(client, hits);
      if (judged.length === 0) return;
      await saveHits(client, judged.map(toRow));
      const reverted = judged.filter(({ verdict: { reverts } }) => reverts.opened || reverts.clicked);
      if (reverted.length > 0)
        await revertHits(
          client,
          reverted.map((hit) => ({ ...hit, ...hit.verdict.reverts })),
        );
      const proven = judged.filter(({ isUnknown }) => isUnknown);
      const periods = await readPeriods(app, proven);
      const events = judged.flatMap((hit) => eventsOf(hit, periods.get(deliveryText(hit)) ?? null));
      if (events.length > 0) await recordDeliveryEvents(client, events);
      if (proven.length > 0)
        await acceptUnknown(
          client,
          proven.map((hit) => ({ ...hit, response: "a link of the message was followed" })),
        );
    },
    "brief",
  );
  wakeAfterDelta(app);
}

/** Records hits by group commit; hits on one message are recorded one after the other. */
export const hitBatch = resource((app) =>
  createBatch<MessageHit, undefined>({
    laneOf: ({ lane }) => lane,
    keyOf: deliveryText,
    queue: batchQueue(app, "touches"),
    userOf: ({ userKey }) => userKey,
    async run(hits) {
      await recordHits(app, hits);
      return hits.map(() => undefined);
    },
  }),
);

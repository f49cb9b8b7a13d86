import { sql } from "kysely";
import type { UserRef } from "../../domain/ids.ts";
import type { Db } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import { isCampaignOf, onFirstOccasion } from "./key-store.ts";
import type { DeliveryState } from "./lifecycle/rules.ts";
import { drawKeyOf } from "./results/point.ts";

/** A user as delivery sees them before it asks a channel. Instants are epoch milliseconds. */
export type Subject = UserRef & {
  /** By which variants and holdouts are drawn for the user. */
  drawKey: string;
  /** Null where the project has no such user. */
  known: {
    traits: Record<string, unknown>;
    serverTraits: string[] | null;
    addressGivenAt: number | null;
  } | null;
  delivery: { state: DeliveryState; variantId: string; queuedAt: number } | null;
  withheldAt: number | null;
};

type Row = {
  traits: Record<string, unknown> | null;
  serverTraits: string[] | null;
  addressGivenAt: number | null;
  withheldAt: number | null;
  drawnAs: string | null;
} & (
  | { state: DeliveryState; variantId: string; queuedAt: number }
  | { state: null; variantId: null; queuedAt: null }
);

/** A user, known or not, with the delivery of a campaign, or the one that was withheld. */
export async function readSubject(
  db: Db,
  projectId: string,
  { lane, userKey }: UserRef,
  campaignId: string,
): Promise<Subject> {
  const { rows } = await sql<Row>`
    select u.traits, u.server_traits as "serverTraits", u.address_given_at as "addressGivenAt", w.withheld_at as "withheldAt",
      u.drawn_as as "drawnAs", d.state, d.variant_id as "variantId", d.queued_at as "queuedAt"
    from (select ${lane}::int2 as lane, ${userKey}::uuid as user_key) i
    left join ${t.users} u on u.lane = i.lane and u.user_key = i.user_key and u.project_id = ${projectId}
    left join ${t.deliveries} d on ${isCampaignOf("d", "i", campaignId)} and ${onFirstOccasion("d")} and d.project_id = ${projectId}
    left join ${t.withheldDeliveries} w on ${isCampaignOf("w", "i", campaignId)}
      and w.project_id = ${projectId}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("A question without a row.");
  const { traits, serverTraits, addressGivenAt, withheldAt, drawnAs } = row;
  return {
    lane,
    userKey,
    drawKey: drawKeyOf({ userKey, drawnAs }),
    withheldAt,
    known: traits === null ? null : { traits, serverTraits, addressGivenAt },
    delivery:
      row.state === null ? null : { state: row.state, variantId: row.variantId, queuedAt: row.queuedAt },
  };
}

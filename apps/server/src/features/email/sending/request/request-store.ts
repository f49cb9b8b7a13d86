import { sql } from "kysely";
import type { DeliveryRef } from "../../../../domain/ids.ts";
import type { Db } from "../../../../platform/db/db.ts";
import { relation } from "../../../../platform/db/statements/fragment.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import { ofRunningCampaignsCte } from "../../../campaigns/authoring/public.ts";
import type { DeliveryDecision } from "../../../deliveries/gates/list.ts";
import {
  type DeliveryColumn,
  deliveryKey,
  newDeliveriesCte,
  sameDelivery,
} from "../../../deliveries/public.ts";

/** A mail that a request names: decided at `now`, due at `dueAt` (epoch milliseconds). */
export type RequestedMail = DeliveryRef & DeliveryDecision & { now: number; dueAt: number };

/** What became of it. `occasion_taken`: another mail has its occasion already. */
export type RequestOutcome = "queued" | "not_running" | "occasion_taken";

const REQUESTED = relation<DeliveryColumn | "variant_id" | "epoch" | "held_out" | "now" | "due_at">(
  "requested",
);

/** Queues a mail of a running template for a user who exists: a delivery and a send. Needs the transaction of the request. */
export async function queueRequested(db: Db, mail: RequestedMail): Promise<RequestOutcome> {
  const { lane, userKey, campaignId, occasion, projectId, variantId, epoch, now, dueAt } = mail;
  const { ctes, running } = ofRunningCampaignsCte(REQUESTED);
  const made = newDeliveriesCte(running, "now");
  const { rows } = await sql<{ isRunning: boolean; isMade: boolean }>`
    with ${REQUESTED} as (
      select ${lane}::int2 as lane, ${userKey}::uuid as user_key, ${campaignId}::uuid as campaign_id, ${occasion}::int4 as occasion,
        ${projectId}::uuid as project_id, ${variantId}::uuid as variant_id, ${epoch}::int4 as epoch, false as held_out,
        ${now}::int8 as now, ${dueAt}::int8 as due_at
    ), ${ctes}, ${made.ctes},
    sent as (
      insert into ${t.emailSends} (${deliveryKey()}, project_id, status, due_at)
      select ${deliveryKey("n")}, n.project_id, 'waiting', i.due_at
      from ${made.newDeliveries} n join ${REQUESTED} i on ${sameDelivery("i", "n")}
    )
    select exists (select from ${running}) as "isRunning", exists (select from ${made.newDeliveries}) as "isMade"`.execute(
    db,
  );
  const [row] = rows;
  if (row?.isMade === true) return "queued";
  return row?.isRunning === true ? "occasion_taken" : "not_running";
}

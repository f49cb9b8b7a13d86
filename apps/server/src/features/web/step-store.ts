import { sql } from "kysely";
import type { DeliveryRef, UserRef } from "../../domain/ids.ts";
import type { Db } from "../../platform/db/db.ts";
import { likeRelation } from "../../platform/db/statements/fragment.ts";
import { rowsStatement } from "../../platform/db/statements/statement.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import { ofRunningCampaignsCte } from "../campaigns/authoring/public.ts";
import type { DeliveryDecision } from "../deliveries/gates/list.ts";
import { DECISION_COLUMNS, DELIVERY_COLUMNS, drawKeySql, newDeliveriesCte } from "../deliveries/public.ts";
import type { Reader } from "./census-store.ts";

/** A user who comes to a step, with what their message is made of. */
export type Comer = Reader & { occasion: number };

/** Users by their keys, each with the occasion of their message. */
export async function readComers(
  db: Db,
  projectId: string,
  users: readonly (UserRef & { occasion: number })[],
): Promise<Comer[]> {
  const { rows } = await sql<Comer>`
    select u.lane, u.user_key as "userKey", n.occasion, ${drawKeySql("u")} as "drawKey", u.external_id as "externalId", u.traits,
      u.server_traits as "serverTraits"
    from unnest(
      ${users.map(({ lane }) => lane)}::int2[], ${users.map(({ userKey }) => userKey)}::uuid[],
      ${users.map(({ occasion }) => occasion)}::int4[]
    ) n (lane, user_key, occasion)
    join ${t.users} u on u.lane = n.lane and u.user_key = n.user_key and u.project_id = ${projectId}
    order by u.lane, u.user_key`.execute(db);
  return rows;
}

/** The message of a step to make for a user, or to withhold. `ts` is the instant of the decision, epoch milliseconds. */
export type StepMessage = DeliveryRef & DeliveryDecision & { ts: number };

/** Makes messages of steps that run, or withholds them, for users who still exist. One that is there stays as it is. */
export const insertStepMessages = rowsStatement<StepMessage, Record<never, never>>(
  { name: "insert_step_messages", reach: "key" },
  { ...DELIVERY_COLUMNS, ...DECISION_COLUMNS, ts: "int8" },
  (input) => {
    const { ctes, running } = ofRunningCampaignsCte(input);
    const reached = likeRelation("reached", running);
    const made = newDeliveriesCte(reached, "ts");
    return `, ${ctes},
  ${reached} as (
    select i.* from ${running} i
    join ${t.users} u on u.lane = i.lane and u.user_key = i.user_key and u.project_id = i.project_id
    order by u.lane, u.user_key for key share of u
  ),
  ${made.ctes}
  select from ${made.newDeliveries} where false`;
  },
);

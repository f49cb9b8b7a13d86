import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import type { AddressRef } from "../../email/addresses/public.ts";

/** How many mails that ask to confirm were requested for an address after `since` and until `now` (epoch ms). */
export async function countRequests(
  db: Db,
  projectId: string,
  { lane, addressKey }: AddressRef,
  { since, now }: { since: number; now: number },
): Promise<number> {
  const { rows } = await sql<{ requests: number }>`
    select count(distinct c.request_id)::int4 as requests from ${t.consents} c
    where c.address_lane = ${lane} and c.address_key = ${addressKey} and c.project_id = ${projectId}
      and c.action = 'requested' and c.at > ${since} and c.at <= ${now}`.execute(db);
  return rows[0]?.requests ?? 0;
}

/** A request to confirm. `address` is null where its user was erased since. Instants are epoch milliseconds. */
export type ConfirmationRequest = AddressRef & {
  projectId: string;
  projectName: string;
  sender: string | null;
  address: string | null;
  requestedAt: number;
  source: string | null;
  formHash: string | null;
  topics: { id: string; name: string; isActive: boolean }[];
  /** Whether it was confirmed before. */
  isConfirmed: boolean;
};

/** The request of a link; null where there is none. */
export async function findRequestAcrossProjects(
  db: Db,
  requestId: string,
): Promise<ConfirmationRequest | null> {
  const { rows } = await sql<ConfirmationRequest>`
    select c.project_id as "projectId", p.name as "projectName", s.value #>> '{}' as sender, c.address_lane as lane,
      c.address_key as "addressKey", a.address, min(c.at) filter (where c.action = 'requested') as "requestedAt",
      min(c.source) as source, min(c.form_hash) as "formHash", bool_or(c.action = 'confirmed') as "isConfirmed",
      jsonb_agg(jsonb_build_object('id', o.id, 'name', o.name, 'isActive', o.status = 'active') order by lower(o.name))
        filter (where c.action = 'requested') as topics
    from ${t.consents} c
    join ${t.topics} o on o.id = c.topic_id
    join ${t.projects} p on p.id = c.project_id
    left join ${t.emailAddresses} a on a.lane = c.address_lane and a.address_key = c.address_key and a.project_id = c.project_id
    left join ${t.settings} s on s.project_id = c.project_id and s.key = 'email.from'
    where c.request_id = ${requestId}
    group by c.project_id, p.name, s.value, c.address_lane, c.address_key, a.address`.execute(db);
  return rows[0] ?? null;
}

import { relation } from "../../../platform/db/statements/fragment.ts";
import { rowsStatement } from "../../../platform/db/statements/statement.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { DAY_MS } from "../../../platform/time/clock.ts";
import { sameDelivery } from "../../deliveries/public.ts";
import { addressMessagesCte } from "../../webhooks/public.ts";
import type { AddressRef } from "./address-ref.ts";

/** So many mails in a row have to fail, over so long, for an address to be given up. */
const MOST_FAILURES = 5;
const FAILING_MS = 7 * DAY_MS;

/**
 * A mail that an address did not take for a reason that passes, such as a mailbox that is full, and that is not tried again. `at`, when that was
 * reported, and `leftAt`, when the mail left, are epoch milliseconds.
 */
export type MailFailure = AddressRef & { projectId: string; at: number; leftAt: number };

/** Addresses that were given up just now and got mail of campaigns until then. */
const STOPPED = relation<"lane" | "address_key" | "project_id" | "reason" | "at">("stopped");

/**
 * Counts mails that failed, and stops all mail to addresses that took none of five over seven days: they count as bounced. A mail that arrived in
 * between, as far as is known when the failure is, begins the count anew. An address may be given several times.
 */
export const countFailures = rowsStatement<MailFailure, Record<never, never>>(
  { name: "count_mail_failures", reach: "all lanes" },
  { lane: "int2", addressKey: "uuid", projectId: "uuid", at: "int8", leftAt: "int8" },
  `,
  failed as (
    select lane, address_key, project_id, count(*)::int as mails, min(left_at) as first_at, max(left_at) as last_at, max(at) as at
    from input group by 1, 2, 3
  ),
  locked as (
    select f.*, a.suppressed_at as stopped_before, a.failures, a.first_failed_at
    from failed f
    join ${t.emailAddresses} a on a.lane = f.lane and a.address_key = f.address_key and a.project_id = f.project_id
    order by a.lane, a.address_key for no key update of a
  ),
  begun as (
    select l.*, l.first_failed_at is null or l.first_failed_at > l.last_at or exists (
      select from ${t.emailSends} s join ${t.deliveries} d on ${sameDelivery("d", "s")}
      where s.address_lane = l.lane and s.address_key = l.address_key and s.project_id = l.project_id
        and d.delivered_at > l.first_failed_at and d.delivered_at <= l.last_at and d.bounced_at is null
    ) as is_first
    from locked l
  ),
  counted as (
    select b.*, case when b.is_first then b.mails else b.failures + b.mails end as failures_now,
      case when b.is_first then b.first_at else b.first_failed_at end as since
    from begun b
  ),
  judged as (
    select c.*, case when c.failures_now >= ${MOST_FAILURES} and c.last_at - c.since >= ${FAILING_MS} then c.at end as given_up_at
    from counted c
  ),
  ${STOPPED} as (
    select lane, address_key, project_id, 'bounced' as reason, given_up_at as at from judged
    where given_up_at is not null and stopped_before is null
  ),
  ${addressMessagesCte(STOPPED, "address.suppressed").ctes}
  update ${t.emailAddresses} a
  set failures = j.failures_now, first_failed_at = j.since,
    suppressed_at = coalesce(a.suppressed_at, j.given_up_at),
    suppressed_by = case
      when j.given_up_at is not null and coalesce(a.suppressed_by, 'unsubscribed') = 'unsubscribed' then 'bounced'
      else a.suppressed_by
    end,
    receipts_stopped_at = coalesce(a.receipts_stopped_at, j.given_up_at),
    receipts_stopped_by = case
      when a.receipts_stopped_by is null and j.given_up_at is not null then 'bounced' else a.receipts_stopped_by
    end
  from judged j where a.lane = j.lane and a.address_key = j.address_key`,
);

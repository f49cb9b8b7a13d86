import { type Fragment, likeRelation, type Relation } from "../../../../platform/db/statements/fragment.ts";
import { type SqlText, sqlText } from "../../../../platform/db/statements/sql-text.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import type { Purpose } from "../rules.ts";

/**
 * SQL: the campaign `c` is running, and its delivery window is open at the instant `now` (SQL, epoch milliseconds). The same as
 * `effectiveStatus(…) === "running"` in rules.ts.
 */
export const isOpen = (c: string, now: string): SqlText =>
  sqlText(
    `${c}.status = 'running' and coalesce(${c}.deliver_from <= ${now}, true) and coalesce(${now} < ${c}.deliver_until, true)`,
  );

/** SQL: the decision of the row `i`, made in its epoch of the campaign `c`, knows the campaign's current holdout. */
export const knowsHoldout = (c: string, i: string): SqlText => sqlText(`${c}.holdout_since <= ${i}.epoch`);

/** SQL: the campaign `c` sends over this channel. `<> 'web_inapp'` lets PostgreSQL use its partial index of such campaigns. */
export const isSentBy = (c: string, channel: "email" | "push"): SqlText =>
  sqlText(`${c}.channel <> 'web_inapp' and ${c}.channel = '${channel}'`);

/** SQL: the campaign `c` sends mail for this purpose: to its audience, or to each recipient whom a request names. */
export const mailsFor = (c: string, purpose: Purpose): SqlText =>
  sqlText(`${isSentBy(c, "email")} and ${c}.purpose = '${purpose}'`);

/**
 * CTE of the rows of `source` whose campaigns are running at this moment, and whose decision, made in the row's epoch, knows the
 * current holdout. The campaigns are locked: a change of the holdout waits for these rows, and a decision after the change finds
 * them. So no user gets a message and is held out from it as well.
 */
export function ofRunningCampaignsCte<Rows extends Relation<"campaign_id" | "project_id" | "epoch">>(
  source: Rows,
): Fragment<{ running: Rows }> {
  const running = likeRelation("running", source);
  const ctes = sqlText(`
  open_campaigns as (
    select c.id, c.project_id, c.holdout_since from ${t.campaigns} c
    where c.id in (select campaign_id from ${source}) and c.status = 'running'
    order by c.id for key share
  ),
  ${running} as (
    select i.* from ${source} i
    join open_campaigns c on c.id = i.campaign_id and c.project_id = i.project_id and ${knowsHoldout("c", "i")}
  )`);
  return { ctes, running };
}

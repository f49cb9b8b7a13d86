import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { currentHoldout, hasHeldOut } from "../../campaigns/authoring/public.ts";
import type { EmailMessage } from "../../content/email/message.pure.ts";
import type { Epoch } from "../../deliveries/public.ts";

/** The email of a variant, and the content version of its campaign. */
export type Content = { message: EmailMessage; version: number };

/** The contents of campaigns' variants, by variant. One statement reads both, so that texts and versions belong together. */
export async function readVariants(
  db: Db,
  projectId: string,
  campaignIds: readonly string[],
): Promise<Map<string, Content>> {
  const rows = await db
    .selectFrom("variants as v")
    .innerJoin("campaigns as c", "c.id", "v.campaignId")
    .select(["v.id", "v.content", "c.contentVersion as version"])
    .where("v.projectId", "=", projectId)
    .where("v.campaignId", "in", campaignIds)
    .execute();
  // The content was checked against the schema when it was written.
  return new Map(rows.map(({ id, content, version }) => [id, { message: content as EmailMessage, version }]));
}

/** The variants of a campaign with their weights, in order, and its epoch; null once the campaign is gone. */
export async function readWeights(
  db: Db,
  projectId: string,
  campaignId: string,
): Promise<(Epoch & { withholds: boolean; variants: { id: string; weight: number }[] }) | null> {
  // One statement, so that weights and holdout are those of the epoch.
  const { rows } = await sql<Epoch & { withholds: boolean; variants: { id: string; weight: number }[] }>`
    select c.epoch, h.goal_id as "goalId", coalesce(h.holdout_percent, 0) as "holdoutPercent",
      ${sql.raw(hasHeldOut("c"))} as withholds, (
        select jsonb_agg(jsonb_build_object('id', v.id, 'weight', v.weight) order by v.position)
        from variants v where v.campaign_id = c.id and v.project_id = c.project_id
      ) as variants
    from campaigns c ${sql.raw(currentHoldout("c"))}
    where c.id = ${campaignId} and c.project_id = ${projectId}`.execute(db);
  return rows[0] ?? null;
}

import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { type CurrentEpoch, currentEpochSql, timingOfSql } from "../../campaigns/authoring/public.ts";
import type { CampaignTiming } from "../../campaigns/authoring/timing.pure.ts";
import { type CampaignTopic, topicOfSql } from "../../campaigns/topics/public.ts";
import type { PushContent, PushSettings } from "../../content/push/message.pure.ts";

/** The audience, as it is stored, the settings and the contents of a push campaign. Instants are epoch milliseconds. */
export type CampaignSpec = {
  current: CurrentEpoch;
  topic: CampaignTopic | null;
  timing: CampaignTiming;
  projectId: string;
  campaignId: string;
  status: "draft" | "running" | "paused" | "ended";
  deliverFrom: number | null;
  deliverUntil: number | null;
  audience: unknown;
  settings: PushSettings;
  /** Rises with each change of the content. */
  contentVersion: number;
  variants: { id: string; weight: number; content: PushContent }[];
};

/** Reads a push campaign in one statement, so that audience, settings and variants belong together; null where there is none. */
export async function readCampaignSpec(
  db: Db,
  projectId: string,
  campaignId: string,
): Promise<CampaignSpec | null> {
  // Contents and settings were checked when they were written.
  const { rows } = await sql<CampaignSpec>`
    select c.project_id as "projectId", c.id as "campaignId", c.status, c.deliver_from as "deliverFrom",
      c.deliver_until as "deliverUntil", c.audience, c.push as settings, c.content_version as "contentVersion", ${topicOfSql("c")} as topic,
      ${timingOfSql("c")} as timing,
      ${currentEpochSql("c")} as current, (
        select jsonb_agg(jsonb_build_object('id', v.id, 'weight', v.weight, 'content', v.content) order by v.position)
        from ${t.variants} v where v.campaign_id = c.id and v.project_id = c.project_id
      ) as variants
    from ${t.campaigns} c
    where c.id = ${campaignId} and c.project_id = ${projectId} and c.channel = 'push'`.execute(db);
  return rows[0] ?? null;
}

export type DefinitionRow = {
  id: string;
  variantId: string;
  fingerprint: string;
  content: PushContent;
  settings: PushSettings;
};

/** Inserts definitions that are new. Answers the ids of all definitions of the campaign, by variant and fingerprint. */
export async function insertDefinitions(
  db: Db,
  projectId: string,
  campaignId: string,
  definitions: readonly DefinitionRow[],
  now: number,
): Promise<ReadonlyMap<string, string>> {
  const values = definitions.map(({ content, settings, ...rest }) => ({
    ...rest,
    projectId,
    campaignId,
    createdAt: now,
    content: JSON.stringify(content),
    settings: JSON.stringify(settings),
  }));
  await db
    .insertInto("pushDefinitions")
    .values(values)
    .onConflict((conflict) => conflict.columns(["campaignId", "variantId", "fingerprint"]).doNothing())
    .execute();
  const rows = await db
    .selectFrom("pushDefinitions")
    .select(["id", "variantId", "fingerprint"])
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .execute();
  return new Map(rows.map((row) => [row.variantId + row.fingerprint, row.id]));
}

export async function readDefinition(db: Db, projectId: string, id: string): Promise<DefinitionRow | null> {
  const row = await db
    .selectFrom("pushDefinitions")
    .select(["id", "variantId", "fingerprint", "content", "settings"])
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirst();
  if (row === undefined) return null;
  // Written by ourselves from checked objects.
  return { ...row, content: row.content as PushContent, settings: row.settings as PushSettings };
}

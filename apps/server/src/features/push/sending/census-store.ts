import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import type { PushSettings } from "../../content/push/message.pure.ts";
import { bucketSql } from "../../deliveries/gates/list.ts";
import {
  type BucketRow,
  type CensusQuestion,
  censusFrom,
  joiningByHash,
  variantIndexSql,
} from "../../deliveries/public.ts";
import type { CampaignSpec } from "./definition-store.ts";
import type { DeviceFacts } from "./gates/devices.pure.ts";
import { pushGates } from "./gates/push-gates.ts";
import { choiceOf, ofSelection } from "./plan/plan-store.ts";

/** Devices that planning cannot tell apart: all with the same facts. */
export type DeviceKind = DeviceFacts & { environment: "development" | "production" };

/** All kinds of devices with a push of each variant. `byCapabilities`: whether what the app can show tells kinds apart. */
export type RankedKinds = { kinds: readonly RankedKind[]; byCapabilities: boolean };

/** SQL that follows `from`: the devices with the app that a selection allows, as `i`, and `t` where they have a token. */
const devicesOf = (projectId: string, settings: PushSettings) => sql`${t.installations} i
  left join ${t.installationTokens} t
    on t.lane = i.token_lane and t.token_key = i.token_key and t.installation_key = i.installation_key
  where i.project_id = ${projectId} and i.app_id = ${settings.appId} and i.user_key is not null ${ofSelection(projectId, settings)}`;

/** At most `limit` of the kinds of devices that users have with the app, which usually are few: apps have few versions. */
export async function listDeviceKinds(
  db: Db,
  projectId: string,
  settings: PushSettings,
  limit: number,
): Promise<DeviceKind[]> {
  const { rows } = await sql<DeviceKind>`
    select distinct i.platform, i.environment, t.token_key is not null as "hasToken", i.permission, i.consent, i.capabilities
    from ${devicesOf(projectId, settings)} limit ${limit}`.execute(db);
  return rows;
}

/** How far a push of each variant gets on a device of a kind: an index of `NEARNESS`, or its length where it arrives. */
export type RankedKind = DeviceKind & { ranks: readonly number[] };

/**
 * The users of a campaign's audience by bucket, where the message can be written for all of them. A user is as far as the device that gets
 * furthest.
 */
export async function countPushBuckets(
  question: CensusQuestion,
  spec: CampaignSpec,
  { kinds, byCapabilities }: RankedKinds,
): Promise<BucketRow[]> {
  const { db, projectId, campaign } = question;
  const ranked = kinds.map(({ ranks, ...kind }) => ({ ...kind, ranks }));
  // The bucket depends on the variant only where a device can show one variant and not another.
  const isAlike = kinds.every(({ ranks }) => ranks.every((rank) => rank === ranks[0]));
  const ranksOf = (isAlike ? [0] : spec.variants.map((_, index) => index)).map(
    (index) => sql`max(k.ranks[${sql.lit(index + 1)}])`,
  );
  const variantAt = isAlike ? sql`1` : sql`1 + ${variantIndexSql(campaign.id, spec.variants)}`;
  const { topic } = spec;
  const choice = topic === null ? sql<boolean | null>`null::bool` : choiceOf("u", topic);
  const bucket = bucketSql(pushGates, { ...spec, variantAt, choice });
  const statement = sql<BucketRow>`
    with kinds as materialized (
      select k.platform, k.environment, k."hasToken", k.permission, k.consent, k.capabilities,
        array(select e::int from jsonb_array_elements_text(k.ranks) with ordinality x (e, ord) order by ord) as ranks
      from jsonb_to_recordset(${JSON.stringify(ranked)}::jsonb)
        as k (platform app_platform, environment app_environment, "hasToken" boolean, permission push_permission, consent boolean,
          capabilities jsonb, ranks jsonb)
    )
    select ${bucket} as bucket, count(*) as users
    from ${censusFrom(question, spec.current, sql`true`)}
    left join (
      select i.user_lane, i.user_key, array[${sql.join(ranksOf)}] as ranks
      from (
        select i.user_lane, i.user_key, i.platform, i.environment, t.token_key is not null as has_token, i.permission, i.consent
          ${byCapabilities ? sql`, i.capabilities` : sql``}
        from ${devicesOf(projectId, spec.settings)}
      ) i
      join kinds k on k.platform = i.platform and k.environment = i.environment and k."hasToken" = i.has_token
        and k.permission = i.permission and k.consent = i.consent
        ${byCapabilities ? sql`and k.capabilities = i.capabilities` : sql``}
      group by 1, 2
    ) v on v.user_lane = u.lane and v.user_key = u.user_key
    group by 1`;
  const { rows } = await joiningByHash(db, () => statement.execute(db));
  return rows;
}

import { type RawBuilder, sql } from "kysely";
import type { UserRef } from "../../../domain/ids.ts";
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
import { type Pressing, pressedSql, type ReaderRow, zoneOfSql } from "../../timing/public.ts";
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

/** SQL: the kinds of devices, as the CTE `kinds`; the users of a campaign's audience with how far their devices get; and the bucket of each. */
function bucketed(
  question: CensusQuestion,
  spec: CampaignSpec,
  { kinds, byCapabilities }: RankedKinds,
  columns: RawBuilder<unknown>,
): { kinds: RawBuilder<unknown>; from: RawBuilder<unknown>; bucket: RawBuilder<string> } {
  const { projectId, campaign } = question;
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
  const listed = sql`
    kinds as materialized (
      select k.platform, k.environment, k."hasToken", k.permission, k.consent, k.capabilities,
        array(select e::int from jsonb_array_elements_text(k.ranks) with ordinality x (e, ord) order by ord) as ranks
      from jsonb_to_recordset(${JSON.stringify(ranked)}::jsonb)
        as k (platform app_platform, environment app_environment, "hasToken" boolean, permission push_permission, consent boolean,
          capabilities jsonb, ranks jsonb)
    )`;
  const from = sql`${censusFrom(question, spec.current, columns)}
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
    ) v on v.user_lane = u.lane and v.user_key = u.user_key`;
  return { kinds: listed, from, bucket };
}

/**
 * The users of a campaign's audience by bucket, where the message can be written for all of them. A user is as far as the device that gets
 * furthest.
 */
export async function countPushBuckets(
  question: CensusQuestion,
  spec: CampaignSpec,
  ranked: RankedKinds,
): Promise<BucketRow[]> {
  const { db } = question;
  const { kinds, from, bucket } = bucketed(question, spec, ranked, sql`true`);
  const statement = sql<BucketRow>`with ${kinds} select ${bucket} as bucket, count(*) as users from ${from} group by 1`;
  const { rows } = await joiningByHash(db, () => statement.execute(db));
  return rows;
}

/** Those of them who would be reached, by what decides when. */
export async function countPushReaders(
  question: CensusQuestion,
  spec: CampaignSpec,
  ranked: RankedKinds,
  pressing: Pressing,
): Promise<ReaderRow[]> {
  const { db } = question;
  const { kinds, from, bucket } = bucketed(question, spec, ranked, sql`${zoneOfSql("u")} as zone`);
  const statement = sql<ReaderRow>`
    with ${kinds}
    select u.zone, x.user_key is not null as "isPressed", count(*) as users
    from (select u.lane, u.user_key, u.zone, ${bucket} as bucket from ${from}) u
    left join ${pressedSql(pressing)} on x.lane = u.lane and x.user_key = u.user_key
    where u.bucket = 'will_receive' group by 1, 2`;
  const { rows } = await joiningByHash(db, () => statement.execute(db));
  return rows;
}

/** Those of some users for whom a limit is reached, by their keys. */
export async function listPressed(
  { db }: CensusQuestion,
  pressing: Pressing,
  users: readonly UserRef[],
): Promise<ReadonlySet<string>> {
  const lanes = users.map(({ lane }) => lane);
  const keys = users.map(({ userKey }) => userKey);
  const ofThese = sql`and (d.lane, d.user_key) in (select * from unnest(${lanes}::int2[], ${keys}::uuid[]))`;
  const { rows } = await sql<{
    userKey: string;
  }>`select x.user_key as "userKey" from ${pressedSql(pressing, ofThese)}`.execute(db);
  return new Set(rows.map(({ userKey }) => userKey));
}

import { type RawBuilder, sql } from "kysely";
import type { Platform, PushEnvironment } from "../../../../domain/fields.ts";
import { apiId } from "../../../../domain/ids.ts";
import type { Db } from "../../../../platform/db/db.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import { ofDelivery } from "../recipient-store.ts";
import { countsUser } from "./sending-store.ts";

export type Way = {
  appId: string;
  platform: Platform;
  environment: PushEnvironment;
};

/** The devices of an app on one way, each counted once: at the first step that it does not pass, or as ready. */
export type DeviceCounts = Way & {
  devices: number;
  unbound: number;
  noToken: number;
  noConsent: number;
  notPermitted: number;
  ready: number;
};

/** The most ways, and campaigns, that are listed. */
const MOST = 100;

/** Devices by app, platform and environment, the most first; of one app, or of all (null). */
export async function countDevices(
  db: Db,
  projectId: string,
  appId: string | null = null,
): Promise<DeviceCounts[]> {
  const { rows } = await sql<DeviceCounts>`
    with steps as (
      select i.app_id, i.platform, i.environment, case
        when i.user_key is null then 'unbound'
        when t.token_key is null then 'no_token'
        when not i.consent then 'no_consent'
        when i.permission not in ('granted', 'provisional') then 'permission'
        else 'ready' end as step
      from ${t.installations} i
      left join ${t.installationTokens} t
        on t.lane = i.token_lane and t.token_key = i.token_key and t.installation_key = i.installation_key
      where i.project_id = ${projectId} and i.app_id = coalesce(${appId}::text, i.app_id)
    )
    select app_id as "appId", platform, environment, count(*) as devices,
      count(*) filter (where step = 'unbound') as unbound, count(*) filter (where step = 'no_token') as "noToken",
      count(*) filter (where step = 'no_consent') as "noConsent",
      count(*) filter (where step = 'permission') as "notPermitted", count(*) filter (where step = 'ready') as ready
    from steps group by 1, 2, 3 order by devices desc, 1, 2, 3 limit ${MOST}`.execute(db);
  return rows;
}

/** Every way for which the project, or one app of it, has a credential, including credentials that cannot be opened. */
export async function listCredentialWays(
  db: Db,
  projectId: string,
  appId: string | null = null,
): Promise<Way[]> {
  return db
    .selectFrom("pushCredentials")
    .select(["appId", "platform", "environment"])
    .where("projectId", "=", projectId)
    .$if(appId !== null, (query) => query.where("appId", "=", appId ?? ""))
    .orderBy("appId")
    .orderBy("platform")
    .orderBy("environment")
    .limit(MOST)
    .execute();
}

type Counted = { reason: string; count: number };

/** A campaign that sends, or would if it were not paused, with what its users and devices wait for. Instants are epoch milliseconds. */
export type PushCampaignStanding = {
  id: string;
  name: string;
  appId: string;
  status: "draft" | "running" | "paused" | "ended";
  deliverFrom: number | null;
  deliverUntil: number | null;
  users: Counted[];
  devices: Counted[];
};

const countsOf = (rows: RawBuilder<unknown>): RawBuilder<unknown> => sql`coalesce((
  select jsonb_agg(jsonb_build_object('reason', w.reason, 'count', w.count) order by w.count desc, w.reason)
  from (${rows}) w
), '[]'::jsonb)`;

/** Running and paused push campaigns, the newest first; or the one that is named (UUID), whatever its status. */
export async function listPushCampaigns(
  db: Db,
  projectId: string,
  campaignId: string | null,
): Promise<PushCampaignStanding[]> {
  const chosen = campaignId === null ? sql`c.status in ('running', 'paused')` : sql`c.id = ${campaignId}`;
  const waitsFirst = countsUser("r", t.pushRecipients, "f.state = 'waiting' and f.reason = r.reason");
  const waitingUsers = sql`
    select r.reason, count(*) filter (where ${waitsFirst}) from ${t.pushRecipients} r
    where r.campaign_id = c.id and r.project_id = c.project_id and ${ofDelivery("r")} and r.state = 'waiting' group by 1`;
  const waitingDevices = sql`
    select s.reason, count(*) from ${t.pushSlots} s
    where s.campaign_id = c.id and s.project_id = c.project_id and s.state = 'waiting' and not s.is_test group by 1`;
  const { rows } = await sql<PushCampaignStanding>`
    select c.id, c.name, c.push->>'appId' as "appId", c.status, c.deliver_from as "deliverFrom",
      c.deliver_until as "deliverUntil", ${countsOf(waitingUsers)} as users, ${countsOf(waitingDevices)} as devices
    from ${t.campaigns} c
    where c.project_id = ${projectId} and c.channel = 'push' and ${chosen}
    order by c.created_at desc, c.id desc limit ${MOST}`.execute(db);
  return rows.map((row) => ({ ...row, id: apiId("cmp", row.id) }));
}

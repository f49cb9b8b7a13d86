import type pg from "pg";
import type { TidingsUnderLoad } from "./processes.ts";

const DAY_MS = 86_400_000;
/** Names of the events of a filled project: `event_0` is by far the most frequent. */
const EVENT_NAMES = 20;

type Campaign = { id: string; variants: { id: string }[] };
const uuid = (id: string): string => id.slice(id.indexOf("_") + 1);

/** A running web campaign to everybody. */
async function launch({ port, secretKey }: TidingsUnderLoad): Promise<Campaign> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/campaigns`, {
    method: "POST",
    headers: { authorization: `Bearer ${secretKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      name: "To all",
      launch: true,
      message: { presentation: "toast", title: "Hello" },
    }),
  });
  if (!response.ok) throw new Error(await response.text());
  const { campaign } = (await response.json()) as { campaign: Campaign };
  return campaign;
}

/** Counts users that were written by hand, as a server counts those that it makes. */
export async function countUsers(db: pg.Client): Promise<void> {
  await db.query(
    `insert into user_counts (project_id, kind, users) select project_id, 'users', count(*) from users group by 1
    on conflict (project_id, kind) do update set users = excluded.users`,
  );
}

/**
 * Adds users `from` to `until` of a project, with traits; every `oddEvery`th has an address that is longer than most. The temporary table
 * `people` (n, lane, user_key, project_id) has those that were added last, as long as the session lasts.
 */
export async function fillUsers(
  db: pg.Client,
  projectId: string,
  { from = 0, until, oddEvery = null }: { from?: number; until: number; oddEvery?: number | null },
): Promise<void> {
  await db.query("drop table if exists people");
  await db.query(
    `create temp table people as
    select n, $1::uuid as project_id, get_byte(digest, 0) >> 2 as lane,
      encode(substring(digest from 1 for 16), 'hex')::uuid as user_key
    from (
      select n, sha256(convert_to($1, 'UTF8') || '\\x00'::bytea || convert_to('user-' || n, 'UTF8')) as digest
      from generate_series($2::int, $3::int - 1) n
    ) digests`,
    [projectId, from, until],
  );
  await db.query("create index on people (n)");
  await db.query(
    `insert into users (lane, user_key, project_id, external_id, traits, first_seen_at, last_seen_at)
    select lane, user_key, project_id, 'user-' || n,
      jsonb_build_object('plan', (array['free', 'starter', 'pro', 'team', 'enterprise'])[1 + n % 5], 'seats', n % 50,
        'email', 'user-' || n || '@' || case when n % $2::int = 1 then repeat('mail.', 12) else '' end || 'example.com'),
      $1::int8 - (n % 90) * 86400000::int8, $1::int8 - (n % 7) * 86400000::int8
    from people`,
    [Date.now(), oddEvery],
  );
  await countUsers(db);
}

/** Events of `people`, of 20 names, over 90 days. */
export async function fillEvents(db: pg.Client, events: number): Promise<void> {
  await db.query("analyze people");
  await db.query(
    `insert into events (lane, user_key, event_id, project_id, name, props, ts)
    select p.lane, p.user_key, 'e-' || e, project_id, 'event_' || floor(power(random(), 2) * $1)::int,
      jsonb_build_object('amount', (random() * 100)::int, 'currency', 'EUR'), $2::int8 - ((1 - e::float8 / $3) * 90 * 86400000)::int8
    from (select min(n) as first, count(*)::int as count from people) of_all
    cross join generate_series(1, $3::int) e
    join people p on p.n = of_all.first + (hashint4(e) & 2147483647) % of_all.count`,
    [EVENT_NAMES, Date.now(), events],
  );
}

/** Deliveries of a campaign to users, as if it had run; `from` is SQL that says which. */
export async function fillDeliveries(db: pg.Client, { id, variants }: Campaign, from: string): Promise<void> {
  await db.query(
    `insert into deliveries (lane, user_key, campaign_id, project_id, variant_id, state, queued_at)
    select lane, user_key, $1, project_id, $2, 'queued', 1 from ${from}`,
    [uuid(id), uuid(variants[0]?.id ?? "")],
  );
}

/**
 * Fills a new project: users with traits, events of 20 names over 90 days, a web campaign that was shown to everyone, and all
 * that is counted of them. `fillUsers` says what stays for the session. @returns the campaign's id
 */
export async function fillProject(
  db: pg.Client,
  tidings: TidingsUnderLoad,
  { users, events }: { users: number; events: number },
): Promise<string> {
  const campaign = await launch(tidings);
  await fillUsers(db, tidings.projectId, { until: users });
  await fillEvents(db, events);
  await db.query(
    `insert into event_counts (lane, user_key, name, project_id, count, first_at, last_at)
    select lane, user_key, name, project_id, count(*), min(ts), max(ts) from events group by 1, 2, 3, 4`,
  );
  await db.query(
    `insert into deliveries (lane, user_key, campaign_id, project_id, variant_id, epoch, state, queued_at, shown_at, exposed_at)
    select lane, user_key, $1, project_id, $2, 1, 'shown', at, at, at
    from people, lateral (select $3::int8 - (n % 60) * $4::int8 as at) shown`,
    [uuid(campaign.id), uuid(campaign.variants[0]?.id ?? ""), Date.now() - DAY_MS, DAY_MS],
  );
  await countProject(db);
  await db.query("vacuum analyze");
  return campaign.id;
}

/** The counters and rollups that a server would have kept of what `fillProject` wrote. */
async function countProject(db: pg.Client): Promise<void> {
  const statements = [
    `insert into campaign_stats (lane, campaign_id, variant_id, project_id, shown)
    select lane, campaign_id, variant_id, project_id, count(*) from deliveries group by 1, 2, 3, 4`,
    `insert into delivery_days (project_id, day, shown, clicked, converted)
    select project_id, shown_at / 86400000, count(*), 0, 0 from deliveries group by 1, 2`,
    `insert into active_users (lane, user_key, period, project_id)
    select lane, user_key, to_char(now() at time zone 'utc', 'YYYYMM')::int, project_id from people`,
    `insert into active_user_counts (lane, project_id, period, users)
    select lane, project_id, period, count(*) from active_users group by 1, 2, 3`,
    `insert into event_names (project_id, name, users, occurrences, last_seen_at)
    select project_id, name, count(*), sum(count), max(last_at) from event_counts group by 1, 2`,
    `insert into event_days (project_id, day, name, count)
    select project_id, ts / 86400000, name, count(*) from events group by 1, 2, 3`,
    `insert into event_properties (project_id, name, key, type, count)
    select project_id, name, part.key, part.type, occurrences
    from event_names, (values ('amount', 'number'), ('currency', 'string')) part (key, type)`,
    `insert into trait_keys (project_id, key, type, users)
    select project_id, key, type, count(*)
    from people, (values ('plan', 'string'), ('seats', 'number'), ('email', 'string')) trait (key, type) group by 1, 2, 3`,
    `insert into trait_values (project_id, key, value, users)
    select project_id, 'plan', traits ->> 'plan', count(*) from users group by 1, 2, 3`,
    "insert into crowded_traits (project_id, key) select distinct project_id, 'email' from people",
  ];
  for (const statement of statements) await db.query(statement);
}

/** A text of each channel that a campaign of `sendingCampaign` has. */
const CONTENTS = {
  email: { subject: "Hello", body: "Hello there." },
  push: {
    title: "Hello",
    body: "Hello there.",
    destination: { kind: "website", url: "https://example.com/" },
  },
};

/** A paused campaign of another channel, which has sent to the first `count` of `people`; its rows are made by hand. */
async function sendingCampaign(
  db: pg.Client,
  channel: keyof typeof CONTENTS,
  count: number,
): Promise<string> {
  const { rows } = await db.query<{ id: string }>(
    `with made as (
      insert into campaigns (id, project_id, name, status, channel, created_by, created_at, started_at, audience, push)
      select gen_random_uuid(), project_id, $1::text, 'paused', $1::text::channel, 'api', 1, 1, '{"kind": "all"}',
        case when $1::text = 'push' then '{"appId": "com.example.app", "selection": {"kind": "last_active"}}'::jsonb end
      from people where n = 0
      returning *
    ),
    varied as (
      insert into variants (id, campaign_id, project_id, position, name, weight, is_control, content)
      select id, id, project_id, 0, 'A', 1, true, $2::jsonb from made
    )
    insert into campaign_sweeps (campaign_id, project_id, next_sweep_at)
    select id, project_id, 9e15 from made returning campaign_id as id`,
    [channel, JSON.stringify(CONTENTS[channel])],
  );
  const id = rows[0]?.id ?? "";
  await db.query(
    `insert into deliveries (lane, user_key, campaign_id, project_id, variant_id, state, queued_at, sent_at)
    select lane, user_key, $1, project_id, $1, 'sent', 1, 2 from people where n < $2`,
    [id, count],
  );
  await db.query(
    `insert into campaign_stats (lane, campaign_id, variant_id, project_id, sent)
    select lane, $1, $1, project_id, count(*) from people where n < $2 group by lane, project_id`,
    [id, count],
  );
  return id;
}

/** A mail to each of the first `count` of `people`, accepted at the first attempt, with all that is written down of it. */
export async function fillEmail(db: pg.Client, count: number): Promise<void> {
  const id = await sendingCampaign(db, "email", count);
  await db.query(
    `create temp table mailed as
    select *, get_byte(digest, 0) >> 2 as address_lane, encode(substring(digest from 1 for 16), 'hex')::uuid as address_key
    from (
      select *, 'user-' || n || '@example.com' as address,
        sha256(convert_to(project_id::text, 'UTF8') || '\\x00'::bytea || convert_to('mailto:user-' || n || '@example.com', 'UTF8')) as digest
      from people where n < $1
    ) digests`,
    [count],
  );
  await db.query(
    `insert into email_addresses (lane, address_key, project_id, address, accepted_at)
    select address_lane, address_key, project_id, address, array[2] from mailed`,
  );
  await db.query(
    `insert into email_sends (lane, user_key, campaign_id, project_id, status, due_at, begun, attempts, address_lane, address_key)
    select lane, user_key, $1, project_id, 'accepted', 1, true, 1, address_lane, address_key from mailed`,
    [id],
  );
  await db.query(
    `insert into email_attempts (lane, user_key, campaign_id, ordinal, project_id, lease_owner, started_at)
    select lane, user_key, $1, 1, project_id, gen_random_uuid(), 1 from mailed`,
    [id],
  );
  await db.query(
    `insert into email_outcomes (lane, user_key, campaign_id, ordinal, project_id, kind, at, code, response)
    select lane, user_key, $1, 1, project_id, 'accepted', 2, 250, '250 2.0.0 Ok: queued as ' || upper(substring(md5(n::text) for 12))
    from mailed`,
    [id],
  );
  await db.query("vacuum analyze");
}

/** A device each for some of `people` (`which` is SQL), in the temporary table `devices`. */
export async function fillDevices(db: pg.Client, which: string): Promise<void> {
  await db.query("drop table if exists devices");
  await db.query(
    `create temp table devices as
    select *, get_byte(installed, 0) >> 2 as installation_lane, encode(substring(installed from 1 for 16), 'hex')::uuid as installation_key,
      get_byte(signed, 0) >> 2 as token_lane, encode(substring(signed from 1 for 16), 'hex')::uuid as token_key
    from (
      select *, sha256(convert_to(project_id::text, 'UTF8') || '\\x00'::bytea || 'installation' || '\\x00'::bytea
          || convert_to('device-' || n, 'UTF8')) as installed,
        sha256(convert_to(project_id || 'token-' || n, 'UTF8')) as signed
      from people where ${which}
    ) digests`,
  );
  await db.query(
    `insert into installations (lane, installation_key, project_id, installation_id, app_id, platform, environment, verifier,
      user_lane, user_key, user_external_id, binding_generation, revision, token_revision, token_lane, token_key, permission, consent,
      capabilities, created_at)
    select installation_lane, installation_key, project_id, 'device-' || n, 'com.example.app', 'ios', 'production', installed,
      lane, user_key, 'user-' || n, 1, 3, 1, token_lane, token_key, 'granted', true,
      '{"actions": [], "channels": [], "richImages": true, "categories": []}', 1 from devices`,
  );
  await db.query(
    `insert into installation_tokens (lane, token_key, project_id, installation_lane, installation_key, token)
    select token_lane, token_key, project_id, installation_lane, installation_key, encode(signed, 'hex') from devices`,
  );
}

/** A device of each of the first `count` of `people`, and a push to it, accepted at the first attempt. */
export async function fillPush(db: pg.Client, count: number): Promise<void> {
  const id = await sendingCampaign(db, "push", count);
  await fillDevices(db, `n < ${count}`);
  await db.query("create temp table pushed as select *, gen_random_uuid() as slot_key from devices");
  const definition = "(select id from push_definitions limit 1)";
  const statements = [
    `insert into push_definitions (id, campaign_id, project_id, variant_id, fingerprint, content, settings, created_at)
    select gen_random_uuid(), id, project_id, id, 'x', '{}', '{}', 1 from campaigns where id = '${id}'`,
    `insert into push_recipients (lane, user_key, campaign_id, send_id, project_id, variant_id, state, checked_at, created_at)
    select lane, user_key, '${id}', '${id}', project_id, '${id}', 'active', 1, 1 from pushed`,
    `insert into push_slots (lane, user_key, slot_key, campaign_id, send_id, project_id, is_test, installation_lane, installation_key,
      installation_id, binding_generation, selected_by, state, at, generation, revision, attempts, submissions_used, accepted_ordinal,
      expires_at, created_at)
    select lane, user_key, slot_key, '${id}', '${id}', project_id, false, installation_lane, installation_key, 'device-' || n, 1,
      'last_active', 'accepted', 1, 1, 3, 1, 1, 1, 9e12, 1 from pushed`,
    `insert into push_targets (lane, user_key, slot_key, generation, project_id, campaign_id, definition_id, credential_id,
      credential_revision, token_revision, expires_at, created_at, content)
    select lane, user_key, slot_key, 1, project_id, '${id}', ${definition}, '${id}', 1, 1, 9e12, 1, null from pushed`,
    `insert into push_attempts (lane, user_key, slot_key, ordinal, project_id, campaign_id, generation, slot_revision, lease_owner,
      started_at, valid_until)
    select lane, user_key, slot_key, 1, project_id, '${id}', 1, 2, gen_random_uuid(), 1, 2 from pushed`,
    `insert into push_outcomes (lane, user_key, slot_key, ordinal, project_id, campaign_id, generation, kind, submission, observed_at,
      provider_id)
    select lane, user_key, slot_key, 1, project_id, '${id}', 1, 'accepted', 'confirmed', 2, gen_random_uuid()::text from pushed`,
  ];
  for (const statement of statements) await db.query(statement);
  await db.query("vacuum analyze");
}

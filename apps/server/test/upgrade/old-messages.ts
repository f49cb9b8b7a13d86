/** Messages of every channel and in every state, as they lay before deliveries had occasions: rows in each table that got one. */
import { apiId, userRef } from "../../src/domain/ids.ts";
import { addressRef } from "../../src/features/email/addresses/public.ts";
import { DAY_MS } from "../../src/platform/time/clock.ts";
import { newUuid } from "../../src/platform/uuid.ts";

type Run = (sql: string, values?: readonly unknown[]) => Promise<unknown>;

/** Whose messages they are: their project and its goal, both there already, and an instant after they began (epoch ms). */
export type Owner = { projectId: string; goalId: string; at: number };

/** The tables whose rows are of an occasion now. */
export const OF_AN_OCCASION = [
  "deliveries",
  "email_sends",
  "email_attempts",
  "email_outcomes",
  "email_resends",
  "email_hits",
  "email_hit_heads",
  "push_conversions",
  "push_engagements",
  "push_recipients",
  "push_slots",
];

const [mailId, pushId, mailVariant, pushVariant] = [newUuid(1), newUuid(2), newUuid(3), newUuid(4)] as const;
export const campaignIds = { mail: apiId("cmp", mailId), push: apiId("cmp", pushId) };

/** A message by its status: the state of its delivery, what became of each attempt (null: not known yet), and whether it was resent. */
const MAIL: readonly [
  status: string,
  state: string,
  outcomes: readonly (string | null)[],
  isResent?: true,
][] = [
  ["waiting", "queued", []],
  ["waiting", "retryable", ["deferred"]],
  ["sending", "sending", ["deferred", null]],
  ["accepted", "clicked", ["accepted"]],
  ["accepted", "sent", ["unknown", "accepted"], true],
  ["unknown", "sending", ["unknown"]],
  ["failed", "failed", ["rejected"]],
  ["capped", "frequency_capped", []],
  ["suppressed", "failed", []],
];

/** What `getCampaignEmail` counts of them. */
export const MAIL_PROGRESS = {
  planned: 9,
  waiting: 2,
  accepted: 2,
  failed: 1,
  frequencyCapped: 1,
  suppressed: 1,
};

async function campaign(
  run: Run,
  { projectId, goalId, at }: Owner,
  [id, variantId, channel]: readonly [string, string, string],
): Promise<void> {
  const push = { appId: "com.acme.app", selection: { kind: "all" }, ttlSeconds: 60 };
  await run(
    `insert into campaigns (id, project_id, name, status, channel, goal_id, created_by, created_at, started_at, audience, push)
    values ($1, $2, $3, 'paused', $3::text::channel, $4, 'api', $5, $5, '{"kind": "all"}', $6)`,
    [id, projectId, channel, goalId, at, channel === "push" ? push : null],
  );
  await run(
    `insert into variants (id, campaign_id, project_id, position, name, weight, is_control, content) values ($1, $2, $3, 0, 'A', 1, true, $4)`,
    [variantId, id, projectId, channel === "push" ? { title: "P", body: "P" } : { subject: "M", body: "M" }],
  );
  await run(
    `insert into allocations (campaign_id, epoch, variant_id, project_id, weight, content_digest, goal_id, holdout_percent, started_at)
    select campaign_id, 0, id, project_id, weight, encode(sha256(convert_to(content::text, 'UTF8')), 'hex'), $2, 0, $3
    from variants where id = $1`,
    [variantId, goalId, at],
  );
  await run("insert into campaign_sweeps (campaign_id, project_id, next_sweep_at) values ($1, $2, $3)", [
    id,
    projectId,
    at + 1_000 * DAY_MS,
  ]);
}

async function mail(run: Run, { projectId, at }: Owner): Promise<void> {
  for (const [index, [status, state, outcomes, isResent]] of MAIL.entries()) {
    const { lane, userKey } = userRef(projectId, `crowd-${index}`);
    const to = addressRef(projectId, `crowd-${index}@example.com`);
    const key = [lane, userKey, mailId];
    const [sentAt, hitAt] = [status === "accepted" ? at + 10 : null, state === "clicked" ? at + 30 : null];
    const isOnTheWay = status === "sending";
    await run(
      `insert into deliveries (lane, user_key, campaign_id, project_id, variant_id, state, queued_at, sent_at, exposed_at, opened_at, clicked_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $9)`,
      [...key, projectId, mailVariant, state, at, sentAt, hitAt],
    );
    await run(
      `insert into email_addresses (lane, address_key, project_id, address, on_the_way, accepted_at) values ($1, $2, $3, $4, $5, $6)`,
      [
        to.lane,
        to.addressKey,
        projectId,
        `crowd-${index}@example.com`,
        isOnTheWay ? 1 : 0,
        sentAt === null ? [] : [sentAt],
      ],
    );
    await run(
      `insert into email_sends (lane, user_key, campaign_id, project_id, status, due_at, begun, attempts, lease_owner, leased_until,
        address_lane, address_key)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [
        ...key,
        projectId,
        status,
        at,
        outcomes.length > 0,
        outcomes.length,
        isOnTheWay ? newUuid(at) : null,
        isOnTheWay ? at + 1_000 * DAY_MS : null,
        to.lane,
        to.addressKey,
      ],
    );
    for (const [attempt, kind] of outcomes.entries()) {
      const ordinal = attempt + 1;
      await run("insert into email_attempts values ($1, $2, $3, $4, $5, gen_random_uuid(), $6)", [
        ...key,
        ordinal,
        projectId,
        at + attempt,
      ]);
      if (kind !== null)
        await run("insert into email_outcomes values ($1, $2, $3, $4, $5, $6, $7, 250, 'So it is')", [
          ...key,
          ordinal,
          projectId,
          kind,
          at + 10,
        ]);
    }
    if (isResent)
      await run("insert into email_resends values ($1, $2, $3, 1, $4, 'Ada', $5)", [...key, projectId, at]);
    if (status === "capped")
      await run("insert into email_capped_counts values ($1, $2, 202601, 1)", [lane, projectId]);
    if (hitAt !== null) {
      for (const [hit, kind] of ["open", "click"].entries())
        await run("insert into email_hits values ($1, $2, $3, $4, $5, $6, $7, $8)", [
          ...key,
          hit + 1,
          projectId,
          kind,
          hitAt,
          kind === "click" ? "https://shop.example" : null,
        ]);
      await run("insert into email_hit_heads values ($1, $2, $3, $4, 2, null, 'https://shop.example', $5)", [
        ...key,
        projectId,
        hitAt,
      ]);
    }
  }
}

/** One user whose push was taken, tapped and paid off, one who waits for a device, and one who has none. */
async function push(run: Run, { projectId, at }: Owner): Promise<void> {
  const [ada, ...others] = ["ada", "bob", "cleo"].map((userId) => userRef(projectId, userId));
  const key = [ada?.lane, ada?.userKey];
  const [slotKey, definitionId, engagementId] = [newUuid(at), newUuid(at), newUuid(at)];
  const recipient =
    "insert into push_recipients (lane, user_key, campaign_id, send_id, project_id, variant_id, state, checked_at, created_at) values ($1, $2, $3, $3, $4, $5, $6, $7, $7)";
  await run(recipient, [...key, pushId, projectId, pushVariant, "active", at]);
  for (const [index, { lane, userKey }] of others.entries())
    await run(recipient, [lane, userKey, pushId, projectId, null, index === 0 ? "waiting" : "closed", at]);
  await run(
    `insert into deliveries (lane, user_key, campaign_id, project_id, variant_id, state, queued_at, sent_at, delivered_at,
      delivered_reported_at, exposed_at, clicked_at, converted_at, goal_event_at)
    values ($1, $2, $3, $4, $5, 'converted', $6, $7, $8, $8, $8, $9, $10, $10)`,
    [...key, pushId, projectId, pushVariant, at, at + 1, at + 2, at + 3, at + 4],
  );
  await run("insert into push_definitions values ($1, $2, $3, $4, 'print', '{}', '{}', $5)", [
    definitionId,
    pushId,
    projectId,
    pushVariant,
    at,
  ]);
  await run(
    `insert into push_slots (lane, user_key, slot_key, campaign_id, send_id, project_id, is_test, installation_lane, installation_key,
      installation_id, binding_generation, selected_by, state, at, generation, attempts, submissions_used, accepted_ordinal, expires_at,
      created_at, receipt_at)
    values ($1, $2, $3, $4, $4, $5, false, $1, $2, 'phone', 1, 'all', 'accepted', $6, 1, 1, 1, 1, $7, $6, $8)`,
    [...key, slotKey, pushId, projectId, at, at + DAY_MS, at + 2],
  );
  await run(
    `insert into push_targets (lane, user_key, slot_key, generation, project_id, campaign_id, definition_id, credential_id,
      credential_revision, token_revision, expires_at, created_at)
    values ($1, $2, $3, 1, $4, $5, $6, gen_random_uuid(), 1, 1, $7, $8)`,
    [...key, slotKey, projectId, pushId, definitionId, at + DAY_MS, at],
  );
  await run("insert into push_attempts values ($1, $2, $3, 1, $4, $5, 1, 1, gen_random_uuid(), $6, $7)", [
    ...key,
    slotKey,
    projectId,
    pushId,
    at,
    at + DAY_MS,
  ]);
  await run("insert into push_outcomes values ($1, $2, $3, 1, $4, $5, 1, 'accepted', 'confirmed', $6)", [
    ...key,
    slotKey,
    projectId,
    pushId,
    at + 1,
  ]);
  for (const [index, kind] of ["receipt", "tap"].entries())
    await run(
      `insert into push_observations (lane, user_key, installation_key, binding_generation, sequence, project_id, id, command_id, digest,
        kind, command, installation_id, received_at, campaign_id, slot_key)
      values ($1, $2, $2, 1, $3, $4, gen_random_uuid(), $5, '', $5, '{}', 'phone', $6, $7, $8)`,
      [...key, index + 1, projectId, kind, at + 2 + index, pushId, slotKey],
    );
  await run("insert into push_engagements values ($1, $2, $3, $4, $5, $6, $7, 2)", [
    ...key,
    pushId,
    projectId,
    engagementId,
    slotKey,
    at + 3,
  ]);
  await run("insert into push_conversions values ($1, $2, $3, $4, gen_random_uuid(), $5, 'ada-9', $6, 3)", [
    ...key,
    pushId,
    projectId,
    engagementId,
    at + 4,
  ]);
}

/** Writes the messages of one campaign of email and one of push, with what is counted of them. */
export async function oldMessages(run: Run, owner: Owner): Promise<void> {
  await campaign(run, owner, [mailId, mailVariant, "email"]);
  await campaign(run, owner, [pushId, pushVariant, "push"]);
  await mail(run, owner);
  await push(run, owner);
  await run(
    `insert into campaign_stats (lane, campaign_id, variant_id, project_id, sent, frequency_capped, delivered, opened, clicked, converted)
    select lane, campaign_id, variant_id, project_id, count(sent_at), count(*) filter (where state = 'frequency_capped'),
      count(delivered_at), count(opened_at), count(clicked_at), count(converted_at)
    from deliveries where campaign_id = any ($1) group by 1, 2, 3, 4`,
    [[mailId, pushId]],
  );
  await run(
    `insert into delivery_days as d (project_id, day, shown, clicked, converted)
    select project_id, floor($2::int8 / $3::int8), 0, count(clicked_at), count(converted_at)
    from deliveries where campaign_id = any ($1) group by 1
    on conflict (project_id, day) do update set clicked = d.clicked + excluded.clicked, converted = d.converted + excluded.converted`,
    [[mailId, pushId], owner.at, DAY_MS],
  );
}

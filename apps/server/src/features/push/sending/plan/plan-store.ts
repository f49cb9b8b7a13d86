import { type RawBuilder, sql } from "kysely";
import type { Platform, PushEnvironment } from "../../../../domain/fields.ts";
import { type DeliveryRef, installationRef, type UserRef } from "../../../../domain/ids.ts";
import type { Connection, Db } from "../../../../platform/db/db.ts";
import { type Relation, relation, rowFilter } from "../../../../platform/db/statements/fragment.ts";
import { rowsStatement } from "../../../../platform/db/statements/statement.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import {
  findRangeOf,
  isInKeyRange,
  type KeyRange,
  matchingUsersIn,
} from "../../../audience/language/public.ts";
import { type CurrentEpoch, knowsHoldout } from "../../../campaigns/authoring/public.ts";
import type { CampaignTopic } from "../../../campaigns/topics/public.ts";
import type { PushSettings } from "../../../content/push/message.pure.ts";
import { hasDelivery } from "../../../deliveries/gates/delivery.ts";
import { wasWithheld } from "../../../deliveries/gates/withheld.ts";
import {
  type AudiencePage,
  DELIVERY_COLUMNS,
  type DeliveryColumn,
  deliveryKey,
  drawKeySql,
  isCampaignOf,
  newDeliveriesCte,
  onFirstOccasion,
  sameCampaign,
} from "../../../deliveries/public.ts";
import type { Capabilities } from "../../../users/devices/schema.ts";
import { ofDelivery, ofFirstDelivery } from "../recipient-store.ts";
import type { WaitReason } from "../schema.ts";

/** A device of a candidate, with what planning needs. */
export type PlannedDevice = {
  installationLane: number;
  installationKey: string;
  installationId: string;
  platform: Platform;
  environment: PushEnvironment;
  bindingGeneration: number;
  tokenRevision: number;
  hasToken: boolean;
  permission: string;
  consent: boolean;
  capabilities: Capabilities;
  lastActiveAt: number | null;
};

/** A user of the audience, with the devices that have the app. `waiting` is why a user already waits in the campaign, or null. */
export type PushCandidate = UserRef & {
  drawKey: string;
  externalId: string;
  traits: Record<string, unknown>;
  serverTraits: string[] | null;
  waiting: WaitReason | null;
  /** What the user chose of the topic of the campaign; null where they chose nothing, or it has none. */
  choice: boolean | null;
  devices: PlannedDevice[];
};

/**
 * Which users of an audience to find: those who are not recipients of the campaign yet, recipients who wait, or, for a census, all
 * without a delivery.
 */
export type CandidateQuery = {
  projectId: string;
  campaignId: string;
  settings: PushSettings;
  current: Pick<CurrentEpoch, "withholds">;
  topic: CampaignTopic | null;
  which: "new" | "waiting" | "undelivered";
};

/** A user of the audience with one of their devices, or with none. */
type Found = Omit<PushCandidate, "devices"> & (PlannedDevice | { [Key in keyof PlannedDevice]: null });

/** Groups rows, which are ordered by user, into users with their devices. */
function byUser(rows: readonly Found[]): PushCandidate[] {
  const candidates: PushCandidate[] = [];
  for (const { lane, userKey, drawKey, externalId, traits, serverTraits, choice, waiting, ...row } of rows) {
    let candidate = candidates.at(-1);
    if (candidate?.userKey !== userKey) {
      candidate = { lane, userKey, drawKey, externalId, traits, serverTraits, choice, waiting, devices: [] };
      candidates.push(candidate);
    }
    if (row.installationKey !== null) candidate.devices.push(row);
  }
  return candidates;
}

/**
 * The devices of `f` that have the app. As rows, because building JSON in PostgreSQL would cost half as much again. `offset 0` keeps
 * the planner from merging the lateral join, so that a page of users never reads all installations.
 */
const devices = (projectId: string, appId: string) => sql`lateral (
  select i.lane as "installationLane", i.installation_key as "installationKey", i.installation_id as "installationId", i.platform,
    i.environment, i.binding_generation as "bindingGeneration", i.token_revision as "tokenRevision",
    t.token_key is not null as "hasToken", i.permission, i.consent, i.capabilities, i.last_active_at as "lastActiveAt"
  from ${t.installations} i
  left join ${t.installationTokens} t
    on t.lane = i.token_lane and t.token_key = i.token_key and t.installation_key = i.installation_key
  where i.user_lane = f.lane and i.user_key = f."userKey" and i.project_id = ${projectId} and i.app_id = ${appId}
  offset 0
)`;

/** SQL that begins with `and`: a selection allows the installation `i`. A specific one is found by its key. */
export function ofSelection(projectId: string, { selection }: PushSettings): RawBuilder<unknown> {
  if (selection.kind !== "specific") return sql``;
  const { lane, installationKey } = installationRef(projectId, selection.installationId);
  return sql`and i.lane = ${lane}::int2 and i.installation_key = ${installationKey}::uuid`;
}

/** The devices of one user that have the app. */
export async function readDevices(
  db: Db,
  projectId: string,
  { lane, userKey }: UserRef,
  appId: string,
): Promise<PlannedDevice[]> {
  const { rows } = await sql<PlannedDevice>`
    select d.* from (select ${lane}::int2 as lane, ${userKey}::uuid as "userKey") f cross join ${devices(projectId, appId)} d`.execute(
    db,
  );
  return rows;
}

/** The range of the next users who wait in a campaign (UUID) for a push, behind one of them (null: the first one). Others lie in it as well. */
export const findWaitingRange = (
  db: Db,
  projectId: string,
  campaignId: string,
  after: UserRef | null,
): Promise<KeyRange> =>
  findRangeOf(
    db,
    sql`${t.pushRecipients} r where r.campaign_id = ${campaignId} and r.project_id = ${projectId} and r.state = 'waiting'
      and ${onFirstOccasion("r")}`,
    after,
  );

/** SQL: what the user of a row chose of a topic for pushes; null where they chose nothing. */
export const choiceOf = (row: string, { id }: CampaignTopic): RawBuilder<boolean | null> => sql`(
  select o.is_in from ${t.pushTopicChoices} o
  where o.lane = ${sql.ref(`${row}.lane`)} and o.user_key = ${sql.ref(`${row}.user_key`)} and o.topic_id = ${id}
)`;

/** SQL: what planning reads of the user `u`. */
const personColumns = (topic: CampaignTopic | null): RawBuilder<unknown> => sql`
    ${drawKeySql("u")} as "drawKey", u.external_id as "externalId", u.traits, u.server_traits as "serverTraits",
      ${topic === null ? sql`null::bool` : choiceOf("u", topic)} as choice`;

/** The users of a page, by lane and key. */
export async function findCandidates(
  db: Db,
  { projectId, campaignId, settings, current, topic, which }: CandidateQuery,
  { range, expression, evaluatedAt }: AudiencePage,
): Promise<PushCandidate[]> {
  const hasApp = (row: string): RawBuilder<boolean> => sql`exists (
    select from ${t.installations} i
    where i.user_lane = ${sql.ref(`${row}.lane`)} and i.user_key = ${sql.ref(`${row}.user_key`)} and i.project_id = ${projectId}
      and i.app_id = ${settings.appId} ${ofSelection(projectId, settings)}
  )`;
  const isWithheld = wasWithheld(campaignId, current);
  const isFirst = ofFirstDelivery("r");
  const isRecipient = sql`exists (
    select from ${t.pushRecipients} r where ${isCampaignOf("r", "u", campaignId)} and ${isFirst} offset 0
  )`;
  const fresh = sql`not ${isRecipient} and not ${isWithheld} ${settings.selection.kind === "specific" ? sql`and ${hasApp("u")}` : sql``}`;
  const undelivered = sql`not ${hasDelivery(campaignId)} and not ${isWithheld}`;
  const users = (chosen: RawBuilder<unknown>): RawBuilder<unknown> => sql`(
    select u.lane, u.user_key as "userKey", ${personColumns(topic)}
    from ${matchingUsersIn(range, projectId, "users", expression, evaluatedAt)} and ${chosen}
  )`;
  // Most recipients who wait have no device with the app. Skip them until one has it. Few users of a range may wait: each is looked up.
  const waiting = sql`(
    select r.lane, r.user_key from ${t.pushRecipients} r
    where r.campaign_id = ${campaignId} and ${isFirst} and ${isInKeyRange(range, "r")} and r.state = 'waiting'
      and (r.reason <> 'no_installation' or ${hasApp("r")})
    order by r.lane, r.user_key offset 0
  ) w cross join lateral ${users(sql`u.lane = w.lane and u.user_key = w.user_key offset 0`)}`;
  const found = { new: users(fresh), waiting, undelivered: users(undelivered) };
  const { rows } = await sql<Found>`
    select f.*, r.*, d.*
    from ${found[which]} f
    left join lateral (
      select r.reason as waiting from ${t.pushRecipients} r
      where r.lane = f.lane and r.user_key = f."userKey" and r.campaign_id = ${campaignId} and ${isFirst}
        and r.state = 'waiting'
      offset 0
    ) r on true
    left join ${devices(projectId, settings.appId)} d on true
    order by f.lane, f."userKey"`.execute(db);
  return byUser(rows);
}

/** Users by their keys, with the devices that have the app. Those who are no users any more are left out. */
export async function findAddressed(
  db: Db,
  { projectId, settings, topic }: Pick<CandidateQuery, "projectId" | "settings" | "topic">,
  users: readonly UserRef[],
): Promise<PushCandidate[]> {
  const { rows } = await sql<Found>`
    select f.*, null as waiting, d.*
    from (
      select u.lane, u.user_key as "userKey", ${personColumns(topic)}
      from unnest(${users.map(({ lane }) => lane)}::int2[], ${users.map(({ userKey }) => userKey)}::uuid[]) n (lane, user_key)
      join ${t.users} u on u.lane = n.lane and u.user_key = n.user_key and u.project_id = ${projectId}
      offset 0
    ) f
    left join ${devices(projectId, settings.appId)} d on true
    order by f.lane, f."userKey"`.execute(db);
  return byUser(rows);
}

/** A recipient to insert. Instants are epoch milliseconds. */
export type NewRecipient = DeliveryRef & {
  /** As `sendIdOf` has it, or the id of a test, which has the first occasion. */
  sendId: string;
  /** Null for a recipient who waits: the variant is drawn when a device is chosen, by the weights of that moment. */
  variantId: string | null;
  /** The campaign's epoch in which this was decided. */
  epoch: number;
  /** Why the recipient waits; null where a device was chosen. */
  reason: WaitReason | null;
  now: number;
};

/** A slot to insert: one device of a recipient, and its first target. */
export type NewSlot = DeliveryRef & {
  slotKey: string;
  sendId: string;
  variantId: string;
  epoch: number;
  isTest: boolean;
  installationLane: number;
  installationKey: string;
  installationId: string;
  bindingGeneration: number;
  selectedBy: string;
  replacementKey: string | null;
  /** When it leaves at the earliest, and for what it waits until then; null where that is now. */
  at: number;
  postponedBy: string | null;
  expiresAt: number;
  definitionId: string;
  credentialId: string;
  credentialRevision: number;
  tokenRevision: number;
  targetExpiresAt: number;
  content: string | null;
  now: number;
};

/** The recipient of a row of a statement. Its campaign and occasion, or its test, follow from `send_id`. */
type RecipientRow = { user_key: string; send_id: string };

/**
 * Inserts recipients whose users still exist. A recipient who waits may become active, with the variant of this decision, or
 * wait for another reason; an active one stays as it is. The campaign must be running, and its holdout must be known to the decision, unless this is a test. Answers the
 * recipients that it looked at, and once more those who became active (`is_active`): insert their slots next. As rows of their own,
 * because PostgreSQL would compare each of one with each of the other to join them.
 */
const insertRecipients = rowsStatement<NewRecipient, RecipientRow & { is_active: boolean }>(
  { name: "insert_push_recipients", reach: "key" },
  {
    ...DELIVERY_COLUMNS,
    sendId: "uuid",
    variantId: "uuid",
    epoch: "int4",
    reason: "text",
    now: "int8",
  },
  `,
  locked as (
    select i.* from input i
    join ${t.campaigns} c on c.id = i.campaign_id and c.project_id = i.project_id
      and ((c.status = 'running' and ${knowsHoldout("c", "i")}) or not ${ofDelivery("i")})
    join ${t.users} u on u.lane = i.lane and u.user_key = i.user_key and u.project_id = i.project_id
    where not ${ofDelivery("i")} or not exists (select from ${t.withheldDeliveries} w where ${sameCampaign("w", "i")})
    -- The lock keeps the campaign from ending before this is committed, so that closing it finds these recipients. A change of the
    -- holdout waits for it too.
    order by u.lane, u.user_key, i.campaign_id, i.send_id for share of c for key share of u
  ),
  written as (
    insert into ${t.pushRecipients} as r
      (${deliveryKey()}, send_id, project_id, variant_id, state, reason, checked_at, created_at)
    select ${deliveryKey()}, send_id, project_id, variant_id,
      (case when reason is null then 'active' else 'waiting' end)::push_recipient_state, reason, now, now
    from locked
    on conflict (lane, user_key, campaign_id, send_id) do update
      set state = excluded.state, reason = excluded.reason, checked_at = excluded.checked_at, variant_id = excluded.variant_id
      where r.state = 'waiting' and (excluded.state <> 'waiting' or excluded.reason is distinct from r.reason)
    returning user_key, send_id, state
  )
  select user_key, send_id, false as is_active from locked
  union all
  select user_key, send_id, true from written where state = 'active'`,
);

/** A user from whom the delivery is withheld once a device would have been chosen. `now` is epoch milliseconds. */
type NewWithheld = DeliveryRef & Pick<NewRecipient, "variantId" | "epoch" | "now">;

type Planned = Relation<DeliveryColumn | "variant_id" | "epoch" | "held_out" | "now">;
const WITHHELD: Planned = relation("kept_away");
const PLANNED: Planned = relation("planned");

/**
 * Withholds deliveries of running campaigns from users who still exist and are no recipients, or only wait: then they wait no more.
 * Answers the users that it looked at.
 */
const withhold = rowsStatement<NewWithheld, { user_key: string }>(
  { name: "withhold_push", reach: "key" },
  {
    ...DELIVERY_COLUMNS,
    variantId: "uuid",
    epoch: "int4",
    now: "int8",
  },
  `,
  locked as (
    select i.* from input i
    join ${t.campaigns} c on c.id = i.campaign_id and c.project_id = i.project_id and c.status = 'running'
      and ${knowsHoldout("c", "i")}
    join ${t.users} u on u.lane = i.lane and u.user_key = i.user_key and u.project_id = i.project_id
    order by u.lane, u.user_key for share of c for key share of u
  ),
  waiting as (
    delete from ${t.pushRecipients} r using locked l
    where ${sameCampaign("r", "l")} and ${ofDelivery("r")} and ${rowFilter("r.state = 'waiting'")}
  ),
  ${WITHHELD} as (
    select l.*, true as held_out from locked l
    where not exists (
      select from ${t.pushRecipients} r where ${sameCampaign("r", "l")} and ${ofDelivery("r")} and r.state <> 'waiting'
    )
  ),
  ${newDeliveriesCte(WITHHELD, "now").ctes}
  select user_key from locked`,
);

/** Inserts the slots of recipients who have just become active, their first targets, and the deliveries. */
const insertSlots = rowsStatement<NewSlot, Record<never, never>>(
  { name: "insert_push_slots", reach: "key" },
  {
    ...DELIVERY_COLUMNS,
    slotKey: "uuid",
    sendId: "uuid",
    variantId: "uuid",
    epoch: "int4",
    isTest: "bool",
    installationLane: "int2",
    installationKey: "uuid",
    installationId: "text",
    bindingGeneration: "int8",
    selectedBy: "text",
    replacementKey: "text",
    at: "int8",
    postponedBy: "text",
    expiresAt: "int8",
    definitionId: "uuid",
    credentialId: "uuid",
    credentialRevision: "int8",
    tokenRevision: "int8",
    targetExpiresAt: "int8",
    content: "jsonb",
    now: "int8",
  },
  `,
  slotted as (
    insert into ${t.pushSlots} (${deliveryKey()}, slot_key, send_id, project_id, is_test, installation_lane,
      installation_key, installation_id, binding_generation, selected_by, replacement_key, state, reason, at, postponed_by, generation, expires_at,
      created_at)
    select ${deliveryKey()}, slot_key, send_id, project_id, is_test, installation_lane, installation_key,
      installation_id, binding_generation, selected_by, replacement_key,
      (case when postponed_by is null then 'ready' else 'waiting' end)::push_slot_state,
      case when postponed_by is not null then 'local_hour' end, at, postponed_by, 1, expires_at, now
    from input
  ),
  targeted as (
    insert into ${t.pushTargets} (lane, user_key, slot_key, generation, project_id, campaign_id, definition_id, credential_id,
      credential_revision, token_revision, expires_at, created_at, content)
    select lane, user_key, slot_key, 1, project_id, campaign_id, definition_id, credential_id, credential_revision,
      token_revision, target_expires_at, now, content
    from input
  ),
  ${PLANNED} as (
    select distinct ${deliveryKey()}, project_id, variant_id, epoch, false as held_out, now from input
    where not is_test
  ),
  ${newDeliveriesCte(PLANNED, "now").ctes}
  select`,
);

/** A recipient to insert, with the slots of the chosen devices; none where the recipient waits. `withholds`: the delivery is withheld. */
export type Admission = { recipient: NewRecipient; slots: NewSlot[]; withholds: boolean };

/**
 * Inserts recipients, then slots, in a transaction; a delivery that is withheld is recorded as that instead. Of two
 * processes that plan for the same user, only one inserts slots. Answers how many slots there are, and how many of the users it looked
 * at: the others have to be looked at again, because the campaign was paused or changed, or they were.
 */
export async function admit(
  client: Connection,
  admissions: readonly Admission[],
): Promise<{ slots: number; reached: number }> {
  const away = admissions.filter(({ withholds }) => withholds).map(({ recipient }) => recipient);
  const withheld = away.length > 0 ? await withhold(client, away) : [];
  const admitted = admissions.filter(({ withholds }) => !withholds);
  const rows = admitted.map(({ recipient }) => recipient);
  const inserted = rows.length > 0 ? await insertRecipients(client, rows) : [];
  const activated = inserted.filter(({ is_active }) => is_active);
  const active = new Set(activated.map(({ user_key, send_id }) => user_key + send_id));
  const slots = admitted.flatMap(({ recipient: { userKey, sendId }, slots: chosen }) =>
    active.has(userKey + sendId) ? chosen : [],
  );
  if (slots.length > 0) await insertSlots(client, slots);
  return { slots: slots.length, reached: withheld.length + inserted.length - activated.length };
}

/** Whether any push of a campaign (UUID) is still to leave, or on its way. Users who wait for a device have none. */
export async function hasOpenSlots(db: Db, projectId: string, campaignId: string): Promise<boolean> {
  // Two questions, each of an index that has only such slots.
  const ofCampaign = sql`campaign_id = ${campaignId} and project_id = ${projectId} and not is_test`;
  const { rows } = await sql<{ hasOpen: boolean }>`
    select exists (select from ${t.pushSlots} where ${ofCampaign} and state in ('ready', 'waiting'))
      or exists (select from ${t.pushSlots} where ${ofCampaign} and state = 'reserved') as "hasOpen"`.execute(
    db,
  );
  return rows[0]?.hasOpen ?? false;
}

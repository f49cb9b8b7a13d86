import type { Platform, PushEnvironment } from "../../../../domain/fields.ts";
import type { DeliveryKey, UserRef } from "../../../../domain/ids.ts";
import type { Connection } from "../../../../platform/db/db.ts";
import { rowsStatement, valuesStatement } from "../../../../platform/db/statements/statement.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import { isOpen } from "../../../campaigns/authoring/public.ts";
import type { PushContent } from "../../../content/push/message.pure.ts";
import { sameDelivery } from "../../../deliveries/public.ts";
import { eventOfSql, isInsideSql, mayEndSql } from "../../../journeys/authoring/public.ts";
import type { Capabilities } from "../../../users/devices/schema.ts";
import type { RepairColumns } from "../repair-columns.ts";
import { sameSlot } from "../slot-store.ts";
import { DUE_SLOTS, dueSlotsCtes } from "./send-store.ts";

/** Which due slots to lock, those of a campaign or of its tests, and the current instant. */
export type DueSlots = { projectId: string; campaignId: string; tests: boolean; now: number };

/** A slot that is due, with all that is needed to decide about it. Instants are epoch milliseconds. */
export type DueSlot = DeliveryKey &
  RepairColumns & {
    slotKey: string;
    sendId: string;
    isTest: boolean;
    installationId: string;
    installationLane: number;
    installationKey: string;
    bindingGeneration: number;
    selectedBy: string;
    replacementKey: string | null;
    generation: number;
    revision: number;
    attempts: number;
    submissionsUsed: number;
    possibleSubmissions: number;
    blocks: number;
    uncertain: boolean;
    authRefreshRevision: number | null;
    submissionNotBefore: number;
    /** When its newest attempt began; null where there is none. */
    attemptedAt: number | null;
    expiresAt: number;
    /** When its delivery was queued. */
    queuedAt: number;
    /** Fields of its newest target. */
    definitionId: string;
    credentialId: string;
    credentialRevision: number;
    tokenRevision: number;
    content: PushContent | null;
    /** Fields of its installation; all null where the installation was deleted. */
    platform: Platform | null;
    environment: PushEnvironment | null;
    appId: string | null;
    currentBinding: number | null;
    currentTokenRevision: number | null;
    permission: string | null;
    consent: boolean | null;
    capabilities: Capabilities | null;
    token: string | null;
    /** A later push with the same replacement key is meant for the device. */
    isReplaced: boolean;
    /** What its user chose of the topic of the campaign; null where they chose nothing, or it has none. */
    choice: boolean | null;
    /** Whether it is the push of a step of a journey that the user has left. */
    hasLeft: boolean;
    /** The properties of the event by which the user entered that journey; null for none. */
    event: Record<string, unknown> | null;
    /** Whether it is that of a journey which has yet to look at what the user did: that may end it. */
    mayEnd: boolean;
  };

/** SQL: the slot `p` has the push of a step of a journey. A test of it leaves whether its user is in the journey or not. */
const OF_STEP = "c.journey_id is not null and not p.is_test";

/** SQL of what is needed to decide about due slots of a campaign. */
const factsOf = (campaignId: string): string => `
  select p.lane, p.user_key as "userKey", p.slot_key as "slotKey", p.campaign_id as "campaignId", p.occasion, p.send_id as "sendId",
    p.is_test as "isTest", p.installation_id as "installationId", p.installation_lane as "installationLane",
    p.installation_key as "installationKey", p.binding_generation as "bindingGeneration", p.selected_by as "selectedBy",
    p.replacement_key as "replacementKey", p.generation, p.revision, p.attempts, p.submissions_used as "submissionsUsed",
    p.possible_submissions as "possibleSubmissions", p.blocks, p.uncertain, p.auth_refresh_revision as "authRefreshRevision",
    p.submission_not_before as "submissionNotBefore", p.repair_kind as "repairKind", p.repair_revision as "repairRevision",
    p.repair_fingerprint as "repairFingerprint", p.expires_at as "expiresAt", p.created_at as "queuedAt", a.started_at as "attemptedAt",
    t.definition_id as "definitionId", t.credential_id as "credentialId", t.credential_revision as "credentialRevision",
    t.token_revision as "tokenRevision", t.content,
    i.platform, i.environment, i.app_id as "appId", i.binding_generation as "currentBinding",
    i.token_revision as "currentTokenRevision", i.permission, i.consent, i.capabilities, k.token,
    p.replacement_key is not null and exists (
      select from ${t.pushSlots} n
      where n.lane = p.lane and n.user_key = p.user_key and n.installation_key = p.installation_key and not n.is_test
        and n.replacement_key = p.replacement_key and not (${sameDelivery("n", "p")}) and n.state <> 'closed'
        and (n.created_at, n.slot_key) > (p.created_at, p.slot_key)
    ) as "isReplaced", o.is_in as choice,
    ${OF_STEP} and not ${isInsideSql("p", "c")} as "hasLeft", ${OF_STEP} and ${mayEndSql("p", "c")} as "mayEnd",
    case when ${OF_STEP} then ${eventOfSql("p", "c")} end as event
  from ${DUE_SLOTS} p
  join ${t.campaigns} c on c.id = ${campaignId}
  join ${t.pushTargets} t
    on ${sameSlot("t", "p")} and t.generation = p.generation
  left join ${t.pushAttempts} a on ${sameSlot("a", "p")} and a.ordinal = p.attempts
  left join ${t.installations} i on i.lane = p.installation_lane and i.installation_key = p.installation_key
  left join ${t.installationTokens} k
    on k.lane = i.token_lane and k.token_key = i.token_key and k.installation_key = i.installation_key
  left join ${t.pushTopicChoices} o
    on o.lane = p.lane and o.user_key = p.user_key and o.topic_id = c.topic_id
  order by p.at`;

type DueLimit = Omit<DueSlots, "tests"> & { limit: number };

const lockDue = (name: string, which: (due: { readonly [Key in keyof DueLimit]: string }) => string) =>
  valuesStatement<DueLimit, DueSlot>(
    { name, reach: "all lanes" },
    { projectId: "uuid", campaignId: "uuid", now: "int8", limit: "int4" },
    (due) => {
      const theirs = `s.campaign_id = ${due.campaignId} and s.project_id = ${due.projectId} and ${which(due)}`;
      return `
  with ${dueSlotsCtes(theirs, due, "for update of s skip locked")}${factsOf(due.campaignId)}`;
    },
  );

const lockDueTests = lockDue("lock_due_push_tests", () => "s.is_test");
const lockDueOfCampaign = lockDue(
  "lock_due_push_slots",
  ({ projectId, campaignId, now }) => `not s.is_test and exists (
      select from ${t.campaigns} c where c.id = ${campaignId} and c.project_id = ${projectId} and ${isOpen("c", now)}
    )`,
);

/** Locks slots that are due until the transaction ends, if their campaign runs. Another process skips them and locks others. */
export const lockDueSlots = (
  client: Connection,
  { tests, ...due }: DueSlots,
  limit: number,
): Promise<DueSlot[]> => (tests ? lockDueTests : lockDueOfCampaign)(client, { ...due, limit });

/** The fields of a user that fill the personal fields of a changed content. */
export type PersonRow = {
  userKey: string;
  externalId: string;
  traits: Record<string, unknown>;
  serverTraits: string[] | null;
};

export const readPeople = rowsStatement<UserRef & { projectId: string }, PersonRow>(
  { name: "read_push_people", reach: "key" },
  { lane: "int2", userKey: "uuid", projectId: "uuid" },
  `
  select u.user_key as "userKey", u.external_id as "externalId", u.traits, u.server_traits as "serverTraits"
  from input i
  join ${t.users} u on u.lane = i.lane and u.user_key = i.user_key and u.project_id = i.project_id`,
);

/** The next state of a slot that was due. `generation` is that of its target from now on. */
export type SlotMove = UserRef &
  RepairColumns & {
    slotKey: string;
    campaignId: string;
    projectId: string;
    state: "waiting" | "reserved" | "closed";
    reason: string | null;
    at: number;
    /** For what it waits that is postponed; null for others. */
    postponedBy: string | null;
    leaseOwner: string | null;
    generation: number;
    now: number;
    /** Fields of a new target; null where the newest one stays. */
    definitionId: string | null;
    credentialId: string | null;
    credentialRevision: number | null;
    tokenRevision: number | null;
    targetExpiresAt: number | null;
    content: string | null;
  };

/**
 * Moves locked slots to their next states. For a slot that is to be sent, this records the attempt, and the target where it is a new
 * one.
 */
export const moveSlots = rowsStatement<SlotMove, Record<never, never>>(
  { name: "move_push_slots", reach: "key" },
  {
    lane: "int2",
    userKey: "uuid",
    slotKey: "uuid",
    campaignId: "uuid",
    projectId: "uuid",
    state: "text",
    reason: "text",
    at: "int8",
    postponedBy: "text",
    leaseOwner: "uuid",
    generation: "int4",
    repairKind: "text",
    repairRevision: "int8",
    repairFingerprint: "text",
    now: "int8",
    definitionId: "uuid",
    credentialId: "uuid",
    credentialRevision: "int8",
    tokenRevision: "int8",
    targetExpiresAt: "int8",
    content: "jsonb",
  },
  `,
  moved as (
    update ${t.pushSlots} s
    set state = i.state::push_slot_state, reason = i.reason, at = i.at, postponed_by = i.postponed_by, lease_owner = coalesce(i.lease_owner, s.lease_owner),
      -- A pause is over once its slot is leased, also one of a clock that was ahead.
      submission_not_before = case i.state when 'reserved' then least(s.submission_not_before, i.now) else s.submission_not_before end,
      generation = i.generation, revision = s.revision + 1, attempts = s.attempts + (i.state = 'reserved')::int,
      repair_kind = i.repair_kind, repair_revision = i.repair_revision, repair_fingerprint = i.repair_fingerprint
    from input i
    where ${sameSlot("s", "i")} and s.state in ('ready', 'waiting')
    returning s.lane, s.user_key, s.slot_key, s.campaign_id, s.project_id, s.state, s.attempts, s.generation, s.revision, s.at,
      i.lease_owner, i.now, i.definition_id, i.credential_id, i.credential_revision, i.token_revision, i.target_expires_at, i.content
  ),
  targeted as (
    insert into ${t.pushTargets} (lane, user_key, slot_key, generation, project_id, campaign_id, definition_id, credential_id,
      credential_revision, token_revision, expires_at, created_at, content)
    select lane, user_key, slot_key, generation, project_id, campaign_id, definition_id, credential_id, credential_revision,
      token_revision, target_expires_at, now, content
    from moved where definition_id is not null
  )
  insert into ${t.pushAttempts}
    (lane, user_key, slot_key, ordinal, project_id, campaign_id, generation, slot_revision, lease_owner, started_at, valid_until)
  select lane, user_key, slot_key, attempts, project_id, campaign_id, generation, revision, lease_owner, now, at
  from moved where state = 'reserved'`,
);

import type pg from "pg";
import type { DeliveryRef, UserRef } from "../../../../domain/ids.ts";
import { rowFilter } from "../../../../platform/db/statements/fragment.ts";
import { rowsStatement, valuesStatement } from "../../../../platform/db/statements/statement.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import type { Reaping } from "../../../../platform/outbound/channel.ts";
import { farAheadSql } from "../../../../platform/time/far-ahead.ts";
import { DELIVERY_COLUMNS, sameDelivery } from "../../../deliveries/public.ts";
import type { RepairColumns } from "../repair-columns.ts";
import { RESERVATION_MS } from "../rules.ts";
import { sameSlot } from "../slot-store.ts";

/** The outcome of an attempt, and the next state of its slot. Instants are epoch milliseconds. */
export type SlotAttemptOutcome = UserRef &
  RepairColumns & {
    slotKey: string;
    campaignId: string;
    projectId: string;
    ordinal: number;
    generation: number;
    leaseOwner: string;
    kind: "accepted" | "rejected" | "unknown" | "blocked";
    submission: "none" | "confirmed" | "possible";
    observedAt: number;
    providerId: string | null;
    code: string | null;
    retryAfterMs: number | null;
    state: "ready" | "waiting" | "accepted" | "closed";
    reason: string | null;
    at: number;
    submissionsUsed: number;
    possibleSubmissions: number;
    blocks: number;
    uncertain: boolean;
    authRefreshRevision: number | null;
    submissionNotBefore: number;
  };

/** Records outcomes of attempts, and moves their slots. Only an outcome of the current attempt, under its own lease, counts. */
export const writeOutcomes = rowsStatement<SlotAttemptOutcome, { slotKey: string }>(
  { name: "write_push_outcomes", reach: "key" },
  {
    lane: "int2",
    userKey: "uuid",
    slotKey: "uuid",
    campaignId: "uuid",
    projectId: "uuid",
    ordinal: "int4",
    generation: "int4",
    leaseOwner: "uuid",
    kind: "text",
    submission: "text",
    observedAt: "int8",
    providerId: "text",
    code: "text",
    retryAfterMs: "int8",
    state: "text",
    reason: "text",
    at: "int8",
    submissionsUsed: "int2",
    possibleSubmissions: "int2",
    blocks: "int4",
    uncertain: "bool",
    authRefreshRevision: "int8",
    submissionNotBefore: "int8",
    repairKind: "text",
    repairRevision: "int8",
    repairFingerprint: "text",
  },
  `,
  locked as (
    select i.* from input i
    join ${t.pushSlots} s on ${sameSlot("s", "i")}
    where ${rowFilter("s.state = 'reserved'")} and s.lease_owner = i.lease_owner and s.attempts = i.ordinal
    order by s.lane, s.user_key, s.slot_key for no key update of s
  ),
  written as (
    insert into ${t.pushOutcomes} (lane, user_key, slot_key, ordinal, project_id, campaign_id, generation, kind, submission,
      observed_at, provider_id, code, retry_after_ms)
    select lane, user_key, slot_key, ordinal, project_id, campaign_id, generation, kind::push_outcome_kind,
      submission::push_submission, observed_at, provider_id, code, retry_after_ms
    from locked
  )
  update ${t.pushSlots} s
  set state = h.state::push_slot_state, reason = h.reason, at = h.at, revision = s.revision + 1,
    submissions_used = h.submissions_used, possible_submissions = h.possible_submissions, blocks = h.blocks,
    uncertain = h.uncertain, auth_refresh_revision = h.auth_refresh_revision,
    submission_not_before = h.submission_not_before, repair_kind = h.repair_kind,
    repair_revision = h.repair_revision, repair_fingerprint = h.repair_fingerprint,
    accepted_ordinal = case when h.state = 'accepted' then h.ordinal end
  from locked h
  where ${sameSlot("s", "h")}
  returning s.slot_key as "slotKey"`,
);

/** The deliveries, of those given, whose slots have all ended without the push, and where no device may have it. */
export const findFailed = rowsStatement<DeliveryRef, DeliveryRef>(
  { name: "find_failed_pushes", reach: "key" },
  DELIVERY_COLUMNS,
  `
  select distinct i.lane, i.user_key as "userKey", i.campaign_id as "campaignId", i.occasion, i.project_id as "projectId"
  from input i
  where not exists (
    -- By the key of slots: those of a campaign may be many.
    select from ${t.pushSlots} s
    where s.lane = i.lane and s.user_key = i.user_key and ${rowFilter(sameDelivery("s", "i"))} and not s.is_test
      and (s.state <> 'closed' or s.uncertain)
  )`,
);

/** An attempt without an outcome whose reservation is over, or whose process is gone, with the fields that the rules read. */
export type LostAttempt = DeliveryRef & {
  slotKey: string;
  ordinal: number;
  generation: number;
  leaseOwner: string;
  isTest: boolean;
  submissionsUsed: number;
  possibleSubmissions: number;
  blocks: number;
  uncertain: boolean;
  authRefreshRevision: number | null;
  submissionNotBefore: number;
  expiresAt: number;
  credentialId: string;
  credentialRevision: number;
  tokenRevision: number;
};

type Losing = Pick<Reaping<unknown>, "now" | "reapable" | "leaseOwner" | "isLeasing" | "busy" | "limit"> & {
  slotKeys: readonly string[];
};

const findLostRows = valuesStatement<Losing, LostAttempt>(
  { name: "find_lost_push_attempts", reach: "all lanes" },
  {
    now: "int8",
    reapable: "uuid",
    leaseOwner: "uuid",
    isLeasing: "bool",
    slotKeys: "uuid[]",
    limit: "int4",
    busy: "uuid[]",
  },
  ({ now, reapable, leaseOwner, isLeasing, slotKeys, limit, busy }) => `
      select s.lane, s.user_key as "userKey", s.slot_key as "slotKey", s.campaign_id as "campaignId", s.occasion,
        s.project_id as "projectId", s.attempts as ordinal, s.generation, s.lease_owner as "leaseOwner", s.is_test as "isTest",
        s.submissions_used as "submissionsUsed", s.possible_submissions as "possibleSubmissions", s.blocks, s.uncertain,
        s.auth_refresh_revision as "authRefreshRevision", s.submission_not_before as "submissionNotBefore",
        s.expires_at as "expiresAt", t.credential_id as "credentialId", t.credential_revision as "credentialRevision",
        t.token_revision as "tokenRevision"
      from ${t.pushSlots} s
      join ${t.pushTargets} t
        on ${sameSlot("t", "s")} and t.generation = s.generation
      where s.state = 'reserved' and case when s.lease_owner = ${leaseOwner} then
        (s.at < ${now} or (not ${isLeasing} and ${farAheadSql("s.at", now, RESERVATION_MS)})) and s.slot_key <> all(${slotKeys})
        else (s.at < ${now} or s.lease_owner <> ${reapable}) and not exists (select from ${t.processes} p where p.lease_owner = s.lease_owner)
        end and s.project_id <> all(${busy})
      limit ${limit}`,
);

/**
 * Lost attempts of all projects: those of owners that no process has, whose reservation ended before `now`, or all of them with `reapable`;
 * and those of this process that it is not sending.
 */
export function findLostAttemptsAcrossProjects(
  pool: pg.Pool,
  { inFlight, ...reaping }: Reaping<{ slot: { slotKey: string } }>,
): Promise<LostAttempt[]> {
  return findLostRows(pool, { ...reaping, slotKeys: inFlight.map(({ slot }) => slot.slotKey) });
}

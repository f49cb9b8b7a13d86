/** A key that no user has; it lies in lane 0. */
const UNUSED_KEY = "'00000000-0000-4000-8000-000000000000'";
/** The project, in statements. */
export const PROJECT = "$project";
const campaign = (name: string): string => `(select id from campaigns where name = '${name}')`;
const variant = (name: string): string => `(select id from variants where campaign_id = ${campaign(name)})`;

/** A statement that changes one row of a table. */
const one = (table: string, set: string, where = "true"): string =>
  `update ${table} set ${set} where ctid = (select ctid from ${table} where ${where} limit 1)`;
const ofChannel = (channel: string): string =>
  `campaign_id in (select id from campaigns where channel = '${channel}')`;

/**
 * Damage that one statement does, and how many rows differ then; `also` is what follows from it elsewhere. That of the organization
 * is found through each of its projects.
 */
type Damage = { by: string; rows?: number; also?: Readonly<Record<string, number>>; ofOrganization?: true };

/** By check: a statement that damages a database of `doctorWorld` so that this check finds it. */
export const damages: Readonly<Record<string, Damage>> = {
  "rows: each lies in the lane of its key": {
    by: `insert into email_resends (lane, user_key, campaign_id, ordinal, project_id, decided_by, decided_at)
      values (1, ${UNUSED_KEY}, ${UNUSED_KEY}, 1, ${PROJECT}, 'test', 1), (2, ${UNUSED_KEY}, ${UNUSED_KEY}, 1, ${PROJECT}, 'test', 1)`,
    rows: 2,
  },
  "users: each has the key of their id": {
    by: "update users set external_id = external_id || '!' where external_id in ('ben', 'cleo', 'dora')",
    rows: 3,
  },
  "installations: each has the key of its id": { by: one("installations", "installation_id = 'other'") },
  "addresses: each has the key of its address": {
    by: "update email_addresses set address = 'x' || address where address like '%@example.com' and suppressed_at is null",
    rows: 3,
  },
  "addresses: whoever gets no mail has a reason, and what people decided last stands": {
    by: `update email_addresses set suppressed_at = null, suppressed_by = null, receipts_stopped_at = null, receipts_stopped_by = null
      where suppressed_by = 'manual'`,
  },
  "addresses: one that bounced, or that people stopped, gets neither campaigns nor receipts": {
    by: "update email_addresses set receipts_stopped_at = null, receipts_stopped_by = null where suppressed_by = 'manual'",
  },

  "consent: what readers chose of topics is what the log ends with": {
    by: "with email as (update topic_choices set is_in = not is_in) update push_topic_choices set topic_id = gen_random_uuid()",
    rows: 2,
  },

  "imports: each line that was not taken has its reason": {
    by: "update imports set reasons = '[]' where refused > 0",
  },

  "launches: each by itself has its run, its evidence, and a person who allowed it": {
    by: "update launch_receipts set evidence = '[]' where mode = 'automatic'",
  },
  "launches: coverage is of declared changes where their source goes": {
    by: one("coverage", "was_present = false", "state = 'present'"),
  },
  "launches: each warning has its run": {
    by: one(
      "launch_warnings",
      "run_id = (select run_id from launch_receipts where run_id is not null limit 1)",
    ),
  },

  "source work: each commit of finished work was drafted or skipped": {
    by: one("source_plans", "skipped = '{}'", "cardinality(skipped) > 0"),
  },
  "source work: a draft announces what commits brought to it": {
    by: one("source_contributions", "shas = array[repeat('f', 40)]", "kind = 'create'"),
    rows: 2,
  },
  "source work: each lease begins where its ref stands": {
    by: one("source_refs", "cursor_sha = repeat('f', 40)", "work is not null"),
  },

  "agent: each day has paid for the claims that were granted": {
    by: "update agent_days set granted = granted + 1 where granted > 0",
  },
  "agent: each lease is that of the last claim, and former claims have ended": {
    by: one("evaluations", "lease_seq = lease_seq + 1", "lease_digest is null"),
  },
  "agent: each approval was used for what it approved, and nothing rejected was applied": {
    by: one("applied_mutations", "payload_hash = 'other'", "proposal_id is not null"),
    also: { "agent: each change is the one of which it has the hash": 1 },
  },
  "agent: each change is the one of which it has the hash": {
    by: `with proposed as (
        update proposals set mutation = jsonb_set(mutation, '{action}', '"launch"') where mutation ->> 'action' = 'end' returning *
      )
      update applied_mutations set mutation = jsonb_set(mutation, '{action}', '"launch"') where mutation ->> 'action' = 'pause'`,
    rows: 4,
  },
  "agent: what people decided is what the run of their decision says": {
    by: "update proposals set status = 'approved', barred = false where status = 'rejected'",
  },
  "agent: at most one proposal of a campaign waits for people": {
    by: `insert into proposals (id, project_id, campaign_id, evaluation_at, payload_hash, mutation_hash, mutation, base, created_at, expires_at)
      select gen_random_uuid(), project_id, id, 1, hash, hash, '{}', '{}', 1, 9 from ${campaign("For an agent")} as found (id),
        (select project_id from campaigns where name = 'For an agent') c, (values ('a'), ('b')) as hashes (hash)`,
    also: { "agent: each change is the one of which it has the hash": 2 },
  },
  "agent: the treatments of a goal are numbered without a gap": { by: one("verdict_tests", "t = t + 5") },

  "deliveries: campaign counters equal the deliveries": {
    by: one("campaign_stats", "shown = shown + 1", "shown > 0"),
  },
  "events: counts and times per user and name equal the events": {
    by: one("event_counts", "first_at = first_at - 1", "retired = 0"),
  },
  "events: what was deleted for its age still converts whom it converted": {
    by: one("event_counts", "retired_firsts = null", "retired > 0"),
  },
  "events: what counts as history is among what was counted": {
    by: one("event_counts", "history = count + 1", "history > 0"),
  },
  "active users: each counter equals its rows": { by: one("active_user_counts", "users = users + 1") },
  "email: capped deliveries by month add up": {
    by: one("email_capped_counts", "deliveries = deliveries + 1"),
  },
  "deltas: each can be added to the rollups": {
    by: `insert into rollup_deltas (lane, project_id, facts) values (0, ${PROJECT}, '[["value", "plan", "new", "one"]]')`,
  },
  "event names: users and occurrences": {
    by: "update event_names set users = users + 1, occurrences = occurrences - 1",
    rows: 2,
  },
  "event names: when each happened last": { by: one("event_names", "last_seen_at = last_seen_at - 1") },
  "events by day": { by: one("event_days", "count = count + 1") },
  "event properties: occurrences by type": { by: one("event_properties", "count = count + 1") },
  "traits: users by type": { by: one("trait_keys", "users = users + 1") },
  "traits: users by value": {
    by: `insert into rollup_deltas (lane, project_id, facts) values (0, ${PROJECT}, '[["value", "plan", "new", 1]]')`,
  },
  "users: how many there are": { by: one("user_counts", "users = users + 1") },
  "deliveries by day": { by: one("delivery_days", "converted = converted + 1") },

  "deliveries: no delivery contradicts itself": {
    by: one(
      "deliveries",
      "converted_at = exposed_at - 1",
      "converted_at is not null and shown_at is not null",
    ),
  },
  "deliveries: each state has its instant": {
    by: one("deliveries", "state = 'bounced'", "state = 'converted'"),
  },
  "feedback: what was acknowledged, its delivery has": {
    by: one("feedback_receipts", "type = 'dismissed'", "type = 'shown'"),
  },

  "guardrails: each breach has its run": {
    by: one("agent_runs", "kind = 'other'", "kind = 'guardrail'"),
    also: { "agent runs: each follows the one before it, and the head is the last one": 1 },
  },
  "events: every event has its user": {
    by: "delete from users where external_id = 'fred'",
    also: { "active users: each is known, or was erased": 1, "users: how many there are": 1 },
  },
  "deliveries: each has its user, or somebody who was erased": {
    by: `insert into deliveries (lane, user_key, campaign_id, project_id, variant_id, state, queued_at)
      values (0, ${UNUSED_KEY}, ${campaign("Campaign")}, ${PROJECT}, ${variant("Campaign")}, 'queued', 1)`,
  },
  "deliveries: each has its campaign and variant": {
    by: `insert into deliveries (lane, user_key, campaign_id, project_id, variant_id, state, queued_at)
      select lane, user_key, ${campaign("Draft")}, project_id, ${variant("Campaign")}, 'queued', 1
      from users where external_id in ('ben', 'cleo')`,
    rows: 2,
  },
  "active users: each is known, or was erased": {
    by: `with counted as (
        insert into active_user_counts (lane, project_id, period, users) values (0, ${PROJECT}, 202512, 1)
      )
      insert into active_users (lane, user_key, period, project_id) values (0, ${UNUSED_KEY}, 202512, ${PROJECT})`,
  },
  "active users: whoever did something or met a message was counted": {
    by: `with moved as (
        update active_users set user_key = overlay(user_key::text placing '0000' from 33)::uuid
        where user_key = (select user_key from users where external_id = 'fred') returning *
      )
      insert into erased_users (lane, user_key, project_id, erased_at) select lane, user_key, project_id, 1 from moved`,
  },
  "active users: none is a visitor": {
    by: one("erased_users", "was_visitor = true", "user_key in (select user_key from active_users)"),
  },

  "email: every delivery has its send, and both say the same": {
    by: `insert into email_sends (lane, user_key, campaign_id, project_id, status, due_at)
      values (0, ${UNUSED_KEY}, ${campaign("First")}, ${PROJECT}, 'waiting', 1)`,
  },
  "email: attempts and outcomes are all written down": {
    by: one("email_sends", "attempts = attempts + 1", "status = 'accepted'"),
  },
  "email: addresses count what is on its way": {
    by: "update email_addresses set on_the_way = 1 where address in ('ben@example.com', 'cleo@example.com')",
    rows: 2,
  },
  "email: addresses remember only what was taken for them": {
    by: one("email_addresses", "accepted_at = array[1]", "cardinality(accepted_at) = 1"),
  },
  "email: each plan stands somewhere in its audience, and what was planned has one": {
    by: one("campaign_sweeps", "after_user = gen_random_uuid(), after_lane = null", ofChannel("email")),
  },
  "transactional mail: what it is filled with has its mail, and its files too": {
    by: `insert into send_files (lane, user_key, campaign_id, occasion, ordinal, project_id, name, content_type, content)
      values (0, ${UNUSED_KEY}, ${UNUSED_KEY}, 0, 0, ${PROJECT}, 'a.txt', 'text/plain', '')`,
  },
  "email: what people and machines did with messages adds up": {
    by: one("email_hit_heads", "hits = hits + 1"),
  },

  "journeys: counts equal who is where and what they did": {
    by: one("journey_counts", "count = count + 1"),
  },
  "journeys: what is written as sent was sent": {
    by: one("journey_marks", "did = 'sent'", "did = 'met'"),
    // The counts say still that the condition of the step was met.
    also: { "journeys: counts equal who is where and what they did": 2 },
  },
  "journeys: each user has an arm that users got when they entered": {
    by: one("journey_entries", "epoch = 9", "arm is not null"),
  },

  "push: every delivery has its recipient and devices, and all say the same": {
    by: one("push_recipients", "variant_id = gen_random_uuid()", "state = 'active'"),
  },
  "push: what devices count equals their targets, attempts and outcomes": {
    by: one("push_slots", "blocks = blocks + 1"),
  },
  "push: nothing that was accepted is attempted again": {
    by: `with slot as (update push_slots set attempts = attempts + 1 where state = 'accepted' returning *),
      attempted as (
        insert into push_attempts
        select lane, user_key, slot_key, attempts, project_id, campaign_id, generation, revision, gen_random_uuid(), 1, 1 from slot
      )
      insert into push_outcomes (lane, user_key, slot_key, ordinal, project_id, campaign_id, generation, kind, submission, observed_at)
      select lane, user_key, slot_key, attempts, project_id, campaign_id, generation, 'rejected', 'none', 1 from slot`,
  },
  "push: who has devices is active, and nobody else": {
    by: `insert into push_tests
      select id, 'test', project_id, gen_random_uuid(), 0, ${UNUSED_KEY}, ${UNUSED_KEY}, 'none', 1 from campaigns where name = 'Push'`,
  },
  "push: each target has the definition of what it says": {
    by: one("push_targets", "definition_id = gen_random_uuid()"),
  },
  "push: each plan stands somewhere in its audience, and what was planned has one": {
    by: one("campaign_sweeps", "after_lane = 64, after_user = gen_random_uuid()", ofChannel("push")),
  },
  "push: deliveries and devices say what was reported, and conversions come after a tap or an action": {
    by: one("push_engagements", "engaged_at = engaged_at - 1"),
  },
  "push: of what a device reported nothing is missing": {
    by: "delete from push_observations where sequence = 2",
  },

  "installations: every bound one has its user": { by: one("installations", "user_external_id = 'other'") },
  "installations: every token is that of the installation that has it": {
    by: one("installation_tokens", "installation_key = gen_random_uuid()"),
  },
  "installations: every ended token is the last one of an installation that has none": {
    by: one("installation_ended_tokens", "token_revision = token_revision + 1"),
  },
  "installations: the latest acknowledgements, and no others, are kept": {
    by: one("installation_acknowledgements", "revision = revision + 1000"),
  },

  "requests: what was done under an Idempotency-Key has its answer": {
    by: one("idempotency_keys", "body = null"),
  },
  "credits: what usage cost follows from its calls and prices": {
    by: `with used as (
        insert into ai_usage (project_id, execution_id, calls, prices, cost_micros, credits, recorded_at)
        values (${PROJECT}, 'free', '[{"inputTokens": 10}]', '[[200000, 0, 0, 0, 0]]', 1, 1, 1) returning *
      )
      insert into ai_billing_reports (id, project_id, execution_id, credits, created_at)
      select gen_random_uuid(), project_id, execution_id, credits, 1 from used`,
  },
  "credits: each usage has its billing report": {
    by: `insert into ai_usage (project_id, execution_id, calls, prices, cost_micros, credits, recorded_at)
      values (${PROJECT}, 'unbilled', '[]', '[]', 0, 0, 1)`,
  },
  "segments: versions are counted from 1 to the current one": { by: one("segments", "current_version = 3") },
  "campaigns: none contradicts itself, and each has variants with one control": {
    by: "update variants set is_control = false",
    rows: 18,
  },
  "campaigns: each is for the audience of the version that it pins": {
    by: one("audience_versions", "expression = '{}'", "version = 2"),
    also: { "campaigns: the audience of each, and the rule of each segment in use, can be read": 1 },
  },
  "campaigns: the audience of each, and the rule of each segment in use, can be read": {
    by: one("campaigns", "audience = '{}'", "status = 'running' and audience ->> 'kind' = 'all'"),
  },
  "settings: each is what its last change left": {
    by: one("settings", "value = '2'", "key = 'email.capMax'"),
  },
  "usage: periods were caught up with after a change that there was": {
    by: `insert into usage_catch_ups select organization_id, 999 from projects where id = ${PROJECT}`,
    ofOrganization: true,
  },

  "campaigns: each has the weights, contents and holdout of its epoch": {
    by: one("campaigns", "epoch = epoch + 1", "status = 'running'"),
  },
  "deliveries: each is of a variant that had weight when it was decided": {
    by: one("deliveries", "epoch = 9", ofChannel("web_inapp")),
  },
  "withheld deliveries: each has its user and a holdout, and no delivery beside it": {
    by: `insert into withheld_deliveries (lane, user_key, campaign_id, project_id, epoch, withheld_at)
      values (0, ${UNUSED_KEY}, ${campaign("First")}, ${PROJECT}, 1, 1)`,
  },
  "deliveries: frozen events are of erased users whom a campaign had chosen": {
    by: `insert into frozen_events (lane, user_key, name, project_id, last_at) values (0, ${UNUSED_KEY}, 'x', ${PROJECT}, 1)`,
  },
  "agent runs: each follows the one before it, and the head is the last one": {
    by: `with changed as (update agent_runs set input = '{"seen": 2}' where rationale = 'Second')
      update agent_run_heads set seq = seq + 1 where project_id = ${PROJECT}`,
    rows: 2,
  },
  "transcripts: each is as it was handed in, and the one that its run names": {
    by: `update agent_transcripts set entries = replace(entries::text, 'Third', 'third')::json`,
  },
  "webhooks: messages about one thing come in order": {
    by: `with last as (select id from webhook_messages where project_id = ${PROJECT} order by id desc limit 1)
      update webhook_messages set state = 'given_up', ended_at = 1 where id = (select id from last)`,
  },
  "webhooks: each attempt is written down": { by: one("webhook_messages", "attempts = 1") },
  "syncs: events are in one window each": { by: one("sync_windows", "since = 1", "list = 'events'") },
  "syncs: windows add up to their files": {
    by: "update sync_windows set rows = rows + 1 where list = 'users'",
  },
  "visitors: nothing is left of one who became a user, but deliveries that are counted": {
    by: one("identities", "units = units + 1"),
  },
  "visitors: what one left, the user had already": {
    by: `delete from deliveries d using users u
      where u.external_id = 'ira' and u.user_key = d.user_key and d.campaign_id = ${campaign("Met twice")}`,
  },
  "erased users: nothing is left that tells who they were": {
    by: `insert into email_hits (lane, user_key, campaign_id, ordinal, project_id, kind, at)
      select lane, user_key, ${campaign("First")}, 1, project_id, 'open', 1 from erased_users`,
  },
};

import { randomUUID } from "node:crypto";
import type pg from "pg";
import type { UserRef } from "../../src/domain/ids.ts";
import type { SomeEvent, SomeMessage, SomeUser } from "./meaning.ts";

/** Someone with everything they ever did. */
export type Person = SomeUser & { events: SomeEvent[]; messages?: SomeMessage[]; ref: UserRef };

/** Writes people and their events as the ingest would leave them. */
export async function storePeople(
  pool: pg.Pool,
  projectId: string,
  people: readonly Person[],
): Promise<void> {
  const rows = (values: readonly unknown[]) => JSON.stringify(values);
  const users = people.map(({ ref, id, traits, firstSeenAt, lastSeenAt }) => ({
    lane: ref.lane,
    user_key: ref.userKey,
    project_id: projectId,
    external_id: id,
    traits,
    first_seen_at: firstSeenAt,
    last_seen_at: lastSeenAt,
    joined: 0,
  }));
  await pool.query("insert into users select * from jsonb_populate_recordset(null::users, $1)", [
    rows(users),
  ]);
  const events = people.flatMap(({ ref, events }) =>
    events.map(({ name, props, ts }, index) => ({
      lane: ref.lane,
      user_key: ref.userKey,
      event_id: `e${index}`,
      project_id: projectId,
      name,
      props,
      ts,
    })),
  );
  const columns = "lane, user_key, event_id, project_id, name, props, ts";
  await pool.query(
    `insert into events (${columns}) select ${columns} from jsonb_populate_recordset(null::events, $1)`,
    [rows(events)],
  );
  await pool.query(`update events set props = null where props = 'null'`);
  await pool.query(
    `insert into event_counts (lane, user_key, name, project_id, count, first_at, last_at)
    select lane, user_key, name, project_id, count(*), min(ts), max(ts) from events
    where project_id = $1 group by 1, 2, 3, 4`,
    [projectId],
  );
  await storeMessages(pool, projectId, people);
  // PostgreSQL takes tables without statistics for larger than they are, and walks all of them for each user.
  await pool.query("analyze users, events, event_counts, deliveries");
}

/** Writes the messages of people, each on an occasion of its own, with what became of them. */
async function storeMessages(pool: pg.Pool, projectId: string, people: readonly Person[]): Promise<void> {
  const variants = new Map<string, string>();
  const { rows: known } = await pool.query<{ campaign: string; variant: string }>(
    "select campaign_id as campaign, id as variant from variants where project_id = $1",
    [projectId],
  );
  for (const { campaign, variant } of known) variants.set(campaign, variant);
  const deliveries = people.flatMap(({ ref, messages = [] }) =>
    messages.map((message, occasion) => {
      const campaign = message.campaign.slice("cmp_".length);
      return {
        lane: ref.lane,
        user_key: ref.userKey,
        campaign_id: campaign,
        project_id: projectId,
        variant_id: variants.get(campaign) ?? randomUUID(),
        state: "queued",
        queued_at: 0,
        occasion,
        sent_at: message.sentAt,
        shown_at: message.shownAt,
        opened_at: message.openedAt,
        clicked_at: message.clickedAt,
        dismissed_at: message.dismissedAt,
        bounced_at: message.bouncedAt,
        epoch: 0,
      };
    }),
  );
  const columns =
    "lane, user_key, campaign_id, project_id, variant_id, state, queued_at, occasion, sent_at, shown_at, opened_at, clicked_at, dismissed_at, bounced_at, epoch";
  await pool.query(
    `insert into deliveries (${columns}) select ${columns} from jsonb_populate_recordset(null::deliveries, $1)`,
    [JSON.stringify(deliveries)],
  );
}

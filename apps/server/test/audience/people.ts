import type pg from "pg";
import type { UserRef } from "../../src/domain/ids.ts";
import type { SomeEvent, SomeUser } from "./meaning.ts";

/** Someone with everything they ever did. */
export type Person = SomeUser & { events: SomeEvent[]; ref: UserRef };

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
}

import { sql } from "kysely";
import type pg from "pg";
import type { Db } from "./db/db.ts";

/** A process on this database: the owner of its leases, and what it does. */
export type Process = { leaseOwner: string; serves: boolean; works: boolean; looksAfter: boolean };

/** Whether some process has the role; the role api is had by the one that answers. */
export type RolesThere = { worker: boolean; agent: boolean };

/** `evicted`: how many processes were taken off the list. `otherServers`: other processes that serve and have a young heartbeat. */
export type Listed = { evicted: number; otherServers: number };

/** Ages of heartbeats in milliseconds: from which on a process is evicted (null: none is), and up to which a server is counted. */
type Ages = { evictAfterMs: number | null; serverForMs: number };

/** Writes a process' heartbeat, evicts stale ones but never itself, and reads the rest of the list. By the database's clock. */
export async function writeHeartbeat(
  pool: pg.Pool,
  { leaseOwner, serves, works, looksAfter }: Process,
  { evictAfterMs, serverForMs }: Ages,
): Promise<Listed> {
  const { rows } = await pool.query<Listed>({
    name: "write_heartbeat",
    text: `
      with own as (
        insert into processes (lease_owner, serves, works, looks_after, seen_at) values ($1, $2, $3, $6, clock_timestamp())
        on conflict (lease_owner) do update
          set serves = excluded.serves, works = excluded.works, looks_after = excluded.looks_after, seen_at = excluded.seen_at
      ),
      stale as (
        select lease_owner from processes
        where lease_owner <> $1 and seen_at <= clock_timestamp() - $4::float8 * interval '1 millisecond'
        for update skip locked
      ),
      evicted as (
        delete from processes p using stale where p.lease_owner = stale.lease_owner returning p.lease_owner
      )
      select (select count(*) from evicted) as evicted, count(*) as "otherServers" from processes
      where serves and lease_owner <> $1 and seen_at > clock_timestamp() - $5::float8 * interval '1 millisecond'`,
    values: [leaseOwner, serves, works, evictAfterMs, serverForMs, looksAfter],
  });
  return rows[0] ?? { evicted: 0, otherServers: 0 };
}

/** How many processes work: those whose last heartbeat is younger than `staleMs`. */
export async function countWorking(pool: pg.Pool, staleMs: number): Promise<number> {
  const { rows } = await pool.query<{ count: number }>({
    name: "count_working",
    text: "select count(*) from processes where works and seen_at > clock_timestamp() - $1 * interval '1 millisecond'",
    values: [staleMs],
  });
  return rows[0]?.count ?? 0;
}

/** Which roles some process has that wrote a heartbeat within `staleMs`. */
export async function readRoles(db: Db, staleMs: number): Promise<RolesThere> {
  const { rows } = await sql<RolesThere>`
    select coalesce(bool_or(works), false) as worker, coalesce(bool_or(looks_after), false) as agent
    from processes where seen_at > clock_timestamp() - ${staleMs} * interval '1 millisecond'`.execute(db);
  return rows[0] ?? { worker: false, agent: false };
}

/** Takes a process off the list, which ends the leases that it still has. */
export async function removeProcess(pool: pg.Pool, leaseOwner: string): Promise<void> {
  await pool.query("delete from processes where lease_owner = $1", [leaseOwner]);
}

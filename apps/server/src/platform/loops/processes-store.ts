import { sql } from "kysely";
import type pg from "pg";
import type { Db } from "../db/db.ts";
import { t } from "../db/statements/table-names.ts";

/** A process on this database: the owner of its leases, and what it does. */
export type Process = { leaseOwner: string; serves: boolean; works: boolean; looksAfter: boolean };

/** Whether some process has the role; the role api is had by the one that answers. */
export type RolesThere = { worker: boolean; agent: boolean };

/**
 * `evicted`: how many processes were taken off the list. `otherServers`: other processes that serve and have a young heartbeat.
 * `databaseAt`: the instant by the database's clock, epoch milliseconds.
 */
export type ListedProcesses = { evicted: number; otherServers: number; databaseAt: number };

/**
 * Ages of heartbeats in milliseconds: from which on a process is evicted (null: none is), and up to which a server is counted.
 * `expectedAt`: between which instants the database's clock has to be for that, if it goes on as before; null where that does not matter.
 */
type Ages = {
  evictAfterMs: number | null;
  serverForMs: number;
  expectedAt: readonly [number, number] | null;
};

/**
 * Writes a process' heartbeat, evicts stale ones but never itself, and reads the rest of the list. By the database's clock: where that was
 * set, all heartbeats look too old or lie ahead until each process has written the next one. One that lies ahead for longer is of a process
 * that is gone.
 */
export async function writeHeartbeat(
  pool: pg.Pool,
  { leaseOwner, serves, works, looksAfter }: Process,
  { evictAfterMs, serverForMs, expectedAt }: Ages,
): Promise<ListedProcesses> {
  const { rows } = await pool.query<ListedProcesses>({
    name: "write_heartbeat",
    text: `
      with clock as (select clock_timestamp() as now, extract(epoch from clock_timestamp())::float8 * 1000 as at),
      own as (
        insert into processes (lease_owner, serves, works, looks_after, seen_at) values ($1, $2, $3, $6, clock_timestamp())
        on conflict (lease_owner) do update
          set serves = excluded.serves, works = excluded.works, looks_after = excluded.looks_after, seen_at = excluded.seen_at
      ),
      stale as (
        select p.lease_owner from processes p, clock
        where p.lease_owner <> $1 and coalesce(clock.at between $7::float8 and $8::float8, true)
          and (p.seen_at <= clock.now - $4::float8 * interval '1 millisecond' or p.seen_at > clock.now + $4::float8 * interval '1 millisecond')
        for update of p skip locked
      ),
      evicted as (
        delete from processes p using stale where p.lease_owner = stale.lease_owner returning p.lease_owner
      )
      select (select count(*) from evicted) as evicted, count(*) as "otherServers", (select at from clock) as "databaseAt"
      from processes
      where serves and lease_owner <> $1 and seen_at > clock_timestamp() - $5::float8 * interval '1 millisecond'`,
    values: [
      leaseOwner,
      serves,
      works,
      evictAfterMs,
      serverForMs,
      looksAfter,
      ...(expectedAt ?? [null, null]),
    ],
  });
  const [listed] = rows;
  if (listed === undefined) throw new Error("A heartbeat was not answered.");
  return listed;
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
    from ${t.processes} where seen_at > clock_timestamp() - ${staleMs} * interval '1 millisecond'`.execute(
    db,
  );
  return rows[0] ?? { worker: false, agent: false };
}

/** Takes a process off the list, which ends the leases that it still has. */
export async function removeProcess(pool: pg.Pool, leaseOwner: string): Promise<void> {
  await pool.query("delete from processes where lease_owner = $1", [leaseOwner]);
}

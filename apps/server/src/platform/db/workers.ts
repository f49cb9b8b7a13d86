import type pg from "pg";

/** A process that works: the fence of its claims, and the names under which it locks jobs. */
export type Worker = { fence: string; jobPools: readonly string[] };

/** Notes that a process works, now. */
export async function noteWorker(pool: pg.Pool, { fence, jobPools }: Worker): Promise<void> {
  await pool.query({
    name: "note_worker",
    text: `
      insert into workers (fence, seen_at, job_pools) values ($1, clock_timestamp(), $2)
      on conflict (fence) do update set seen_at = excluded.seen_at, job_pools = excluded.job_pools`,
    values: [fence, jobPools],
  });
}

/**
 * Strikes off the processes that were not seen for `silentMs`, but for one's own, answers how many they were.
 */
export async function strikeOffWorkers(pool: pg.Pool, own: string, silentMs: number): Promise<number> {
  const { rows } = await pool.query<{ count: number }>({
    name: "strike_off_workers",
    text: `
      with gone as (
        delete from workers where fence <> $1 and seen_at <= clock_timestamp() - $2 * interval '1 millisecond'
        returning fence
      )
      select count(*) from gone`,
    values: [own, silentMs],
  });
  return rows[0]?.count ?? 0;
}

/** How many processes work: those that were seen within `silentMs`. */
export async function countWorkers(pool: pg.Pool, silentMs: number): Promise<number> {
  const { rows } = await pool.query<{ count: number }>({
    name: "count_workers",
    text: "select count(*) from workers where seen_at > clock_timestamp() - $1 * interval '1 millisecond'",
    values: [silentMs],
  });
  return rows[0]?.count ?? 0;
}

/** Takes a process out that leaves: what it may still hold is given up. */
export async function removeWorker(pool: pg.Pool, fence: string): Promise<void> {
  await pool.query("delete from workers where fence = $1", [fence]);
}

import assert from "node:assert/strict";
import type { TestHouse } from "./harness.ts";

/** Statements that wait for a lock. Asked on a connection of the background: those of requests may all be waiting. */
export async function countWaiting({ database }: TestHouse): Promise<number> {
  const { rows } = await database.background.pool.query<{ count: number }>(`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`);
  return rows[0]?.count ?? 0;
}

export async function untilWaiting(house: TestHouse, count: number): Promise<void> {
  for (let tries = 0; (await countWaiting(house)) < count; tries++) assert.ok(tries < 5_000, `${count} wait`);
}

/**
 * Sends requests one after the other while rows are locked that each of them has to wait for, then unlocks all at once.
 * @param lock a statement that locks the rows
 */
export async function collide<T>(
  house: TestHouse,
  lock: { text: string; values: unknown[] },
  requests: readonly (() => Promise<T>)[],
): Promise<PromiseSettledResult<T>[]> {
  const holder = await house.database.background.pool.connect();
  try {
    await holder.query("begin");
    const { rowCount } = await holder.query(lock.text, lock.values);
    assert.ok(rowCount, "there is something to wait for");
    const sent: Promise<PromiseSettledResult<T>>[] = [];
    for (const request of requests) {
      sent.push(Promise.allSettled([request()]).then(([result]) => result));
      await untilWaiting(house, sent.length);
    }
    await holder.query("commit");
    return await Promise.all(sent);
  } finally {
    holder.release();
  }
}

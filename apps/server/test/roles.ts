import { newUuid } from "../src/platform/uuid.ts";
import { type TestHouse, THE_TEST } from "./harness.ts";

/** Another process on the database of a house. Its heartbeat stays young until the test makes it old. */
export async function otherProcess(
  { database: { pool } }: TestHouse,
  { works = false, looksAfter = false }: { works?: boolean; looksAfter?: boolean },
) {
  const id = newUuid(Date.now());
  await pool.query(
    "insert into processes (lease_owner, serves, works, looks_after, seen_at) values ($1, false, $2, $3, clock_timestamp() + interval '1 day')",
    [id, works, looksAfter],
  );
  return {
    /** It was killed so long ago that its last heartbeat is stale. */
    dies: async (): Promise<void> => {
      await pool.query(
        "update processes set seen_at = clock_timestamp() - interval '16 s' where lease_owner = $1",
        [id],
      );
    },
    leaves: async (): Promise<void> => {
      await pool.query("delete from processes where lease_owner = $1", [id]);
    },
  };
}

/** Does something while no process works, as far as anybody can tell. */
export async function withoutWorker<T>({ database: { pool } }: TestHouse, act: () => Promise<T>): Promise<T> {
  await pool.query("update processes set works = false where lease_owner = $1", [THE_TEST]);
  try {
    return await act();
  } finally {
    await pool.query("update processes set works = true where lease_owner = $1", [THE_TEST]);
  }
}

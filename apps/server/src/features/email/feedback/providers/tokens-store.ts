import { sql } from "kysely";
import type { Db } from "../../../../platform/db/db.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";

/** A signed token with what it came with, each as its SHA-256. */
export type SeenToken = { token: Buffer; content: Buffer };

/** Whether a token comes for the first time, or again with the same content. `now` is epoch milliseconds. */
export async function keepToken(
  db: Db,
  projectId: string,
  { token, content }: SeenToken,
  now: number,
): Promise<boolean> {
  const { rows } = await sql<{ isSame: boolean }>`
    insert into ${t.reportTokens} as t (project_id, token, content, seen_at)
    values (${projectId}, ${token}, ${content}, ${now})
    on conflict (project_id, token) do update set seen_at = t.seen_at
    returning t.content = ${content} as "isSame"`.execute(db);
  return rows[0]?.isSame ?? false;
}

/** Deletes the tokens of every project that came before an instant: their signatures are no longer valid. */
export async function forgetTokensAcrossProjects(db: Db, before: number): Promise<void> {
  await sql`delete from ${t.reportTokens} where seen_at < ${before}`.execute(db);
}

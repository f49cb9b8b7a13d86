import assert from "node:assert/strict";
import pg from "pg";
import { quoted, readCatalog } from "../src/platform/db/moving/catalog.ts";

/** Runs something on a connection of its own. */
export async function withClient<T>(
  address: pg.ClientConfig,
  act: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(address);
  await client.connect();
  try {
    return await act(client);
  } finally {
    await client.end();
  }
}

/** What every table of a database has: how many rows, and a hash of them as texts, whatever their order. */
export async function contentOf(client: pg.Client): Promise<Record<string, string>> {
  const content: Record<string, string> = {};
  for (const { name, columns } of await readCatalog(client)) {
    // By name: the order of columns may differ.
    const row = `row(${columns.map(pg.escapeIdentifier).join(", ")})::text`;
    const { rows } = await client.query<{ text: string }>(
      `select count(*) || ' rows ' || md5(coalesce(string_agg(h, '' order by h collate "C"), '')) as text
      from (select md5(${row}) as h from ${quoted(name)}) hashed`,
    );
    content[name] = rows[0]?.text ?? "";
  }
  return content;
}

const isFilled = ([, text]: [string, string]): boolean => !text.startsWith("0 rows");

/** The tables of a content that have a row. */
export const filledIn = (content: Record<string, string>): string[] =>
  Object.entries(content)
    .filter(isFilled)
    .map(([name]) => name);

/** That a database has tables, and no row in any of them. */
export async function assertEmpty(client: pg.Client): Promise<void> {
  const content = await contentOf(client);
  assert.ok("organizations" in content, "it was migrated");
  assert.deepEqual(filledIn(content), []);
}

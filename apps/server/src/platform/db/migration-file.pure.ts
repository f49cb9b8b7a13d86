/** An index that is built while others write: its name, its table, and the statement. */
export type ConcurrentIndex = { name: string; table: string; statement: string };

/** What a migration does: indexes that are built one by one outside of any transaction, then the rest in one. */
export type MigrationSteps = { indexes: ConcurrentIndex[]; sql: string };

const COMMENT = String.raw`--[^\n]*\n|\s`;
const LEADING = new RegExp(
  String.raw`(?:${COMMENT})*(create (?:unique )?index concurrently (\w+) on (\w+) [^;]*;)[^\S\n]*(?:\n|$)`,
  "y",
);

/**
 * Reads the statements `create [unique] index concurrently <name> on <table> …;` that a migration may begin with. Each ends with a line;
 * comments may stand between them.
 * @throws Error where anything is done concurrently further down: it would be in a transaction, which PostgreSQL refuses
 */
export function parseMigration(text: string): MigrationSteps {
  const indexes: ConcurrentIndex[] = [];
  let end = 0;
  LEADING.lastIndex = 0;
  for (let found = LEADING.exec(text); found !== null; found = LEADING.exec(text)) {
    const [, statement = "", name = "", table = ""] = found;
    indexes.push({ name, table, statement });
    end = LEADING.lastIndex;
  }
  const sql = text.slice(end);
  if (/\bconcurrently\b/i.test(sql.replace(/--[^\n]*/g, "")))
    throw new Error("Only the first statements of a migration may be concurrent: create [unique] index.");
  return { indexes, sql };
}

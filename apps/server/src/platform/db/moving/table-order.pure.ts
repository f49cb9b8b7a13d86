/** A table, by its name, and the tables that its foreign keys name, itself among them perhaps. */
export type OrderedTable = { name: string; needs: readonly string[] };

/**
 * Tables, each after those whose rows have to be there before its own. A row that names another one of the same table needs no order: keys
 * are compared when all rows of a statement are there. What no order is needed between stays as it is.
 * @throws where tables need each other, so that neither can be first
 */
export function inTableOrder<Table extends OrderedTable>(tables: readonly Table[]): Table[] {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const done = new Set<Table>();
  const add = (table: Table, path: readonly string[]): void => {
    if (done.has(table)) return;
    if (path.includes(table.name))
      throw new Error(`Tables need each other: ${[...path, table.name].join(", ")}.`);
    for (const name of table.needs) {
      const needed = byName.get(name);
      if (needed === undefined)
        throw new Error(`${table.name} needs ${name}, which is not among the tables.`);
      if (needed !== table) add(needed, [...path, table.name]);
    }
    done.add(table);
  };
  for (const table of tables) add(table, []);
  return [...done];
}

import type { OneProject } from "../platform/db/one-project.ts";
import { port } from "../platform/runtime.ts";
import { snakeCase } from "../platform/text/snake-case.ts";
import type { Feature } from "./feature.ts";
import type { IdPrefix } from "./ids.ts";
import { type Declared, type Exported, kindOfKey, type TableKeyKind } from "./tables.ts";

/**
 * A declared table: its name in the database, the room whose stores alone write it, and the tables whose rows have to be there before
 * its own.
 */
export type Table = Declared & { name: string; owner: string; needs: ReadonlySet<string> };

/** A table of an export. */
export type ExportedTable = Exported & Pick<Table, "name" | "needs">;

/** Every table of the house, for the rooms that treat all of them alike. Only the root knows them. */
export const houseTables = port<() => readonly Table[]>("tables of the house");

type OwnedTable = Declared & Pick<Table, "owner">;

/** Each table that a room declares, with that room as its owner. */
const ownedBy = ({ room, tables = {} }: Pick<Feature, "room" | "tables">): [string, OwnedTable][] =>
  Object.entries(tables).map(([name, table]) => [name, { ...table, owner: room }]);

/** The tables whose rows bring keys of a kind. */
const bringersOf = (kind: TableKeyKind, declared: ReadonlyMap<string, Declared>): string[] =>
  [...declared].flatMap(([name, table]) =>
    "exported" in table && table.exported.brings?.includes(kind) === true ? name : [],
  );

/** Tables whose rows have to be there before those of this one: foreign keys name them, or they bring the keys that it has. */
function neededBy(name: string, table: Declared, declared: ReadonlyMap<string, Declared>): readonly string[] {
  const treatments = "exported" in table ? Object.values(table.exported.columns) : [];
  const kinds = new Set(treatments.flatMap((treatment) => kindOfKey(treatment) ?? []));
  const bringers = [...kinds].map((kind) => bringersOf(kind, declared));
  return [...(table.refersTo ?? []), ...bringers.filter((names) => !names.includes(name)).flat()];
}

/** The tables of rooms, each after those that it needs. */
export function tablesOf(rooms: readonly Pick<Feature, "room" | "tables">[]): readonly Table[] {
  const declared = new Map(rooms.flatMap(ownedBy));
  const done = new Map<string, Table>();
  const add = (name: string): void => {
    const table = declared.get(name);
    if (table === undefined || done.has(name)) return;
    const needed = neededBy(name, table, declared);
    for (const other of needed) add(other);
    done.set(name, { ...table, name: snakeCase(name), needs: new Set(needed.map(snakeCase)) });
  };
  for (const name of declared.keys()) add(name);
  return [...done.values()];
}

/** Where the rows of one project are; null for those of all. */
export const oneProject = (projectId: string | null, tables: readonly Table[]): OneProject | null => {
  if (projectId === null) return null;
  const conditions = tables.flatMap(({ name, projectRows }): [string, string][] =>
    typeof projectRows === "string" ? [[name, projectRows]] : [],
  );
  return { projectId, conditions: new Map(conditions) };
};

/** What an export contains, in the order in which it can be imported. */
export const exportedTables = (tables: readonly Table[]): readonly ExportedTable[] =>
  tables.flatMap((table) =>
    "exported" in table ? [{ ...table.exported, name: table.name, needs: table.needs }] : [],
  );

/** The prefixes of ids that follow from the id of the project, so that an import makes others. */
export const projectIdPrefixes = (tables: readonly Table[]): readonly IdPrefix[] =>
  tables.flatMap(({ ids }) => ids ?? []);

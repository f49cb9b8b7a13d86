import type { TablePlacement } from "../../src/domain/tables.ts";
import type { Reach } from "../../src/platform/db/statements/statement.ts";
import { snakeCase } from "../../src/platform/text/snake-case.ts";
import { Bindings, type OwnRelations, type Source, sourcesOf } from "./sources.ts";
import {
  columnNames,
  isNode,
  listOf,
  makesSeries,
  type Node,
  partsOf,
  relationName,
  textOf,
  within,
} from "./tree.ts";

/** A table as far as a statement's reach depends on it. */
export type PlacedTable = { lies: TablePlacement; columns: ReadonlySet<string> };

/** Whether rows of a table with this place lie by lane. */
export const liesByLane = (place: TablePlacement): boolean => place !== "reference" && place !== "local";

/**
 * Rows that a part of a statement locks before it answers them. `strength` as after `for`; `order`: the columns by which it is ordered, as
 * text; `isSkipping`: rows that another has locked are left out, so that it never waits.
 */
export type RowLock = { tables: readonly string[]; strength: string; order: string; isSkipping: boolean };

/** What a statement does to tables. */
export type Reading = {
  reads: readonly string[];
  /** By table: insert, update, delete. */
  writes: ReadonlyMap<string, readonly string[]>;
  /** In the order of the text. */
  locks: readonly RowLock[];
  reach: Reach;
  /** The tables of which rows in any lane may be read or written, where the reach is `all lanes`. */
  unbound: readonly string[];
};

const VERBS: Readonly<Record<string, string>> = {
  InsertStmt: "insert",
  UpdateStmt: "update",
  DeleteStmt: "delete",
  MergeStmt: "merge",
};
const STRENGTHS: Readonly<Record<string, string>> = {
  LCS_FORKEYSHARE: "key share",
  LCS_FORSHARE: "share",
  LCS_FORNOKEYUPDATE: "no key update",
  LCS_FORUPDATE: "update",
};

/** What a part of a statement does to the table that it names first. */
function verbsOf(kind: string, { onConflictClause }: Node): string[] {
  const isUpsert = isNode(onConflictClause) && onConflictClause.action === "ONCONFLICT_UPDATE";
  const verb = VERBS[kind];
  return verb === undefined ? [] : isUpsert ? [verb, "update"] : [verb];
}

/** The rows that a part locks before it answers them. */
function locksOf({ sortClause, lockingClause }: Node, sources: readonly Source[]): RowLock[] {
  const order = listOf(sortClause)
    .map((each) => columnNames(within(each, "SortBy")?.node).at(-1) ?? "…")
    .join(", ");
  return listOf(lockingClause).map((each) => {
    const clause = within(each, "LockingClause") ?? {};
    const chosen = listOf(clause.lockedRels).map((relation) => textOf(within(relation, "RangeVar")?.relname));
    const locked = sources.filter(({ alias }) => chosen.length === 0 || chosen.includes(alias));
    return {
      tables: locked.flatMap(({ table }) => table ?? []),
      strength: STRENGTHS[textOf(clause.strength)] ?? "update",
      order,
      isSkipping: clause.waitPolicy === "LockWaitSkip",
    };
  });
}

const sorted = (names: Iterable<string>): string[] => [...new Set(names)].sort();

/** Finds what statements do, given where each table lies. */
export class Reader {
  readonly #tables: ReadonlyMap<string, PlacedTable>;

  /** @param tables all tables by name; any other one counts as `local` */
  constructor(tables: ReadonlyMap<string, PlacedTable>) {
    this.#tables = tables;
  }

  /** @throws where PostgreSQL's parser refuses the text */
  read(text: string): Reading {
    const { parts, ctes } = partsOf(text);
    const own: OwnRelations = new Map(ctes.map((cte) => [textOf(cte.ctename), makesSeries(cte.ctequery)]));
    const reads: string[] = [];
    const writes: [table: string, verb: string][] = [];
    const locks: RowLock[] = [];
    const unbound: string[] = [];
    let isByKey = true;
    for (const [kind, part] of parts) {
      const target = isNode(part.relation) ? part.relation : null;
      if (target !== null) for (const verb of verbsOf(kind, part)) writes.push([relationName(target), verb]);
      const sources = sourcesOf(kind, part, own);
      reads.push(...sources.all.filter(({ node }) => node !== target).flatMap(({ table }) => table ?? []));
      locks.push(...locksOf(part, sources.all));
      const bindings = new Bindings(sources, (table, column) => this.#hasColumn(table, column));
      const byLane = bindings.given((table) => (this.#isSpread(table) ? "lane" : null));
      // The lane is a part of the key: where the key is given, the lane is.
      const byKey = bindings.given((table) => (this.#isSpread(table) ? this.#keyOf(table) : null));
      for (const source of sources.all) {
        if (source.table === null || !this.#isSpread(source.table) || byKey.has(source)) continue;
        isByKey = false;
        if (!byLane.has(source)) unbound.push(source.table);
      }
    }
    const written = Map.groupBy(writes, ([table]) => table);
    const all = [...reads, ...written.keys()];
    return {
      reads: sorted(reads),
      writes: new Map(
        sorted(written.keys()).map((table) => [
          table,
          sorted((written.get(table) ?? []).map(([, verb]) => verb)),
        ]),
      ),
      locks,
      reach: unbound.length > 0 ? "all lanes" : this.#boundReach(all, isByKey),
      unbound: sorted(unbound),
    };
  }

  /** The reach of a statement to which the lane of all rows that lie by lane is given. */
  #boundReach(tables: readonly string[], isByKey: boolean): Reach {
    const places = tables.map((table) => this.#tables.get(table)?.lies ?? "local");
    const kindsOfKeys = new Set(places.filter((place) => place.endsWith("Key")));
    if (kindsOfKeys.size > 1) return "keys";
    if (kindsOfKeys.size > 0 || places.includes("counter")) return isByKey ? "key" : "lane";
    return places.length === 0 || places.includes("local") ? "local" : "config";
  }

  // A table that is not known has any column.
  #hasColumn(table: string, column: string): boolean {
    return this.#tables.get(table)?.columns.has(column) !== false;
  }

  #isSpread(table: string): boolean {
    return liesByLane(this.#tables.get(table)?.lies ?? "local");
  }

  /** The column that finds the rows of a key. Counters have none beside their lane. */
  #keyOf(table: string): string {
    const place = this.#tables.get(table)?.lies ?? "counter";
    return place === "counter" ? "lane" : snakeCase(place);
  }
}

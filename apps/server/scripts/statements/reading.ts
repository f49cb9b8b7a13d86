import { loadModule, parseSync } from "libpg-query";
import type { TablePlacement } from "../../src/domain/tables.ts";
import type { Reach } from "../../src/platform/db/statements/statement.ts";
import { snakeCase } from "../../src/platform/text/snake-case.ts";

await loadModule();

/** A table as far as a statement's reach depends on it. */
export type PlacedTable = { lies: TablePlacement; columns: ReadonlySet<string> };

/**
 * Rows that a part of a statement locks before it answers them. `strength` as after `for`; `order`: the columns by which it is ordered, as
 * text; `isSkipping`: rows that another has locked are left out, so that it never waits.
 */
export type RowLock = { tables: readonly string[]; strength: string; order: string; isSkipping: boolean };

/** What a statement does to tables. */
export type Reading = {
  reads: readonly string[];
  /** By table: inserted, updated, deleted. */
  writes: ReadonlyMap<string, readonly string[]>;
  /** In the order of the text. */
  locks: readonly RowLock[];
  reach: Reach;
  /** The tables of which rows in any lane may be read or written, where the reach is `all lanes`. */
  unbound: readonly string[];
};

/** A node of PostgreSQL's parser: its fields by name. */
type Node = { readonly [field: string]: unknown };

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null;
const listOf = (value: unknown): Node[] => (Array.isArray(value) ? value.filter(isNode) : []);
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
/** The node within its kind: `{ SelectStmt: { … } }`. */
function within(node: unknown, kind: string): Node | null {
  const inner = isNode(node) ? node[kind] : null;
  return isNode(inner) ? inner : null;
}

/** All nodes of some kinds within one. */
function* nodesIn(node: unknown, kinds: ReadonlySet<string>): Generator<[kind: string, node: Node]> {
  if (Array.isArray(node)) for (const each of node) yield* nodesIn(each, kinds);
  else if (isNode(node))
    for (const [field, value] of Object.entries(node)) {
      if (kinds.has(field) && isNode(value)) yield [field, value];
      yield* nodesIn(value, kinds);
    }
}

/** The parts of a statement, each with its kind: itself, and all queries and changes within it. */
function* partsIn(parsed: unknown): Generator<[kind: string, part: Node]> {
  for (const [kind, part] of nodesIn(parsed, STATEMENTS)) {
    yield [kind, part];
    // The two sides of a union are queries without the name of their kind, and each may be a union again.
    if (textOf(part.op) !== "SETOP_NONE") yield* sidesOfUnion(part);
  }
}

function* sidesOfUnion({ larg, rarg }: Node): Generator<[kind: string, part: Node]> {
  for (const side of [larg, rarg])
    if (isNode(side)) {
      yield ["SelectStmt", side];
      yield* sidesOfUnion(side);
    }
}

const STATEMENTS = new Set(["SelectStmt", "InsertStmt", "UpdateStmt", "DeleteStmt", "MergeStmt"]);
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

/** A relation in the `from` of a part of a statement, or what the part changes. */
type Item = { alias: string; table: string | null; isSequence: boolean };

/** A column in a condition: of an item of the same part, or of something else. */
type Side = { item: Item; column: string } | null;

/** Finds what statements do, given where each table lies. */
export class Reader {
  readonly #tables: ReadonlyMap<string, PlacedTable>;

  constructor(tables: ReadonlyMap<string, PlacedTable>) {
    this.#tables = tables;
  }

  /** @throws where PostgreSQL's parser refuses the text */
  read(text: string): Reading {
    const parsed: unknown = parseSync(text);
    const parts = [...partsIn(parsed)];
    const named = new Set(
      [...nodesIn(parsed, new Set(["CommonTableExpr"]))].map(([, cte]) => textOf(cte.ctename)),
    );
    const reads = new Set<string>();
    const writes = new Map<string, Set<string>>();
    const locks: RowLock[] = [];
    const unbound = new Set<string>();
    let isByKey = true;
    for (const [kind, part] of parts) {
      const target = isNode(part.relation) ? part.relation : null;
      const verb = VERBS[kind];
      const written = target === null ? "" : textOf(target.relname);
      if (verb !== undefined) {
        const verbs = writes.get(written) ?? new Set();
        verbs.add(verb);
        if (isNode(part.onConflictClause) && part.onConflictClause.action === "ONCONFLICT_UPDATE")
          verbs.add("update");
        writes.set(written, verbs);
      }
      const { items, conditions } = this.#fromOf(kind, part, named);
      const targets = new Set(kind === "InsertStmt" ? [] : [target]);
      for (const { table, relation } of items) if (table !== null && !targets.has(relation)) reads.add(table);
      locks.push(...locksOf(part, items));
      const spread = items.filter(({ table }) => this.#isSpread(table));
      const byLane = this.#bound(items, conditions, () => "lane");
      const byKey = this.#bound(items, conditions, (table) => this.#keyOf(table));
      for (const item of spread) {
        if (!byLane.has(item) && !byKey.has(item)) unbound.add(item.table ?? "");
        if (!byKey.has(item)) isByKey = false;
      }
    }
    const all = [...new Set([...reads, ...writes.keys()])];
    return {
      reads: [...reads].sort(),
      writes: new Map(
        [...writes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([table, verbs]) => [table, [...verbs].sort()]),
      ),
      locks,
      reach: this.#reach(all, unbound, isByKey),
      unbound: [...unbound].sort(),
    };
  }

  #reach(all: readonly string[], unbound: ReadonlySet<string>, isByKey: boolean): Reach {
    const places = all.map((table) => this.#tables.get(table)?.lies ?? "local");
    if (unbound.size > 0) return "all lanes";
    const spaces = new Set(places.filter((place) => place.endsWith("Key")));
    if (spaces.size > 1) return "keys";
    if (spaces.size > 0 || places.includes("counter")) return isByKey ? "key" : "lane";
    return places.length === 0 || places.includes("local") ? "local" : "config";
  }

  #isSpread(table: string | null): boolean {
    const place = table === null ? undefined : this.#tables.get(table)?.lies;
    return place !== undefined && place !== "reference" && place !== "local";
  }

  /** The column that, after the lane, finds the rows of a key. Counters have none. */
  #keyOf(table: string): string {
    const place = this.#tables.get(table)?.lies ?? "counter";
    return place === "counter" ? "lane" : snakeCase(place);
  }

  /** What a part of a statement reads from, with all conditions on its rows. */
  #fromOf(kind: string, part: Node, named: ReadonlySet<string>) {
    const items: (Item & { relation: Node | null })[] = [];
    const conditions: unknown[] = [part.whereClause];
    const shared: { columns: string[]; items: Item[] }[] = [];
    const add = (entry: unknown): Item[] => {
      const join = within(entry, "JoinExpr");
      if (join !== null) {
        const both = [...add(join.larg), ...add(join.rarg)];
        conditions.push(join.quals);
        const columns = listOf(join.usingClause).map((each) => textOf(within(each, "String")?.sval));
        if (columns.length > 0) shared.push({ columns, items: both });
        return both;
      }
      const relation = within(entry, "RangeVar");
      const other = within(entry, "RangeSubselect") ?? within(entry, "RangeFunction");
      const alias = textOf(
        (isNode(relation?.alias) ? relation.alias : isNode(other?.alias) ? other.alias : {}).aliasname,
      );
      const name = textOf(relation?.relname);
      const isTable = relation !== null && (textOf(relation.schemaname) !== "" || !named.has(name));
      const isSequence =
        within(entry, "RangeFunction") !== null && JSON.stringify(other).includes('"generate_series"');
      const item = {
        alias: alias || name,
        table: isTable ? tableName(relation) : null,
        isSequence,
        relation,
      };
      items.push(item);
      return [item];
    };
    if (kind !== "InsertStmt" && isNode(part.relation)) add({ RangeVar: part.relation });
    for (const entry of [...listOf(part.fromClause), ...listOf(part.usingClause)]) add(entry);
    return { items, conditions: { parts: conditions.flatMap(conjunctsOf), shared } };
  }

  /** The items whose column (the lane, or the key) is given: by a parameter, by a row from outside, or by an item for which it is given. */
  #bound(
    items: readonly Item[],
    { parts, shared }: { parts: readonly Node[]; shared: readonly { columns: string[]; items: Item[] }[] },
    columnOf: (table: string) => string,
  ): ReadonlySet<Item> {
    const given = new Set<Item>();
    const links: [Item, Item][] = [];
    const isTheirs = (side: Side): boolean =>
      side !== null &&
      side.item.table !== null &&
      this.#isSpread(side.item.table) &&
      side.column === columnOf(side.item.table);
    const link = (a: Side, b: Side): void => {
      for (const [one, other] of [
        [a, b],
        [b, a],
      ] as const) {
        if (one === null || !isTheirs(one)) continue;
        if (other === null) given.add(one.item);
        else if (this.#isSpread(other.item.table)) links.push([one.item, other.item]);
        else if (!other.item.isSequence) given.add(one.item);
      }
    };
    for (const part of parts) for (const [a, b] of this.#equalities(part, items)) link(a, b);
    for (const { columns, items: theirs } of shared)
      for (const column of columns)
        for (const one of theirs)
          for (const other of theirs) if (one !== other) link({ item: one, column }, { item: other, column });
    for (let before = -1; before !== given.size; ) {
      before = given.size;
      for (const [item, by] of links) if (given.has(by)) given.add(item);
    }
    return given;
  }

  /** Pairs of columns, or of a column and something else (null), that a condition makes equal. */
  #equalities(condition: Node, items: readonly Item[]): [Side, Side][] {
    const link = within(condition, "SubLink");
    if (link !== null && link.subLinkType === "ANY_SUBLINK")
      return sidesOf(link.testexpr).map((side) => [this.#side(side, items), null]);
    const either = within(condition, "BoolExpr");
    if (either?.boolop === "OR_EXPR") return this.#inAll(listOf(either.args), items);
    const compared = within(condition, "A_Expr");
    if (compared === null) return [];
    const operator = textOf(within(listOf(compared.name)[0], "String")?.sval);
    if (operator !== "=" && compared.kind !== "AEXPR_BETWEEN") return [];
    const left = sidesOf(compared.lexpr);
    if (compared.kind !== "AEXPR_OP") return left.map((side) => [this.#side(side, items), null]);
    const right = sidesOf(compared.rexpr);
    return left.map((side, n) => [
      this.#side(side, items),
      right.length === left.length ? this.#side(right[n], items) : null,
    ]);
  }

  /** The columns that every alternative of an `or` gives. */
  #inAll(alternatives: readonly Node[], items: readonly Item[]): [Side, Side][] {
    const each = alternatives.map((alternative) =>
      conjunctsOf(alternative)
        .flatMap((part) => this.#equalities(part, items))
        .flat()
        .filter((side) => side !== null),
    );
    return (each[0] ?? [])
      .filter((side) =>
        each.every((sides) =>
          sides.some((other) => other.item === side.item && other.column === side.column),
        ),
      )
      .map((side) => [side, null]);
  }

  #side(node: unknown, items: readonly Item[]): Side {
    const cast = within(node, "TypeCast");
    if (cast !== null) return this.#side(cast.arg, items);
    const names = listOf(within(node, "ColumnRef")?.fields).map((field) =>
      textOf(within(field, "String")?.sval),
    );
    const column = names.at(-1);
    if (column === undefined) return null;
    const alias = names.at(-2);
    const having = items.filter(
      ({ table }) => table === null || this.#tables.get(table)?.columns.has(column) !== false,
    );
    const item =
      alias === undefined
        ? (having.find(({ table }) => table !== null) ?? having[0])
        : items.find((each) => each.alias === alias);
    return item === undefined ? null : { item, column };
  }
}

const tableName = ({ schemaname, relname }: Node): string =>
  textOf(schemaname) === "" ? textOf(relname) : `${textOf(schemaname)}.${textOf(relname)}`;

/** The conditions of which none may fail. */
function conjunctsOf(condition: unknown): Node[] {
  const both = within(condition, "BoolExpr");
  if (both?.boolop === "AND_EXPR") return listOf(both.args).flatMap(conjunctsOf);
  return isNode(condition) ? [condition] : [];
}

/** The values of a row, or the one value. */
const sidesOf = (node: unknown): unknown[] => {
  const row = within(node, "RowExpr");
  return row === null ? [node] : listOf(row.args);
};

/** The rows that a part locks before it answers them. */
function locksOf(part: Node, items: readonly Item[]): RowLock[] {
  const tables = items.flatMap(({ table }) => table ?? []);
  const order = listOf(part.sortClause)
    .map((each) => textOf(lastName(within(each, "SortBy")?.node)))
    .join(", ");
  return listOf(part.lockingClause).map((each) => {
    const clause = within(each, "LockingClause") ?? {};
    const chosen = listOf(clause.lockedRels).map((relation) => textOf(within(relation, "RangeVar")?.relname));
    const locked = items
      .filter(({ alias, table }) => table !== null && chosen.includes(alias))
      .flatMap(({ table }) => table ?? []);
    return {
      tables: chosen.length === 0 ? tables : locked,
      strength: STRENGTHS[textOf(clause.strength)] ?? "update",
      order,
      isSkipping: clause.waitPolicy === "LockWaitSkip",
    };
  });
}

function lastName(node: unknown): unknown {
  return within(listOf(within(node, "ColumnRef")?.fields).at(-1), "String")?.sval ?? "…";
}

import {
  columnNames,
  conjunctsOf,
  isNode,
  listOf,
  makesSeries,
  type Node,
  relationName,
  stringOf,
  textOf,
  valuesOf,
  within,
} from "./tree.ts";

/** What a part of a statement reads from, or changes: a table, or rows that another part or a function makes (`table`: null). */
export type Source = { alias: string; table: string | null; makesSeries: boolean; node: Node | null };

/** A condition, and the sources of which rows are left out where it fails: an outer join keeps those of one side. */
type Condition = { node: Node; decides: readonly Source[] };

/** Columns that `using` makes equal. */
type Shared = { columns: readonly string[]; sources: readonly Source[]; decides: readonly Source[] };

/** The sources of a part, with all conditions on their rows. */
export type Sources = { all: readonly Source[]; conditions: readonly Condition[]; shared: readonly Shared[] };

/** A column of a source, in a condition; null: anything else, such as a parameter, or a column from outside of the part. */
type Side = { source: Source; column: string } | null;

/** The relations that the statement makes itself, by name: whether one makes a series. */
export type OwnRelations = ReadonlyMap<string, boolean>;

function sourceOf(entry: unknown, own: OwnRelations): Source {
  const node = within(entry, "RangeVar");
  const made = within(entry, "RangeSubselect") ?? within(entry, "RangeFunction");
  const given = node?.alias ?? made?.alias;
  const alias = isNode(given) ? textOf(given.aliasname) : textOf(node?.relname);
  if (node === null) return { alias, table: null, makesSeries: makesSeries(made), node };
  const isOwn = textOf(node.schemaname) === "" && own.has(textOf(node.relname));
  const isSeries = isOwn && own.get(textOf(node.relname)) === true;
  return { alias, table: isOwn ? null : relationName(node), makesSeries: isSeries, node };
}

/** The sources of a part of a statement. */
export function sourcesOf(kind: string, part: Node, own: OwnRelations): Sources {
  const all: Source[] = [];
  const conditions: Condition[] = [];
  const shared: Shared[] = [];
  const add = (entry: unknown): Source[] => {
    const join = within(entry, "JoinExpr");
    if (join === null) {
      const source = sourceOf(entry, own);
      all.push(source);
      return [source];
    }
    const [left, right] = [add(join.larg), add(join.rarg)];
    const isKept = { left: /LEFT|FULL/, right: /RIGHT|FULL/ };
    const type = textOf(join.jointype);
    const decides = [...(isKept.left.test(type) ? [] : left), ...(isKept.right.test(type) ? [] : right)];
    conditions.push(...conjunctsOf(join.quals).map((node) => ({ node, decides })));
    shared.push({ columns: listOf(join.usingClause).map(stringOf), sources: [...left, ...right], decides });
    return [...left, ...right];
  };
  if (kind !== "InsertStmt" && isNode(part.relation)) add({ RangeVar: part.relation });
  for (const entry of [...listOf(part.fromClause), ...listOf(part.usingClause)]) add(entry);
  conditions.push(...conjunctsOf(part.whereClause).map((node) => ({ node, decides: all })));
  return { all, conditions, shared };
}

/** Finds of which sources a column is given: by a parameter, by a row from outside of the part, or by a source of which it is given. */
export class Bindings {
  readonly #sources: Sources;
  readonly #hasColumn: (table: string, column: string) => boolean;

  /** @param hasColumn whether a table has a column, for columns that stand without a table */
  constructor(sources: Sources, hasColumn: (table: string, column: string) => boolean) {
    this.#sources = sources;
    this.#hasColumn = hasColumn;
  }

  /** @param columnOf the column of a table, or null where the table is not meant */
  given(columnOf: (table: string) => string | null): ReadonlySet<Source> {
    const given = new Set<Source>();
    const links: [source: Source, by: Source][] = [];
    const isMeant = ({ source: { table }, column }: NonNullable<Side>): boolean =>
      table !== null && columnOf(table) === column;
    const link = (one: Side, other: Side, decides: readonly Source[]): void => {
      if (one === null || !isMeant(one) || !decides.includes(one.source)) return;
      if (other === null) given.add(one.source);
      else if (other.source.table !== null && columnOf(other.source.table) !== null)
        links.push([one.source, other.source]);
      else if (!other.source.makesSeries) given.add(one.source);
    };
    for (const { node, decides } of this.#sources.conditions)
      for (const [a, b] of this.#equalities(node)) {
        link(a, b, decides);
        link(b, a, decides);
      }
    for (const { columns, sources, decides } of this.#sources.shared)
      for (const column of columns)
        for (const source of sources)
          for (const other of sources)
            if (source !== other) link({ source, column }, { source: other, column }, decides);
    for (let before = -1; before !== given.size; ) {
      before = given.size;
      for (const [source, by] of links) if (given.has(by)) given.add(source);
    }
    return given;
  }

  /** The sides that a condition makes equal. */
  #equalities(condition: Node): [Side, Side][] {
    const link = within(condition, "SubLink");
    if (link?.subLinkType === "ANY_SUBLINK")
      return valuesOf(link.testexpr).map((value) => [this.#side(value), null]);
    const either = within(condition, "BoolExpr");
    if (either?.boolop === "OR_EXPR") return this.#inAll(listOf(either.args));
    const compared = within(condition, "A_Expr");
    if (compared === null) return [];
    const { kind } = compared;
    const isEqual = stringOf(listOf(compared.name)[0]) === "=";
    if (!isEqual && kind !== "AEXPR_BETWEEN") return [];
    const left = valuesOf(compared.lexpr);
    const right = kind === "AEXPR_OP" ? valuesOf(compared.rexpr) : [];
    // A row that is compared with one value is compared with what that has.
    const isByColumn = left.length === right.length;
    return left.map((value, n) => [this.#side(value), isByColumn ? this.#side(right[n]) : null]);
  }

  /** The columns to which every alternative of an `or` gives a value. */
  #inAll(alternatives: readonly Node[]): [Side, Side][] {
    const [first = [], ...others] = alternatives.map((alternative) =>
      conjunctsOf(alternative)
        .flatMap((part) => this.#equalities(part))
        .flat()
        .filter((side) => side !== null),
    );
    const isIn = (side: NonNullable<Side>, sides: readonly NonNullable<Side>[]): boolean =>
      sides.some(({ source, column }) => source === side.source && column === side.column);
    return first.filter((side) => others.every((sides) => isIn(side, sides))).map((side) => [side, null]);
  }

  #side(node: unknown): Side {
    const names = columnNames(node);
    const column = names.at(-1);
    const alias = names.at(-2);
    if (column === undefined) return null;
    const source =
      alias === undefined ? this.#having(column) : this.#sources.all.find((each) => each.alias === alias);
    return source === undefined ? null : { source, column };
  }

  /** The source whose column stands without its table: a table that has it, or else rows of which the columns are not known. */
  #having(column: string): Source | undefined {
    const { all } = this.#sources;
    const tables = all.filter(({ table }) => table !== null && this.#hasColumn(table, column));
    return tables[0] ?? all.find(({ table }) => table === null);
  }
}

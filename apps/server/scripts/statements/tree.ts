/** How the tree is walked that PostgreSQL's parser (`libpg-query`) makes of a text. */
import { loadModule, parseSync } from "libpg-query";

await loadModule();

/** A node of the tree: its fields by name. */
export type Node = { readonly [field: string]: unknown };

export const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null;
export const listOf = (value: unknown): Node[] => (Array.isArray(value) ? value.filter(isNode) : []);
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The node within its kind: `{ SelectStmt: { … } }`. */
export function within(node: unknown, kind: string): Node | null {
  const inner = isNode(node) ? node[kind] : null;
  return isNode(inner) ? inner : null;
}

/** The text in a node of kind `String`. */
export const stringOf = (node: unknown): string => textOf(within(node, "String")?.sval);

/** All nodes of some kinds within one. */
export function* nodesIn(node: unknown, kinds: ReadonlySet<string>): Generator<[kind: string, node: Node]> {
  if (Array.isArray(node)) for (const each of node) yield* nodesIn(each, kinds);
  else if (isNode(node))
    for (const [field, value] of Object.entries(node)) {
      if (kinds.has(field) && isNode(value)) yield [field, value];
      yield* nodesIn(value, kinds);
    }
}

const PARTS = new Set(["SelectStmt", "InsertStmt", "UpdateStmt", "DeleteStmt", "MergeStmt"]);

/** The parts of a statement, each with its kind: itself, and all queries and changes within it. @throws where the text is no SQL */
export function partsOf(text: string): { parts: [kind: string, part: Node][]; ctes: Node[] } {
  const tree: unknown = parseSync(text);
  const parts = [...nodesIn(tree, PARTS)].flatMap(([kind, part]): [string, Node][] => [
    [kind, part],
    ...sidesOfUnion(part),
  ]);
  return { parts, ctes: [...nodesIn(tree, new Set(["CommonTableExpr"]))].map(([, cte]) => cte) };
}

/** The sides of a union: queries without the name of their kind, of which each may be a union again. */
function sidesOfUnion({ larg, rarg }: Node): [kind: string, part: Node][] {
  return [larg, rarg]
    .filter(isNode)
    .flatMap((side): [string, Node][] => [["SelectStmt", side], ...sidesOfUnion(side)]);
}

/** The name of a relation, with its schema where it has one. */
export const relationName = ({ schemaname, relname }: Node): string =>
  textOf(schemaname) === "" ? textOf(relname) : `${textOf(schemaname)}.${textOf(relname)}`;

/** The names of a column: of itself, after that of its table where there is one. Empty for anything else, but for a cast of a column. */
export function columnNames(node: unknown): string[] {
  const cast = within(node, "TypeCast");
  return cast === null ? listOf(within(node, "ColumnRef")?.fields).map(stringOf) : columnNames(cast.arg);
}

/** The conditions of which none may fail. */
export function conjunctsOf(condition: unknown): Node[] {
  const both = within(condition, "BoolExpr");
  if (both?.boolop === "AND_EXPR") return listOf(both.args).flatMap(conjunctsOf);
  return isNode(condition) ? [condition] : [];
}

/** The values of a row, or the one value. */
export function valuesOf(node: unknown): unknown[] {
  const row = within(node, "RowExpr");
  return row === null ? [node] : listOf(row.args);
}

/** Whether a series is made within a node: numbers that no caller gave. */
export const makesSeries = (node: unknown): boolean =>
  [...nodesIn(node, new Set(["FuncCall"]))].some(([, call]) =>
    listOf(call.funcname).some((name) => stringOf(name) === "generate_series"),
  );

import type { Answer, Input } from "@tidings/client";

export type Expression = NonNullable<Input<"checkAudience">["body"]["expression"]>;
export type Node = Expression["root"];
export type GroupNode = Extract<Node, { children: unknown }>;
export type FieldNode = Extract<Node, { field: unknown }>;
export type EventNode = Extract<Node, { event: unknown }>;
export type WhereNode = NonNullable<EventNode["where"]>[number];
export type Operator = FieldNode["op"];
export type Value = FieldNode["value"];
export type Window = NonNullable<EventNode["window"]>;
export type Capabilities = Answer<"getAudienceCapabilities">["capabilities"];
/** How many users have values of each type. */
export type Types = Readonly<Record<string, number>>;

/** A node that is no `not`, with whether an odd number of them stood around it. */
export type Plain = { isNot: boolean; node: GroupNode | FieldNode | EventNode };

export function plainOf(node: Node): Plain {
  if (node.kind !== "not") return { isNot: false, node };
  const inner = plainOf(node.child);
  return { ...inner, isNot: !inner.isNot };
}

export const nodeOf = ({ isNot, node }: Plain): Node => (isNot ? { kind: "not", child: node } : node);

export const newField = (): FieldNode => ({
  kind: "field",
  field: { kind: "trait", key: "" },
  op: "eq",
  value: "",
});
export const newEvent = (): EventNode => ({ kind: "event", event: "", count: { op: "gte", value: 1 } });
export const newGroup = (): GroupNode => ({ kind: "any", children: [newField()] });
export const newWhere = (): WhereNode => ({
  kind: "field",
  field: { kind: "event_property", key: "" },
  op: "eq",
  value: "",
});

/** An expression as a group: one whose root is a single condition becomes the only member of one. */
export function groupOf({ root }: Expression): GroupNode {
  return isGroup(root) ? root : { kind: "all", children: [root] };
}

export const isGroup = (node: Node): node is GroupNode => node.kind === "all" || node.kind === "any";

/** The expression of a group. A group of one condition is that condition, as `groupOf` shows it. */
export function expressionOf(group: GroupNode): Expression {
  const [only, ...more] = group.children;
  const root = only !== undefined && more.length === 0 && !isGroup(only) ? only : group;
  return { version: 1, root };
}

/** A list with one member replaced, or taken away where there is none in its place. */
export const replaced = <Member>(members: readonly Member[], index: number, by: Member | null): Member[] =>
  members.flatMap((each, at) => (at !== index ? [each] : by === null ? [] : [by]));

/** A group with one member replaced, or taken away where there is none in its place. */
export const withChild = (group: GroupNode, index: number, child: Node | null): GroupNode => ({
  ...group,
  children: replaced(group.children, index, child),
});

/** Where a member of a group lies, as the server names it: a JSON pointer. The single condition of the root is the root. */
export function placeOf(parent: string, member: Node, index: number, isOnlyRoot: boolean): string {
  let place = isOnlyRoot && !isGroup(member) ? parent : `${parent}/children/${index}`;
  for (let node = member; node.kind === "not"; node = node.child) place += "/child";
  return place;
}

/** Where the conditions of an expression lie, as the server names places. */
export function leafPlaces(node: Node, place = "/root"): string[] {
  if (node.kind === "not") return leafPlaces(node.child, `${place}/child`);
  if (!isGroup(node)) return [place];
  return node.children.flatMap((child, index) => leafPlaces(child, `${place}/children/${index}`));
}

type ComparedType = "string" | "number" | "boolean";
const COMPARED: readonly ComparedType[] = ["string", "number", "boolean"];

/** The types that values of a trait or property have, as far as they are known. */
export const typesOf = (types: Types | undefined): ComparedType[] =>
  COMPARED.filter((type) => (types?.[type] ?? 0) > 0);

/** The operators for a field: those of its types, or of all types where none is known. */
export function operatorsFor(
  field: FieldNode["field"],
  types: Types | undefined,
  all: Capabilities,
): Operator[] {
  const known = field.kind === "user" ? ["datetime"] : typesOf(types);
  const names = known.length === 0 ? [...COMPARED] : known;
  const found = new Set(names.flatMap((type) => all.expression.operators[type] ?? []));
  return [...found] as Operator[];
}

/** What a comparison is with, by its operator. */
export type Operand = "none" | "number" | "instant" | "window" | "list" | "text" | "value";
const OPERANDS: Readonly<Record<Operator, Operand>> = {
  ...{ eq: "value", neq: "value", in: "list", not_in: "list" },
  ...{ contains: "text", starts_with: "text", ends_with: "text" },
  ...{ gt: "number", gte: "number", lt: "number", lte: "number" },
  ...{ exists: "none", not_exists: "none", before: "instant", after: "instant" },
  ...{ within_last: "window", not_within_last: "window" },
};
export const operandOf = (op: Operator): Operand => OPERANDS[op];

const DAY = { amount: 7, unit: "days" } as const;

/** A value that an operator can begin with, where the one before does not fit it. */
export function valueFor(op: Operator, before: Value, types: Types | undefined): Value {
  const [first = "string"] = typesOf(types);
  switch (operandOf(op)) {
    case "none":
      return undefined;
    case "number":
      return typeof before === "number" ? before : "";
    case "instant":
      return typeof before === "string" && !Number.isNaN(Date.parse(before)) ? before : "";
    case "window":
      return typeof before === "object" && !Array.isArray(before) ? before : DAY;
    case "list":
      return Array.isArray(before) ? before : [];
    case "text":
      return typeof before === "string" ? before : "";
    case "value":
      if (typeof before !== "object" && before !== undefined) return before;
      return first === "boolean" ? true : "";
  }
}

/** A comparison of this operator: without a value where it takes none. */
export function compared<Compared extends FieldNode | WhereNode>(
  { value: _, ...node }: Compared,
  op: Operator,
  value: Value,
): Compared {
  const made = value === undefined ? { ...node, op } : { ...node, op, value };
  return made as unknown as Compared;
}

/** A typed text as a list: of numbers where all of it is numbers, and the field has some. */
export function listOf(text: string, types: Types | undefined): string[] | number[] {
  const members = text
    .split(",")
    .map((member) => member.trim())
    .filter((member) => member !== "");
  const numbers = members.map(Number);
  const hasNumbers = (types?.number ?? 0) > 0 && (types?.string ?? 0) === 0;
  return hasNumbers && numbers.every(Number.isFinite) ? numbers : members;
}

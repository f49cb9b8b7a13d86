import type { Answer, Input } from "@tidings/client";

/** Which audience is counted: an expression, or a segment in a version. */
export type AudienceQuery = Pick<Input<"checkAudience">["body"], "expression" | "segment" | "version">;
export type Expression = NonNullable<Input<"checkAudience">["body"]["expression"]>;
export type Node = Expression["root"];
export type GroupNode = Extract<Node, { children: unknown }>;
export type FieldNode = Extract<Node, { field: unknown }>;
export type EventNode = Extract<Node, { event: unknown }>;
export type MessageNode = Extract<Node, { did: unknown }>;
/** A condition on how often something happened. */
export type CountingNode = EventNode | MessageNode;
export type Deed = MessageNode["did"];
export type MessageChannel = NonNullable<MessageNode["channel"]>;
export type WhereNode = NonNullable<EventNode["where"]>[number];
export type Operator = FieldNode["op"];
export type ComparedValue = FieldNode["value"];
export type Window = NonNullable<EventNode["window"]>;
export type AudienceCapabilities = Answer<"getAudienceCapabilities">["capabilities"];
/** How many users have values of each type. */
export type Types = Readonly<Record<string, number>>;

/** A node that is no `not`, with whether an odd number of them stood around it. */
export type Plain = { isNot: boolean; node: GroupNode | FieldNode | CountingNode };

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
/** How often something was done, where it matters only that it was. */
export const ONCE = { op: "gte", value: 1 } as const;

export const newEvent = (): EventNode => ({ kind: "event", event: "", count: ONCE });
export const newMessage = (): MessageNode => ({ kind: "message", did: "received", count: ONCE });
/** All users of a project: they were seen at some time. */
export const EVERYONE: Expression = {
  version: 1,
  root: { kind: "field", field: { kind: "user", field: "firstSeenAt" }, op: "exists" },
};

export const newGroup = (): GroupNode => ({ kind: "any", children: [newField()] });
export const newWhere = (): WhereNode => ({
  kind: "field",
  field: { kind: "event_property", key: "" },
  op: "eq",
  value: "",
});

type Members = readonly (string | number)[];
const membersOf = ({ value }: FieldNode): Members => (Array.isArray(value) ? value : []);
/** A list of texts, or of numbers, which the type of both together cannot say. */
const asValue = (members: Members) => members as string[] | number[];

/**
 * How many values a list may have: several lists in a group make one, as many as a group has members. Properties of events have no
 * groups.
 */
export function maxValuesOf(
  field: FieldNode["field"],
  { expression: { limits } }: AudienceCapabilities,
): number {
  const { maxListItems = Number.POSITIVE_INFINITY, maxChildren = 1 } = limits;
  return field.kind === "event_property" ? maxListItems : maxListItems * maxChildren;
}

/** Which group of conditions with one operator each means one condition with all of their values. */
const SPLIT_INTO = { in: "any", not_in: "all" } as const;

/** A part of an expression whose lists are as long as the server takes them: a longer one becomes a group that means the same. */
function split(node: Node, max: number): Node {
  if (node.kind === "not") return { kind: "not", child: split(node.child, max) };
  if (isGroup(node)) return { ...node, children: node.children.map((child) => split(child, max)) };
  if (node.kind !== "field" || (node.op !== "in" && node.op !== "not_in")) return node;
  const members = [...new Set(membersOf(node))];
  if (members.length <= max) return node;
  const children: Node[] = [];
  for (let from = 0; from < members.length; from += max)
    children.push({ ...node, value: asValue(members.slice(from, from + max)) });
  return { kind: SPLIT_INTO[node.op], children };
}

/** A group that `split` made, as the one condition that it means; else null. */
function unsplit({ kind, children }: GroupNode, max: number): FieldNode | null {
  const [first, ...more] = children;
  if (first?.kind !== "field" || (first.op !== "in" && first.op !== "not_in")) return null;
  if (more.length === 0 || SPLIT_INTO[first.op] !== kind) return null;
  const type = typeof membersOf(first)[0];
  const members = [...membersOf(first)];
  if (members.length !== max) return null;
  for (const [index, part] of more.entries()) {
    const isAlike =
      part.kind === "field" &&
      part.op === first.op &&
      JSON.stringify(part.field) === JSON.stringify(first.field);
    if (!isAlike) return null;
    const own = membersOf(part);
    if (typeof own[0] !== type || (index < more.length - 1 && own.length !== max)) return null;
    members.push(...own);
  }
  return { ...first, value: asValue(members) };
}

/** A part of an expression with each long list as one condition. */
function joined(node: Node, max: number): Node {
  if (node.kind === "not") return { kind: "not", child: joined(node.child, max) };
  if (!isGroup(node)) return node;
  return unsplit(node, max) ?? { ...node, children: node.children.map((child) => joined(child, max)) };
}

/**
 * An expression as a group: one whose root is a single condition becomes the only member of one.
 * @param max how many members the server takes in a list: a longer one, which lies in several conditions, is shown as one
 */
export function toGroup({ root }: Expression, max: number): GroupNode {
  const shown = joined(root, max);
  return isGroup(shown) ? shown : { kind: "all", children: [shown] };
}

export const isGroup = (node: Node): node is GroupNode => node.kind === "all" || node.kind === "any";

/** The expression of a group. A group of one condition is that condition, as `toGroup` shows it. */
export function groupExpression(group: GroupNode, max: number): Expression {
  const [only, ...more] = group.children;
  const root = only !== undefined && more.length === 0 && !isGroup(only) ? only : group;
  return { version: 1, root: split(root, max) };
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
export function memberPointer(parent: string, member: Node, index: number, isOnlyRoot: boolean): string {
  let place = isOnlyRoot && !isGroup(member) ? parent : `${parent}/children/${index}`;
  for (let node = member; node.kind === "not"; node = node.child) place += "/child";
  return place;
}

/** Where the outermost `not` lies that stands around nothing but a node; the node itself where none does. */
export const outerPlace = (place: string): string => place.replace(/(\/child)+$/, "");

/** Where the conditions of an expression lie, as the server names places. */
export function leafPlaces(node: Node, place = "/root"): string[] {
  if (node.kind === "not") return leafPlaces(node.child, `${place}/child`);
  if (!isGroup(node)) return [place];
  return node.children.flatMap((child, index) => leafPlaces(child, `${place}/children/${index}`));
}

const isAsMade = (node: FieldNode | CountingNode | WhereNode, made: () => typeof node): boolean =>
  JSON.stringify(node) === JSON.stringify(made());

/** Whether a part of an expression is made of several conditions, so that each of them has a count of its own. */
export const hasParts = (node: Node): boolean => isGroup(node) || conditionsOf(node) > 1;

/** How many conditions a part of an expression has, those on the properties of events included. */
export function conditionsOf(node: Node): number {
  if (node.kind === "not") return conditionsOf(node.child);
  if (isGroup(node)) return node.children.reduce((sum, child) => sum + conditionsOf(child), 0);
  return node.kind === "event" ? 1 + (node.where ?? []).length : 1;
}

/** Where the conditions lie in which nothing was written yet. What the server says of those is no news. */
export function blankPlaces(node: Node, place = "/root"): string[] {
  if (node.kind === "not") return blankPlaces(node.child, `${place}/child`);
  if (isGroup(node))
    return node.children.flatMap((child, index) => blankPlaces(child, `${place}/children/${index}`));
  if (node.kind === "field") return isAsMade(node, newField) ? [place] : [];
  // A condition on messages is whole as it is made.
  if (node.kind === "message") return [];
  if (isAsMade(node, newEvent)) return [place];
  return (node.where ?? []).flatMap((each, index) =>
    isAsMade(each, newWhere) ? [wherePlace(place, index)] : [],
  );
}

/** Where a condition on a property lies in an event. */
export const wherePlace = (place: string, index: number): string => `${place}/where/${index}`;

/** A condition within a stretch of time; at any time where there is none. */
export function within<Counting extends CountingNode>(
  { window: _, ...node }: Counting,
  window: Window | undefined,
): Counting {
  const made = window === undefined ? node : { ...node, window };
  return made as unknown as Counting;
}

/** What users do with messages, in the order in which they do it. */
const DEEDS: readonly Deed[] = ["received", "opened", "clicked", "dismissed"];

/** What users can have done with messages of a channel, or of any. */
export function deedsOf(
  channel: MessageChannel | undefined,
  { expression: { messageDeeds } }: AudienceCapabilities,
): Deed[] {
  const possible = channel === undefined ? Object.values(messageDeeds).flat() : messageDeeds[channel];
  return DEEDS.filter((deed) => possible?.includes(deed));
}

/** A condition on messages of a channel, or of any; where they cannot do the same with those, it is on what they can do. */
export function byChannel(
  { channel: _, ...node }: MessageNode,
  channel: MessageChannel | undefined,
  capabilities: AudienceCapabilities,
): MessageNode {
  const deeds = deedsOf(channel, capabilities);
  const [first = node.did] = deeds;
  const did = deeds.includes(node.did) ? node.did : first;
  return { ...node, did, ...(channel !== undefined && { channel }) };
}

/** A condition on messages of some campaigns; of any where there is none. */
export const ofCampaigns = (
  { campaigns: _, ...node }: MessageNode,
  campaigns: readonly string[],
): MessageNode => (campaigns.length === 0 ? node : { ...node, campaigns: [...campaigns] });

/** The campaigns that an expression names, each once. */
export function campaignsOf(node: Node): string[] {
  if (node.kind === "not") return campaignsOf(node.child);
  if (isGroup(node)) return [...new Set(node.children.flatMap(campaignsOf))];
  return node.kind === "message" ? [...new Set(node.campaigns)] : [];
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
  all: AudienceCapabilities,
): Operator[] {
  const known = field.kind === "user" ? [field.field === "id" ? "id" : "datetime"] : typesOf(types);
  const names = known.length === 0 ? [...COMPARED] : known;
  const found = new Set(names.flatMap((type) => all.expression.operators[type] ?? []));
  return [...found] as Operator[];
}

/** What a comparison is with, by its operator. */
export type Operand = "none" | "number" | "instant" | "window" | "list" | "text" | "value";
const OPERANDS: Readonly<Record<Operator, Operand>> = {
  eq: "value",
  neq: "value",
  in: "list",
  not_in: "list",
  contains: "text",
  starts_with: "text",
  ends_with: "text",
  gt: "number",
  gte: "number",
  lt: "number",
  lte: "number",
  exists: "none",
  not_exists: "none",
  before: "instant",
  after: "instant",
  within_last: "window",
  not_within_last: "window",
  within_next: "window",
  not_within_next: "window",
};
export const operandOf = (op: Operator): Operand => OPERANDS[op];

const DAY = { amount: 7, unit: "days" } as const;

/** Whether a value is of a type that its field has; any is where none is known. */
function fits(value: string | number | boolean, types: Types | undefined): boolean {
  const known = typesOf(types);
  return known.length === 0 || known.some((type) => type === typeof value);
}

/** A value that an operator can begin with, where the one before does not fit it. */
export function valueFor(op: Operator, before: ComparedValue, types: Types | undefined): ComparedValue {
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
      if (!Array.isArray(before)) return [];
      return before.every((member) => fits(member, types)) ? before : before.map(String);
    case "text":
      return typeof before === "string" ? before : "";
    case "value":
      if (typeof before !== "object" && before !== undefined && fits(before, types)) return before;
      return first === "boolean" ? true : "";
  }
}

/** A comparison of this operator: without a value where it takes none. */
export function compared<Compared extends FieldNode | WhereNode>(
  { value: _, ...node }: Compared,
  op: Operator,
  value: ComparedValue,
): Compared {
  const made = value === undefined ? { ...node, op } : { ...node, op, value };
  return made as unknown as Compared;
}

/**
 * The members in a text: one on each line or in each cell of a table, as they are pasted, whatever is in them; with commas between where
 * it is a single line. Lines that all end with a comma are a list as programs write it.
 */
function membersIn(text: string): string[] {
  const trimmed = (parts: readonly string[]) =>
    parts.map((part) => part.trim()).filter((part) => part !== "");
  if (!/[\r\n\t]/.test(text)) return trimmed(text.split(","));
  const lines = trimmed(text.split(/[\r\n\t]/));
  const areEnded = lines.length > 1 && lines.slice(0, -1).every((line) => line.endsWith(","));
  return areEnded ? trimmed(lines.map((line) => line.replace(/,$/, ""))) : lines;
}

/** The members of a list as a text that is read as the same ones. */
export const textOfList = (members: Members): string =>
  members.some((member) => String(member).includes(",")) ? `${members.join("\n")}\n` : members.join(", ");

/** A typed text as a list: of numbers where all of it is numbers, and the field has some. */
export function listOf(text: string, types: Types | undefined): string[] | number[] {
  const members = membersIn(text);
  const numbers = members.map(Number);
  const hasNumbers = (types?.number ?? 0) > 0 && (types?.string ?? 0) === 0;
  return hasNumbers && numbers.every(Number.isFinite) ? numbers : members;
}

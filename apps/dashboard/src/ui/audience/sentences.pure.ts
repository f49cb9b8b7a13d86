import { numberOf } from "../../platform/figures.ts";
import type {
  ComparedValue,
  EventNode,
  Expression,
  FieldNode,
  Node,
  WhereNode,
  Window,
} from "./tree.pure.ts";
import { words } from "./words.ts";

const windowOf = ({ amount, unit }: Window): string => `${amount} ${words.units[unit]}`;

const textOf = (value: unknown): string => (typeof value === "string" ? `“${value}”` : String(value));

/** Members of a list that a sentence names; of more it says how many there are. */
const NAMED_MEMBERS = 5;

function membersOf(members: readonly (string | number)[]): string {
  const named = members.slice(0, NAMED_MEMBERS).map(textOf).join(", ");
  const more = members.length - NAMED_MEMBERS;
  return more > 0 ? `${named} ${words.andMore(numberOf(more))}` : named;
}

/** What a comparison is with, in words; nothing for one that is with nothing. */
function operandOf(value: ComparedValue): string {
  if (value === undefined) return "";
  if (Array.isArray(value)) return ` ${membersOf(value)}`;
  return ` ${typeof value === "object" ? windowOf(value) : textOf(value)}`;
}

const subjectOf = ({ field }: FieldNode | WhereNode): string =>
  field.kind === "user" ? words.userFields[field.field] : field.key;

/** A comparison in the words of the builder: `plan is “pro”`. */
const comparisonOf = (node: FieldNode | WhereNode): string =>
  `${subjectOf(node)} ${words.operators[node.op]}${operandOf(node.value)}`;

function eventOf({ event, count = { op: "gte", value: 1 }, window, where = [] }: EventNode): string {
  const isOnce = count.op === "gte" && count.value === 1;
  const often = isOnce ? words.once : `${words.counts[count.op]} ${words.timesOf(count.value)}`;
  const when = window === undefined ? words.ever : `${words.inLast} ${windowOf(window)}`;
  const having = where.length === 0 ? "" : `, ${words.having} ${where.map(comparisonOf).join(words.and)}`;
  return `${event} ${often} ${when}${having}`;
}

/** A part of an expression in the words of the builder; a group by what it demands of its members. */
export function describeCondition(node: Node | WhereNode): string {
  switch (node.kind) {
    case "all":
      return words.all;
    case "any":
      return words.any;
    case "not":
      return words.notThis;
    case "field":
      return comparisonOf(node);
    case "event":
      return eventOf(node);
  }
}

/** The part of an expression at a JSON pointer of the server, such as `/root/children/0`; null where there is none. */
export function nodeAt({ root }: Expression, pointer: string): Node | null {
  let node: Node | undefined = root;
  // The first two parts are empty and "root".
  const steps = pointer.split("/").slice(2);
  for (const step of steps) {
    if (step === "children") continue;
    if (node === undefined) return null;
    if (node.kind === "not") node = step === "child" ? node.child : undefined;
    else node = "children" in node ? node.children[Number(step)] : undefined;
  }
  return node ?? null;
}

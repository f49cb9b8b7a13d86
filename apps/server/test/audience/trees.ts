/** Audiences in short, for the tests that send them. */
import type { Input } from "@tidings/client";

export type Expression = NonNullable<Input<"checkAudience">["body"]["expression"]>;
export type Node = Expression["root"];
type Field = Extract<Node, { kind: "field" }>;
type Event = Extract<Node, { kind: "event" }>;
type Value = NonNullable<Field["value"]>;

const field = (ref: Field["field"], op: Field["op"], value?: Value): Field => ({
  kind: "field",
  field: ref,
  op,
  ...(value === undefined ? {} : { value }),
});

export const trait = (key: string, op: Field["op"], value?: Value): Node =>
  field({ kind: "trait", key }, op, value);
export const user = (name: "id" | "firstSeenAt" | "lastSeenAt", op: Field["op"], value?: Value): Node =>
  field({ kind: "user", field: name }, op, value);
/** A condition of `where`. */
export const property = (
  key: string,
  op: Field["op"],
  value?: Value,
): NonNullable<Event["where"]>[number] => ({
  kind: "field",
  field: { kind: "event_property", key },
  op,
  ...(value === undefined ? {} : { value }),
});
export const event = (name: string, rest: Partial<Omit<Event, "kind" | "event">> = {}): Node => ({
  kind: "event",
  event: name,
  ...rest,
});
type Message = Extract<Node, { kind: "message" }>;
export const message = (did: Message["did"], rest: Partial<Omit<Message, "kind" | "did">> = {}): Node => ({
  kind: "message",
  did,
  ...rest,
});
export const all = (...children: Node[]): Node => ({ kind: "all", children });
export const any = (...children: Node[]): Node => ({ kind: "any", children });
export const not = (child: Node): Node => ({ kind: "not", child });
export const days = (amount: number) => ({ amount, unit: "days" as const });
export const expression = (root: Node): Expression => ({ version: 1, root });

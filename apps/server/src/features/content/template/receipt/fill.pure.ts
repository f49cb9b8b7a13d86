import {
  evalToken,
  type Filter,
  type PropertyAccessToken,
  type Token,
  TypeGuards,
  toValueSync,
} from "liquidjs";
import { valueText } from "../filters.pure.ts";
import type { Field, Template } from "../template.pure.ts";
import type { ReceiptLoop, ReceiptNode, ReceiptOutput } from "./nodes.pure.ts";
import {
  MissingValue,
  pathStep,
  type ReceiptScope,
  rootOf,
  TooMuch,
  type ValueOrigin,
  type ValuePlace,
} from "./scope.pure.ts";

/** An output with its value, which is its `fallback`, so that every reader of fields shows it; `path` and `origin` say where that is from. */
export type FilledField = Field & { filters: null; fallback: string; path: string; origin: ValueOrigin };

const MAX_ROUNDS = 2_000;
const MAX_FIELDS = 5_000;
/** Characters of the text that the author wrote, as often as loops repeat it. */
const MAX_STATIC = 100_000;
const MAX_VALUES = 300_000;
/** Characters or entries that a filter may read. */
const MAX_INPUT = 40_000;
/** Filters that count with numbers. */
const COUNTING = new Set(["divided_by", "minus", "plus", "round", "times"]);
const NUL = String.fromCharCode(0);

type Filling = {
  scope: ReceiptScope;
  parts: (string | FilledField)[];
  rounds: number;
  fields: number;
  written: number;
  shown: number;
};

const isNothing = (value: unknown): boolean => value === undefined || value === null;

/** Where a path leads in this round of its loops: `data.items[1].price`. */
function placeNow(token: PropertyAccessToken, scope: ReceiptScope): ValuePlace {
  const root = rootOf(token) ?? "";
  const base = scope.places.get(root) ?? { path: root, origin: root === "user" ? "user" : "data" };
  const steps = token.props.slice(1).map((step) => {
    if (TypeGuards.isWordToken(step)) return pathStep(step.getText());
    return pathStep(toValueSync(evalToken(step, scope)));
  });
  return { ...base, path: base.path + steps.join("") };
}

const evaluate = (token: Token, scope: ReceiptScope): unknown => toValueSync(evalToken(token, scope));

/** The value, or the argument of a filter, that has to be there. @throws MissingValue */
function valueAt(token: Token, scope: ReceiptScope): unknown {
  const value = evaluate(token, scope);
  if (isNothing(value) && TypeGuards.isPropertyAccessToken(token))
    throw new MissingValue(placeNow(token, scope).path);
  return value;
}

/** The part of a value that filters read: no object, so that none of them can print it. */
function inputOf(value: unknown): unknown {
  if ((typeof value === "string" || Array.isArray(value)) && value.length > MAX_INPUT)
    throw new TooMuch(`must give filters at most ${MAX_INPUT} characters or entries`);
  return typeof value === "object" && !Array.isArray(value) ? undefined : value;
}

const workOf = (value: unknown): number =>
  1 + (typeof value === "string" || Array.isArray(value) ? value.length / 10 : 0);

const isNumeric = (value: unknown): boolean =>
  typeof value === "number" ||
  (typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value)));

/** @throws MissingValue for a text where a filter counts, which Liquid would take for 0 */
function checkNumbers(filter: Filter, value: unknown, path: string, scope: ReceiptScope): void {
  if (!COUNTING.has(filter.name)) return;
  if (!isNumeric(value)) throw new MissingValue(path);
  for (const argument of filter.args)
    if (!Array.isArray(argument) && TypeGuards.isPropertyAccessToken(argument))
      if (!isNumeric(evaluate(argument, scope))) throw new MissingValue(placeNow(argument, scope).path);
}

function filtered(filters: readonly Filter[], value: unknown, path: string, scope: ReceiptScope): unknown {
  let result = value;
  for (const filter of filters) {
    if (filter.name !== "default")
      for (const argument of filter.args) {
        const token = Array.isArray(argument) ? argument[1] : argument;
        if (token !== undefined) valueAt(token, scope);
      }
    checkNumbers(filter, result, path, scope);
    scope.spend(workOf(result));
    result = toValueSync(filter.render(result, scope));
  }
  return result;
}

function fillOutput({ source, token, filters }: ReceiptOutput, scope: ReceiptScope): FilledField {
  const place = placeNow(token, scope);
  const value = inputOf(evaluate(token, scope));
  const defaultAt = filters.findIndex(({ name }) => name === "default");
  // What comes before a default would only make something of nothing, such as a number that is none.
  const used = isNothing(value) ? filters.slice(defaultAt < 0 ? filters.length : defaultAt) : filters;
  const result = filtered(used, value, place.path, scope);
  const text = typeof result === "number" && !Number.isFinite(result) ? null : valueText(result);
  if (text === null) throw new MissingValue(place.path);
  return { source, from: "user", trait: "", fallback: text.replaceAll(NUL, ""), filters: null, ...place };
}

const add = (filling: Filling, text: string): void => {
  filling.written += text.length;
  if (filling.written > MAX_STATIC)
    throw new TooMuch(`must come to at most ${MAX_STATIC} characters, without its values`);
  const last = filling.parts.length - 1;
  const before = filling.parts[last];
  if (typeof before === "string") filling.parts[last] = before + text;
  else filling.parts.push(text);
};

function addField(filling: Filling, field: FilledField): void {
  filling.shown += field.fallback.length;
  if (++filling.fields > MAX_FIELDS) throw new TooMuch(`must show at most ${MAX_FIELDS} values`);
  if (filling.shown > MAX_VALUES)
    throw new TooMuch(`must show values of at most ${MAX_VALUES} characters together`);
  filling.parts.push(field);
}

/** A number of entries. @throws MissingValue for what is none */
function countAt(token: Token | null, scope: ReceiptScope): number | null {
  if (token === null) return null;
  const count = Number(valueAt(token, scope));
  if (Number.isInteger(count) && count >= 0) return count;
  throw new MissingValue(
    TypeGuards.isPropertyAccessToken(token) ? placeNow(token, scope).path : token.getText(),
  );
}

/** The entries of a loop with their indexes in its list. @throws MissingValue where there is no list */
function entriesOf(loop: ReceiptLoop, path: string, scope: ReceiptScope): (readonly [number, unknown])[] {
  const list = valueAt(loop.list, scope);
  if (!Array.isArray(list)) throw new MissingValue(path);
  scope.spend(list.length / 100);
  const offset = countAt(loop.offset, scope) ?? 0;
  const limit = countAt(loop.limit, scope) ?? list.length;
  const chosen = list.slice(offset, offset + limit).map((entry, index) => [offset + index, entry] as const);
  return loop.isReversed ? chosen.toReversed() : chosen;
}

const roundOf = (round: number, length: number) => ({
  index: round + 1,
  index0: round,
  rindex: length - round,
  rindex0: length - round - 1,
  first: round === 0,
  last: round === length - 1,
  length,
});

type Choice = Extract<ReceiptNode, { kind: "choice" }>;
type Leaving = "break" | "continue" | null;

function fillLoop(filling: Filling, loop: ReceiptLoop): Leaving {
  const { scope } = filling;
  const { path, origin } = placeNow(loop.list, scope);
  const entries = entriesOf(loop, path, scope);
  if (entries.length === 0) return fillNodes(filling, loop.otherwise);
  const before = scope.places.get(loop.variable);
  try {
    for (const [round, [index, entry]] of entries.entries()) {
      if (++filling.rounds > MAX_ROUNDS) throw new TooMuch(`must have at most ${MAX_ROUNDS} rounds of loops`);
      scope.places.set(loop.variable, { path: `${path}[${index}]`, origin });
      scope.push({ [loop.variable]: entry, forloop: roundOf(round, entries.length) });
      const leaving = fillNodes(filling, loop.nodes);
      scope.pop();
      if (leaving === "break") break;
    }
  } finally {
    if (before === undefined) scope.places.delete(loop.variable);
    else scope.places.set(loop.variable, before);
  }
  return null;
}

const chosen = (choice: Choice, scope: ReceiptScope): readonly ReceiptNode[] =>
  choice.branches.find(({ test }) => test(scope))?.nodes ?? choice.otherwise;

function leave(filling: Filling, node: Exclude<ReceiptNode, { kind: "text" | "output" }>): Leaving {
  if (node.kind === "loop") return fillLoop(filling, node.loop);
  return node.kind === "choice" ? fillNodes(filling, chosen(node, filling.scope)) : node.kind;
}

function fillNodes(filling: Filling, nodes: readonly ReceiptNode[]): Leaving {
  const { scope } = filling;
  for (const node of nodes) {
    scope.spend(1);
    if (node.kind === "text") add(filling, node.text);
    else if (node.kind === "output") addField(filling, fillOutput(node.output, scope));
    else {
      const leaving = leave(filling, node);
      if (leaving !== null) return leaving;
    }
  }
  return null;
}

/** Fills a text in. @throws MissingValue @throws TooMuch, and RangeError where values nest too deep to be compared */
export function fillNodesOf(
  nodes: readonly ReceiptNode[],
  scope: ReceiptScope,
): Template & { parts: readonly (string | FilledField)[] } {
  const filling: Filling = { scope, parts: [], rounds: 0, fields: 0, written: 0, shown: 0 };
  fillNodes(filling, nodes);
  return { parts: filling.parts };
}

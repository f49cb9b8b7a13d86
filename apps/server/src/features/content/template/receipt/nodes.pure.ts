import {
  BreakTag,
  CaseTag,
  CommentTag,
  ContinueTag,
  evalToken,
  type Filter,
  ForTag,
  IfTag,
  isTruthy,
  Output,
  type Template as ParsedNode,
  type PropertyAccessToken,
  type Token,
  TypeGuards,
  toValueSync,
  UnlessTag,
  type Value,
} from "liquidjs";
import { LITERALS, quotedPart, TemplateFault } from "../filters.pure.ts";
import { areEqual, pathStep, type ReceiptScope, rootOf, type ValuePlace } from "./scope.pure.ts";

/** An output: the value at a path, and filters. `source` is the text between the braces; `place` has `[]` for the entries of lists. */
export type ReceiptOutput = {
  source: string;
  place: ValuePlace;
  token: PropertyAccessToken;
  filters: readonly Filter[];
};

/** A loop over a list; `limit` and `offset` are null where the tag does not say them. */
export type ReceiptLoop = {
  variable: string;
  list: PropertyAccessToken;
  limit: Token | null;
  offset: Token | null;
  isReversed: boolean;
  nodes: readonly ReceiptNode[];
  otherwise: readonly ReceiptNode[];
};

type Branch = { test: (scope: ReceiptScope) => boolean; nodes: readonly ReceiptNode[] };

export type ReceiptNode =
  | { kind: "text"; text: string }
  | { kind: "output"; output: ReceiptOutput }
  | { kind: "choice"; branches: readonly Branch[]; otherwise: readonly ReceiptNode[] }
  | { kind: "loop"; loop: ReceiptLoop }
  | { kind: "break" | "continue" };

/** What the names in a text mean at one place of it; `paths` gathers what is named of the data. */
type Names = { variables: ReadonlyMap<string, ValuePlace>; paths: Set<string> };

const LOOP_STEPS = [".index", ".index0", ".rindex", ".rindex0", ".first", ".last", ".length"];
const ROOTS: ReadonlyMap<string, ValuePlace> = new Map([
  ["data", { path: "data", origin: "data" }],
  ["user", { path: "user", origin: "user" }],
]);
/** A step that is looked up by another path: `data.prices[data.plan]`. */
const LOOKED_UP = "[]";
/** Brackets in brackets of a path: `data[data[data.a]]` has three. */
const MAX_BRACKETS = 4;

const shown = (token: Token): string => quotedPart(token.getText());

/** The steps of a path behind its root, with `[]` for one that is looked up. */
function stepsOf(token: PropertyAccessToken, names: Names, depth: number): string[] {
  return token.props.slice(1).map((step) => {
    if (TypeGuards.isPropertyAccessToken(step)) {
      placeOf(step, names, depth + 1);
      return LOOKED_UP;
    }
    if (TypeGuards.isWordToken(step) && step.getText() === "")
      throw new TemplateFault(`must write something into the brackets of ${shown(token)}`);
    return pathStep("content" in step ? step.content : step.getText());
  });
}

/** Where a path leads, with `[]` for each entry of a list. @throws TemplateFault for a path that a text must not name */
function placeOf(token: PropertyAccessToken, names: Names, depth = 0): ValuePlace {
  if (depth >= MAX_BRACKETS)
    throw new TemplateFault(`must nest at most ${MAX_BRACKETS} brackets in a path: ${shown(token)}`);
  const root = rootOf(token);
  const steps = stepsOf(token, names, depth);
  const [first] = steps;
  if (root === "forloop" && names.variables.size > 0) {
    if (steps.length !== 1 || !LOOP_STEPS.includes(first ?? ""))
      throw new TemplateFault(
        `must not name ${shown(token)}: a loop has ${LOOP_STEPS.map((step) => `forloop${step}`).join(", ")}`,
      );
    return { path: `forloop${first}`, origin: "data" };
  }
  const base = ROOTS.get(root ?? "") ?? names.variables.get(root ?? "");
  if (base === undefined)
    throw new TemplateFault(
      `must not name ${shown(token)}: there are data, user and the variables of loops, as in {{ data.order.total }}`,
    );
  if (root === "user" && (steps.length !== 1 || first === LOOKED_UP))
    throw new TemplateFault(
      `must not use ${shown(token)}: a text names one trait of the user, and nothing inside it, as in {{ user.plan }}`,
    );
  if (root === "data" && steps.length === 0)
    throw new TemplateFault("must name something in data, as in {{ data.order.total }}");
  const path = base.path + steps.join("");
  if (base.origin === "data") names.paths.add(path);
  return { path, origin: base.origin };
}

/** A text or number, or a path that the text may name. */
function checkValue(token: Token, names: Names): void {
  if (LITERALS.has(token.kind)) return;
  if (!TypeGuards.isPropertyAccessToken(token))
    throw new TemplateFault(`must not use ${shown(token)}: there are paths, texts and numbers`);
  placeOf(token, names);
}

function checkCondition({ initial, filters }: Value, names: Names): void {
  if (filters.length > 0) throw new TemplateFault("must not use filters in a condition");
  for (const token of initial.postfix) if (!TypeGuards.isOperatorToken(token)) checkValue(token, names);
}

const evaluate = (value: Value, scope: ReceiptScope): unknown => toValueSync(value.value(scope, true));

const conditionOf =
  (value: Value, expected: boolean) =>
  (scope: ReceiptScope): boolean =>
    isTruthy(evaluate(value, scope), scope) === expected;

function readOutput({ value, token }: Output, names: Names): ReceiptNode {
  const source = quotedContent(token);
  const [path, ...others] = value.initial.postfix;
  if (path === undefined || others.length > 0 || !TypeGuards.isPropertyAccessToken(path))
    throw new TemplateFault(
      `must not use {{ ${quotedPart(source)} }}: an output shows one path, and filters, as in {{ data.order.total }}`,
    );
  const place = placeOf(path, names);
  for (const { args } of value.filters)
    for (const argument of args) {
      const written = Array.isArray(argument) ? argument[1] : argument;
      if (written !== undefined) checkValue(written, names);
    }
  return { kind: "output", output: { source, place, token: path, filters: value.filters } };
}

const quotedContent = (token: Token): string => ("content" in token ? String(token.content).trim() : "");

function readLoop(tag: ForTag, names: Names): ReceiptNode {
  const { variable, collection, hash } = tag;
  if (ROOTS.has(variable) || variable === "forloop")
    throw new TemplateFault(`must not call the variable of a loop ${variable}`);
  if (!TypeGuards.isPropertyAccessToken(collection))
    throw new TemplateFault(`must loop over a list, as in {% for item in data.items %}: ${shown(tag.token)}`);
  const { path, origin } = placeOf(collection, names);
  for (const [name, value] of Object.entries(hash.hash)) {
    const isKnown = name === "reversed" ? value === undefined : ["limit", "offset"].includes(name);
    if (!isKnown || (name !== "reversed" && value === undefined))
      throw new TemplateFault(`must give a loop limit: 5, offset: 5 or reversed alone: ${shown(tag.token)}`);
    if (value !== undefined) checkValue(value, names);
  }
  const inside = new Map([...names.variables, [variable, { path: `${path}[]`, origin }] as const]);
  return {
    kind: "loop",
    loop: {
      variable,
      list: collection,
      limit: hash.hash.limit ?? null,
      offset: hash.hash.offset ?? null,
      isReversed: Object.hasOwn(hash.hash, "reversed"),
      nodes: readNodes(tag.templates, { ...names, variables: inside }),
      otherwise: readNodes(tag.elseTemplates, names),
    },
  };
}

function readCase(tag: CaseTag, names: Names): ReceiptNode {
  checkCondition(tag.value, names);
  const branches = tag.branches.map(({ values, templates }): Branch => {
    for (const value of values) checkValue(value, names);
    return {
      test: (scope) => {
        const target = evaluate(tag.value, scope);
        return values.some((value) => areEqual(target, toValueSync(evalToken(value, scope)), scope));
      },
      nodes: readNodes(templates, names),
    };
  });
  return { kind: "choice", branches, otherwise: readNodes(tag.elseTemplates, names) };
}

function readChoice(tag: IfTag | UnlessTag, names: Names): ReceiptNode {
  const branches = tag.branches.map(({ value, templates }, index): Branch => {
    checkCondition(value, names);
    const expected = !(tag instanceof UnlessTag && index === 0);
    return { test: conditionOf(value, expected), nodes: readNodes(templates, names) };
  });
  return { kind: "choice", branches, otherwise: readNodes(tag.elseTemplates ?? [], names) };
}

function readNode(parsed: ParsedNode, names: Names): ReceiptNode {
  if (parsed instanceof Output) return readOutput(parsed, names);
  if (parsed instanceof ForTag) return readLoop(parsed, names);
  if (parsed instanceof CaseTag) return readCase(parsed, names);
  if (parsed instanceof IfTag || parsed instanceof UnlessTag) return readChoice(parsed, names);
  if (parsed instanceof BreakTag || parsed instanceof ContinueTag) {
    const kind = parsed instanceof BreakTag ? "break" : "continue";
    if (names.variables.size === 0) throw new TemplateFault(`must use {% ${kind} %} within a loop`);
    return { kind };
  }
  if (parsed instanceof CommentTag) return { kind: "text", text: "" };
  if (TypeGuards.isHTMLToken(parsed.token)) return { kind: "text", text: parsed.token.getContent() };
  throw new TemplateFault(`must not use ${shown(parsed.token)}`);
}

function readNodes(parsed: readonly ParsedNode[], names: Names): ReceiptNode[] {
  return parsed
    .map((each) => readNode(each, names))
    .filter((node) => node.kind !== "text" || node.text !== "");
}

/**
 * Reads what LiquidJS has parsed, whose tags were checked before; `paths` are what it names of the data, such as `data.items[].price`.
 * @throws TemplateFault for what a text of a receipt must not say
 */
export function readReceiptNodes(parsed: readonly ParsedNode[]): { nodes: ReceiptNode[]; paths: string[] } {
  const names: Names = { variables: new Map(), paths: new Set() };
  const nodes = readNodes(parsed, names);
  return { nodes, paths: [...names.paths] };
}

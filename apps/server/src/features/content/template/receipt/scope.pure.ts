import { Context, defaultOperators, type Liquid, type Operators, TypeGuards, toValueSync } from "liquidjs";
import { createLiquid, READER_ZONE } from "../filters.pure.ts";
import { type TemplateUser, zoneOf } from "../template.pure.ts";

/** Whose values an output shows: those of the request, or traits of the user, which pages may have set. */
export type ValueOrigin = "data" | "user";

/** Where a value is found, as an author writes it: `data.items[1].price`. */
export type ValuePlace = { path: string; origin: ValueOrigin };

/** More than this, in the units that `ReceiptScope.spend` counts, and filling ends: some tenths of a second at most. */
const MAX_WORK = 100_000;
/** Characters that all filters of a text may make on the way. */
const MEMORY_LIMIT = 4_000_000;
/** What comparing two lists may cost, which are compared entry by entry. */
const LISTS_WORK = 5_000;

/** Something without a value for which the text has no default. */
export class MissingValue extends Error {
  readonly path: string;

  constructor(path: string) {
    super(`no value at ${path}`);
    this.path = path;
  }
}

/** Why a text comes to too much with these values: the end of a sentence about it. */
export class TooMuch extends Error {}

export const TOO_MUCH_WORK = "must take less work to fill in: it has too much to loop over";

type Nested = { readonly [key: string]: unknown };

/** Own properties alone; `size`, `first` and `last` of lists. LiquidJS would answer the number of properties for `size` of an object without one. */
function readOwn(value: unknown, key: unknown): unknown {
  if (typeof value === "string") return key === "size" ? value.length : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) {
    if (key === "size") return value.length;
    if (key === "first") return value.at(0);
    if (key === "last") return value.at(-1);
    return typeof key === "number" || /^\d{1,6}$/.test(String(key)) ? value.at(Number(key)) : undefined;
  }
  const name = String(key);
  return Object.hasOwn(value, name) ? (value as Nested)[name] : undefined;
}

/** What texts read while they are filled in, with the path of each loop variable, and how much work that was. */
export class ReceiptScope extends Context {
  readonly places: Map<string, ValuePlace> = new Map();
  #work = 0;

  constructor({ data, user }: { data: Readonly<Record<string, unknown>>; user: TemplateUser }) {
    const environment = { data, user: { ...user.traits, id: user.id }, [READER_ZONE]: zoneOf(user) };
    super(environment, receiptLiquid.options, { sync: true, memoryLimit: MEMORY_LIMIT });
  }

  /** Counts work, so that no text and no values keep the process busy. @throws TooMuch */
  spend(units: number): void {
    this.#work += units;
    if (this.isSpent) throw new TooMuch(TOO_MUCH_WORK);
  }

  /** Whether that was too much. LiquidJS puts errors of its own in place of ours. */
  get isSpent(): boolean {
    return this.#work > MAX_WORK;
  }

  override readProperty(value: unknown, key: unknown): unknown {
    this.spend(typeof value === "string" ? 1 + value.length / 100 : 1);
    const found = readOwn(value, key);
    this.spend(typeof found === "string" ? found.length / 100 : 0);
    return found;
  }
}

const spendIn = (scope: unknown, units: number): void => {
  if (scope instanceof ReceiptScope) scope.spend(units);
};

/** An operator that counts what comparing takes. */
function counted(name: string, unitsOf: (left: unknown, right: unknown) => number): Operators[string] {
  const operator = defaultOperators[name];
  return (left: unknown, right: unknown, scope: Context) => {
    spendIn(scope, unitsOf(left, right));
    return operator?.(left as never, right as never, scope as never) ?? false;
  };
}

const comparing = (left: unknown, right: unknown): number =>
  Array.isArray(left) && Array.isArray(right) ? LISTS_WORK : 1;

/** Looking for a text in another one may read that once for each of its characters. */
const searching = (left: unknown, right: unknown): number => {
  if (Array.isArray(left)) return Array.isArray(right) ? LISTS_WORK : 1 + left.length / 2;
  return typeof left === "string" && typeof right === "string"
    ? 1 + (left.length * right.length) / 10_000
    : 1;
};

/** LiquidJS for texts of receipts. */
export const receiptLiquid: Liquid = createLiquid({
  operators: {
    ...defaultOperators,
    "==": counted("==", comparing),
    "!=": counted("!=", comparing),
    contains: counted("contains", searching),
  },
});

/** Whether two values are the same, as `==` has it. */
export function areEqual(left: unknown, right: unknown, scope: ReceiptScope): boolean {
  spendIn(scope, comparing(left, right));
  return toValueSync(defaultOperators["=="]?.(left as never, right as never, scope as never)) === true;
}

const PLAIN_NAME = /^[\p{L}_][\p{L}\p{N}_?-]*$/u;

/** One step of a path, as an author writes it. */
export function pathStep(key: unknown): string {
  if (typeof key === "number" || typeof key === "boolean") return `[${key}]`;
  const name = String(key);
  return PLAIN_NAME.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

/** The name that a path begins with; null for one that begins with a text or number. */
export function rootOf(token: { variable?: unknown; props: readonly unknown[] }): string | null {
  const [first] = token.props;
  return token.variable === undefined && TypeGuards.isWordToken(first) ? first.getText() : null;
}

import { sql } from "kysely";
import ts from "typescript";
import { snakeCase } from "../../src/platform/text/snake-case.ts";
import type { Recorder } from "./recorder.ts";

/** A place in the arguments where their types leave a choice: of a union, or of a property that may be missing. */
type Choice = { place: string; options: number };

/** Which option is taken at which place; the first one at all others. */
type Chosen = ReadonlyMap<string, number>;

/** How deep objects within objects are made: types may contain themselves. */
const DEEPEST = 7;
/** So many variants of the arguments of one function are tried. */
const MOST_VARIANTS = 200;

const NUMBER = 1;

/** Texts that functions read themselves, by the names of places. Anything else is a parameter, or a name in the statement. */
const TEXTS: readonly (readonly [RegExp, string])[] = [
  [/id$|key$/i, "00000000-0000-4000-8000-000000000001"],
  [/day$|date$/i, "2026-01-01"],
  [/^typed$|address$|email$/i, "somebody@example.com"],
  [/^query$/, "select"],
  [/^input$|^output$/, "{}"],
];

/** Values that functions compare with, by function and place: one more option each. */
const FURTHER: ReadonlyMap<string, string | number> = new Map<string, string | number>([
  ["insertRows table.name", "push_slots"],
  ["changePolicy from", 0],
]);

/** Words of SQL, which are no names. */
const RESERVED = /^(?:where|only|order_by|from|to|table|column|user|group|default|end)$/;

/** The text at a place: the name of the place, so that a name which is no parameter can be read in the statement. */
function textAt(place: string): string {
  const name =
    place
      .replaceAll(/\[\d*\]|\(\)/g, "")
      .split(".")
      .at(-1) ?? "";
  const known = TEXTS.find(([pattern]) => pattern.test(name));
  if (known !== undefined) return known[1];
  const text = snakeCase(name);
  return RESERVED.test(text) ? `its_${text}` : text;
}

const { TypeFlags } = ts;
const has = (type: ts.Type, flags: ts.TypeFlags): boolean => (type.flags & flags) !== 0;
const isNothing = (type: ts.Type): boolean =>
  has(type, TypeFlags.Undefined | TypeFlags.Null | TypeFlags.Void);

/** Makes the arguments of functions from the types of their parameters. */
export class Arguments {
  readonly #checker: ts.TypeChecker;
  readonly #recorder: Recorder;
  #chosen: Chosen = new Map();
  #choices: Choice[] = [];
  #name = "";

  constructor(checker: ts.TypeChecker, recorder: Recorder) {
    this.#checker = checker;
    this.#recorder = recorder;
  }

  /**
   * Arguments for calls, one list for each: first those with the first option everywhere, then those with the last one everywhere (nothing
   * of what may be missing), then one for each further option of each choice. Not all combinations: a condition in a function looks at
   * one of its arguments.
   * @param name the function, of which `FURTHER` may know more
   */
  *variantsOf(name: string, calls: readonly ts.Signature[]): Generator<unknown[][]> {
    this.#choices = [];
    this.#name = name;
    yield this.#lists(calls, new Map());
    const others = this.#choices.flatMap(({ place, options }) =>
      Array.from({ length: options - 1 }, (_, n): Chosen => new Map([[place, n + 1]])),
    );
    const last: Chosen = new Map(this.#choices.map(({ place, options }) => [place, options - 1]));
    if (others.length > 1) yield this.#lists(calls, last);
    for (const chosen of others.slice(0, MOST_VARIANTS)) yield this.#lists(calls, chosen);
  }

  #lists(calls: readonly ts.Signature[], chosen: Chosen): unknown[][] {
    this.#chosen = chosen;
    return calls.map(({ parameters }) =>
      parameters.map((each) => this.#value(this.#checker.getTypeOfSymbol(each), each.name, 0)),
    );
  }

  #choose<Option>(place: string, options: readonly Option[]): Option | undefined {
    if (options.length > 1) this.#choices.push({ place, options: options.length });
    return options[this.#chosen.get(place) ?? 0];
  }

  #value(type: ts.Type, place: string, depth: number): unknown {
    const further = FURTHER.get(`${this.#name} ${place}`);
    const option = further === undefined ? 0 : this.#choose(place, [0, 1]);
    return option === 1 ? further : this.#ofType(type, place, depth);
  }

  #ofType(type: ts.Type, place: string, depth: number): unknown {
    if (type.isUnion()) return this.#ofUnion(type, place, depth);
    if (type.isStringLiteral() || type.isNumberLiteral()) return type.value;
    if (has(type, TypeFlags.BooleanLiteral)) return this.#checker.typeToString(type) === "true";
    if (has(type, TypeFlags.Null)) return null;
    if (isNothing(type)) return undefined;
    if (has(type, TypeFlags.NumberLike)) return NUMBER;
    if (has(type, TypeFlags.BigIntLike)) return BigInt(NUMBER);
    if (has(type, TypeFlags.StringLike | TypeFlags.Unknown | TypeFlags.Any)) return textAt(place);
    if (type.isIntersection()) {
      // A string or a number with a mark in its type.
      const primitive = type.types.find((part) => has(part, TypeFlags.StringLike | TypeFlags.NumberLike));
      if (primitive !== undefined) return this.#value(primitive, place, depth);
    }
    if (type.isTypeParameter()) {
      const constraint = type.getConstraint();
      return constraint === undefined ? textAt(place) : this.#value(constraint, place, depth);
    }
    return this.#ofObject(type, place, depth);
  }

  #ofUnion(union: ts.UnionType, place: string, depth: number): unknown {
    // TypeScript has false before true; most of what a store does, it does where something is so.
    const isFalse = (part: ts.Type): boolean => this.#checker.typeToString(part) === "false";
    const some = union.types
      .filter((part) => !isNothing(part))
      .sort((a, b) => Number(isFalse(a)) - Number(isFalse(b)));
    const none = union.types.filter(isNothing);
    // Beyond some depth the option is taken that ends.
    const options = depth >= DEEPEST && none.length > 0 ? none : [...some, ...none];
    const option = this.#choose(place, options);
    return option === undefined ? undefined : this.#value(option, place, depth);
  }

  #ofObject(type: ts.Type, place: string, depth: number): unknown {
    const known = this.#known(type, place, depth);
    if (known !== undefined) return known.value;
    const [call] = type.getCallSignatures();
    if (call !== undefined) return () => this.#value(call.getReturnType(), `${place}()`, depth + 1);
    const made: Record<string, unknown> = {};
    const indexed = type.getStringIndexType();
    if (indexed !== undefined && depth < DEEPEST) made.key = this.#value(indexed, `${place}.key`, depth + 1);
    if (depth >= DEEPEST) return made;
    for (const property of this.#checker.getPropertiesOfType(type)) {
      const its = this.#value(
        this.#checker.getTypeOfSymbol(property),
        `${place}.${property.name}`,
        depth + 1,
      );
      if (its !== undefined) made[property.name] = its;
    }
    return made;
  }

  /** A value of a type that is more than its properties: of a library, of the language, or a database. */
  #known(type: ts.Type, place: string, depth: number): { value: unknown } | undefined {
    const parts =
      this.#checker.isTupleType(type) || this.#checker.isArrayType(type)
        ? this.#checker.getTypeArguments(type as ts.TypeReference)
        : null;
    const each = (part: ts.Type, n: number | string) => this.#value(part, `${place}[${n}]`, depth + 1);
    if (parts !== null) return { value: parts.map(each) };
    const name = type.getSymbol()?.name ?? "";
    const within = this.#checker.getTypeArguments(type as ts.TypeReference);
    switch (name) {
      case "Kysely":
      case "Transaction":
        return { value: this.#recorder.kysely };
      case "Pool":
        return { value: this.#recorder.pool };
      case "PoolClient":
      case "Client":
        return { value: this.#recorder.client };
      case "RawBuilder":
      case "Expression":
      case "SqlBool":
        return { value: sql.raw(textAt(place)) };
      case "Map":
      case "ReadonlyMap":
        return { value: new Map([within.map(each) as [unknown, unknown]]) };
      case "Set":
      case "ReadonlySet":
      case "Iterable":
        return { value: new Set(within.slice(0, 1).map(each)) };
      case "Promise":
        return { value: Promise.resolve(within[0] === undefined ? undefined : each(within[0], "")) };
      case "Date":
        return { value: new Date(NUMBER) };
      case "Buffer":
      case "Uint8Array":
        return { value: Buffer.from(textAt(place)) };
      case "AbortSignal":
        return { value: new AbortController().signal };
      default:
        return undefined;
    }
  }
}

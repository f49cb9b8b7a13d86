import { cutAfter } from "@tidings/client/text";
import { z } from "zod";
import { nearestNames } from "../../text/nearest-name.ts";

type Schema = z.core.$ZodType;
type Def = z.core.$ZodTypes["_zod"]["def"];

/** The beginning of every refusal of an unknown field, after the field's name. */
const UNKNOWN = "unknown field";
/** Refusals list the known names only where there are at most so many. */
const MAX_LISTED = 20;
/** Characters of a name that a refusal repeats. */
const MAX_NAME = 200;

/** A name as a refusal repeats it. */
export const shortName = (name: string): string => cutAfter(name, MAX_NAME);

/** The refusal of an unknown field, after its name: names the field that was likely meant, or those that there are. */
export function unknownField(name: string, known: readonly string[]): string {
  const [meant] = nearestNames(name, known);
  if (meant !== undefined) return `${UNKNOWN}, did you mean ${meant}?`;
  if (known.length === 0) return `${UNKNOWN}, none is taken here`;
  return known.length > MAX_LISTED ? UNKNOWN : `${UNKNOWN}, known here are ${known.join(", ")}`;
}

const areSame = (before: readonly Schema[], after: readonly Schema[]): boolean =>
  before.every((each, index) => each === after[index]);

/** The rule of an issue about unknown fields; only schemas of this file name the known ones. */
export const unknownFieldRule = (message: string): string =>
  message.startsWith(UNKNOWN) ? message : UNKNOWN;

/** Makes an object refuse unknown fields and name the known ones. `closes`: also one that does not declare whether it refuses them. */
function closeObject(
  schema: Schema,
  def: z.core.$ZodObjectDef,
  shape: Readonly<Record<string, Schema>>,
  closes: boolean,
): Schema {
  const isClosed = def.catchall?._zod.def.type === "never" || (closes && def.catchall === undefined);
  if (!isClosed)
    return areSame(Object.values(def.shape), Object.values(shape))
      ? schema
      : withDef(schema, { ...def, shape });
  const known = Object.keys(shape);
  // An error map of the schema itself is called for this object's issues alone.
  const own = def.error as z.core.$ZodErrorMap | undefined;
  const error: z.core.$ZodErrorMap = (issue) =>
    issue.code === "unrecognized_keys"
      ? unknownField(String((issue.keys as readonly string[])[0]), known)
      : own?.(issue);
  return withDef(schema, { ...def, shape, catchall: z.never(), error });
}

/** `made`, with the metadata of `schema`. */
function withMetaOf(schema: Schema, made: Schema): Schema {
  const meta = z.globalRegistry.get(schema);
  if (meta !== undefined) z.globalRegistry.add(made, meta);
  return made;
}

/** A schema with another definition and the same metadata. */
const withDef = (schema: Schema, def: object): Schema =>
  // The definition is of the schema's own kind: it was made from that of the same schema.
  withMetaOf(schema, z.core.clone(schema, def as Schema["_zod"]["def"]));

function rebuild(schema: Schema, close: (inner: Schema) => Schema, closes: boolean): Schema {
  // One that only says what another one means here stays a mention of it: the document refers to that one by its id.
  const { parent } = schema._zod;
  if (parent?._zod.def === schema._zod.def) {
    const closedParent = close(parent);
    return closedParent === parent ? schema : withMetaOf(schema, z.core.clone(closedParent));
  }
  // Every schema that zod makes has one of these definitions.
  const def = (schema as z.core.$ZodTypes)._zod.def as Def;
  switch (def.type) {
    case "object": {
      const shape = Object.fromEntries(Object.entries(def.shape).map(([name, each]) => [name, close(each)]));
      return closeObject(schema, def, shape, closes);
    }
    case "array": {
      const element = close(def.element);
      return element === def.element ? schema : withDef(schema, { ...def, element });
    }
    case "record": {
      const valueType = close(def.valueType);
      return valueType === def.valueType ? schema : withDef(schema, { ...def, valueType });
    }
    case "union": {
      const options = def.options.map(close);
      return areSame(def.options, options) ? schema : withDef(schema, { ...def, options });
    }
    case "pipe": {
      const parts = { in: close(def.in), out: close(def.out) };
      return areSame([def.in, def.out], [parts.in, parts.out])
        ? schema
        : withDef(schema, { ...def, ...parts });
    }
    case "lazy":
      return withDef(schema, { ...def, getter: () => close(def.getter()) });
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "nonoptional":
    case "readonly":
    case "catch": {
      const innerType = close(def.innerType);
      return innerType === def.innerType ? schema : withDef(schema, { ...def, innerType });
    }
    case "intersection":
    case "tuple":
    case "map":
    case "set":
    case "promise":
      throw new Error(`A request cannot be made of a ${def.type}: its unknown fields would not be refused.`);
    default:
      return schema;
  }
}

/** Schemas that were made already, so that each is made once, and schemas that contain themselves come to an end. */
const made = { all: new WeakMap<Schema, Schema>(), strict: new WeakMap<Schema, Schema>() };

function closeWith(schema: Schema, which: keyof typeof made): Schema {
  const known = made[which].get(schema);
  if (known !== undefined) return known;
  const closed = rebuild(schema, (inner) => closeWith(inner, which), which === "all");
  made[which].set(schema, closed);
  return closed;
}

/**
 * A schema that refuses every field that its objects, however deep, do not name, and says which one was likely meant. Records and
 * `jsonObject`, whose fields the sender chooses, stay open, and so do objects that are declared open (`z.looseObject`).
 */
export const closed = <Given extends z.ZodType>(schema: Given): Given => closeWith(schema, "all") as Given;

/** A schema that refuses the same as before, whose strict objects say which field was likely meant. */
export const withFieldNames = <Given extends z.ZodType>(schema: Given): Given =>
  closeWith(schema, "strict") as Given;

import { counted } from "@tidings/client/text";
import { z } from "zod";
import { keepsNumber } from "../../text/exact-json.ts";
import { closed } from "./closed.ts";
import { MAX_EPOCH_MS, MIN_EPOCH_MS, readInstant, readQueryInstant } from "./instants.ts";

const documented = new WeakMap<object, readonly z.ZodType[]>();
const sent = new WeakSet<object>();

/** One of several shapes. Only the operation can tell which one, and parses it with `parseField`. */
export function anyOf(...shapes: readonly z.ZodType[]): z.ZodUnknown {
  const schema = z.unknown();
  documented.set(schema, shapes);
  return schema;
}

/** A stored object of one of several shapes, which was checked when it was stored. */
export function storedAs(...shapes: readonly z.ZodType[]): z.ZodRecord<z.ZodString, z.ZodUnknown> {
  const schema = z.record(z.string(), z.unknown());
  documented.set(schema, shapes);
  return schema;
}

/** A schema that takes more than its shape, so that the operation can say itself what is wrong; the document shows the shape. */
export function shownAs<Schema extends z.ZodType>(schema: Schema, shape: z.ZodType): Schema {
  documented.set(schema, [shape]);
  return schema;
}

/**
 * A schema whose value stays exactly as it was sent, and is refused like any other. Parsing fills in what is left out and drops what it does not know, so that the hash of the
 * value would be another one.
 */
export function asSent<Shape extends z.ZodType>(shape: Shape): z.ZodCustom<z.input<Shape>> {
  const strict = closed(shape);
  const schema = z.custom<z.input<Shape>>().check((ctx) => {
    const { error } = strict.safeParse(ctx.value, { reportInput: true });
    for (const issue of error?.issues ?? []) ctx.issues.push(issue as z.core.$ZodRawIssue);
  });
  sent.add(shape);
  return shownAs(schema, shape);
}

/** Whether a shape is that of a value which an answer has as a request sent it. */
export const isSent = (shape: z.ZodType): boolean => sent.has(shape);

/** The shapes of a schema that `anyOf`, `storedAs` or `shownAs` made, also where it was described since, for the document. */
export function shapesOf(schema: z.core.$ZodType): readonly z.ZodType[] | undefined {
  const { parent } = schema._zod;
  return documented.get(schema) ?? (parent && shapesOf(parent));
}

/** A schema that contains itself, with what it means here. `describe` would make another one of it, which the document writes out beside it. */
export const mention = <Schema extends z.ZodType>(schema: Schema, description: string) =>
  z.nonoptional(schema).describe(description);

/** Compact JSON, ready for a `jsonb` column: serialized once, when its size is checked. */
export type JsonText = string;

const codePoints = (text: string): number => {
  let count = 0;
  for (const _ of text) count++;
  return count;
};

const tooLong = (text: string, max: number): boolean =>
  text.length > max && (text.length > max * 2 || codePoints(text) > max);

/** Text of `min` to `max` characters (Unicode code points, as JSON Schema counts them). */
export function text(max: number, min = 1): z.ZodString {
  return z
    .string()
    .check((ctx) => {
      if (ctx.value.length < min) {
        ctx.issues.push({
          code: "custom",
          message: min === 1 ? "must not be empty" : `must be at least ${counted(min, "character")}`,
          input: ctx.value,
        });
      } else if (tooLong(ctx.value, max)) {
        ctx.issues.push({
          code: "custom",
          message: `must be at most ${counted(max, "character")}`,
          input: ctx.value,
        });
      }
    })
    .meta({ minLength: min, maxLength: max });
}

/** Why a person decides something, for people who read it later: not blank, on one line. */
export const reasonText = (max: number) =>
  text(max)
    .refine(
      (typed) => typed.trim() !== "" && !/\p{Cc}/u.test(typed),
      "must not be blank, nor contain control characters",
    )
    .describe("Why, for people who read it later.");

/** An id in a path: any text up to 128 characters; the operation finds what it names, or not. */
export const pathId = text(128);

/** Proves that a visitor is the user that they name. Any text, because projects that demand no proof ignore it. */
export const userHash = text(256, 0).describe(
  "HMAC-SHA-256 of the user id under the project's identity secret, in hex, or `v1.<expires>.<hex>` with an end (epoch milliseconds), where the project requires it.",
);

/**
 * The secret of an app installation: at least 256 random bits that the device has made and keeps (32 bytes are 43 characters of
 * base64url, RFC 4648, section 5).
 */
export const installationCapability = text(128, 43)
  .refine((value) => /^[A-Za-z0-9_-]*$/.test(value), "must be made of A-Z, a-z, 0-9, - and _")
  .meta({ pattern: "^[A-Za-z0-9_-]{43,128}$" });

/** The longest address of something, in characters. */
export const MAX_URL = 2_048;

/** A text as an address, or null. */
export const parsedUrl = (value: string): URL | null => (URL.canParse(value) ? new URL(value) : null);

/** An https:// address, so that its answer cannot be altered on the way. */
export const httpsUrl = text(MAX_URL)
  .refine(
    (url) => /^https:/i.test(url) && parsedUrl(url)?.protocol === "https:",
    "must be an https:// address",
  )
  .meta({ pattern: "^[Hh][Tt][Tt][Pp][Ss]:" });

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A value that passes the check, of at most `maxBytes` UTF-8 bytes as compact JSON; parsed to what `yields` returns for the two. */
function sizedJson<Value, Yield>(
  isRight: (value: unknown) => value is Value,
  rule: string,
  maxBytes: number,
  yields: (json: JsonText, value: Value) => Yield,
) {
  return z.custom<Value>(isRight, rule).transform((value, ctx): Yield => {
    const json = JSON.stringify(value);
    if (json.length * 3 > maxBytes && Buffer.byteLength(json) > maxBytes) {
      ctx.issues.push({
        code: "custom",
        message: `must be at most ${maxBytes} bytes as JSON`,
        input: value,
      });
      return z.NEVER;
    }
    return yields(json, value);
  });
}

/** A free JSON object of at most `maxBytes` UTF-8 bytes of compact JSON, parsed to what `yields` returns for that JSON and the value. */
export const jsonObjectAs = <Yield>(
  maxBytes: number,
  yields: (json: JsonText, value: Record<string, unknown>) => Yield,
) =>
  sizedJson(isPlainObject, "must be an object", maxBytes, yields).meta({
    type: "object",
    additionalProperties: true,
    description: `At most ${maxBytes} bytes as compact JSON.`,
  });

/** A free JSON object of at most `maxBytes` UTF-8 bytes of compact JSON, as that JSON. */
export const jsonObject = (maxBytes: number) => jsonObjectAs(maxBytes, (json) => json);

type ObjectOrList = Record<string, unknown> | unknown[];

const isObjectOrList = (value: unknown): value is ObjectOrList => typeof value === "object" && value !== null;

/** An entry takes two bytes at least: itself and a comma. */
const objectOrListShape = (maxBytes: number) => [
  { type: "object", additionalProperties: true },
  { type: "array", maxItems: Math.floor((maxBytes - 1) / 2) },
];

/** A free JSON object or list, measured and yielded like `jsonObject`. */
export const jsonObjectOrList = (maxBytes: number) =>
  sizedJson(isObjectOrList, "must be an object or a list", maxBytes, (json) => json).meta({
    anyOf: objectOrListShape(maxBytes),
    description: `At most ${maxBytes} bytes as compact JSON.`,
  });

/** A value that was stored through `jsonObjectOrList`, in a response. */
export const storedObjectOrList = (maxBytes: number) =>
  z.custom<ObjectOrList>(isObjectOrList).meta({ anyOf: objectOrListShape(maxBytes) });

/** An instant in a body: epoch milliseconds, or ISO-8601 with an explicit offset. Yields epoch milliseconds. */
export const instant = z
  .unknown()
  .transform((value, ctx): number => {
    const read = readInstant(value);
    if ("ms" in read) return read.ms;
    ctx.issues.push({ code: "custom", message: read.fault, input: value });
    return z.NEVER;
  })
  .meta({
    description: "Epoch milliseconds, or ISO-8601 with an explicit offset.",
    anyOf: [
      { type: "integer", minimum: MIN_EPOCH_MS, maximum: MAX_EPOCH_MS },
      { type: "string", format: "date-time", maxLength: 40 },
    ],
  });

/** An instant in a query string: epoch milliseconds, or an ISO-8601 date (its start in UTC) or date-time with an offset. */
export const queryInstant = z
  .unknown()
  .transform((value, ctx): number => {
    const read = readQueryInstant(typeof value === "string" ? value : "");
    if ("ms" in read) return read.ms;
    ctx.issues.push({ code: "custom", message: read.fault, input: value });
    return z.NEVER;
  })
  .meta({
    description: "Epoch milliseconds, an ISO-8601 date (its start in UTC), or a date-time with an offset.",
    anyOf: [
      { type: "integer", minimum: 0, maximum: MAX_EPOCH_MS },
      { type: "string", maxLength: 40 },
    ],
  });

/** An instant in a response. */
export const epochMs = z.int().min(0).describe("Epoch milliseconds.");

/** A counter in a response. */
export const count = z.int().min(0);

/** A whole number in a query string. */
export function queryInt(min: number, max: number, fallback: number) {
  return z
    .string()
    .transform((raw, ctx): number => {
      const value = /^\d{1,9}$/.test(raw) ? Number(raw) : Number.NaN;
      if (value >= min && value <= max) return value;
      ctx.issues.push({
        code: "custom",
        message: `must be a whole number from ${min} to ${max}`,
        input: raw,
      });
      return z.NEVER;
    })
    .default(fallback)
    .meta({ type: "integer", minimum: min, maximum: max, default: fallback });
}

/** A decimal number of a query, such as `0.04`. */
export function queryNumber(min: number, max: number) {
  return z
    .string()
    .transform((raw, ctx): number => {
      const value = /^\d{1,10}(\.\d{1,9})?$/.test(raw) && keepsNumber(raw) ? Number(raw) : Number.NaN;
      if (value >= min && value <= max) return value;
      ctx.issues.push({ code: "custom", message: `must be a number from ${min} to ${max}`, input: raw });
      return z.NEVER;
    })
    .meta({ type: "number", minimum: min, maximum: max });
}

/**
 * The body of a PATCH: any subset of the fields, but not none of them.
 * @param alongside fields that go with a change, and are none by themselves
 */
export function patch<Shape extends z.ZodRawShape, Alongside extends z.ZodRawShape = Record<never, never>>(
  shape: Shape,
  alongside?: Alongside,
) {
  const names = Object.keys(shape).join(", ");
  // Without them there is nothing to spread, which the type cannot say.
  return z
    .object({ ...shape, ...(alongside as Alongside) })
    .partial()
    .check((ctx) => {
      if (Object.values(ctx.value).every((value) => value === undefined)) {
        ctx.issues.push({
          code: "custom",
          message: `must change at least one of ${names}`,
          input: ctx.value,
        });
      }
    })
    .meta({ minProperties: 1 });
}

import type { RawBuilder } from "kysely";
import { z } from "zod";
import type { SettingSet } from "../../../platform/settings/setting.ts";

/**
 * Where delivery asks a gate about each user: before it makes a delivery (`plan`), each time before a mail or a push leaves (`lease`), each
 * time a page asks for messages (`feed`). A gate without a stage is asked once for all users, by the statements that look for work.
 */
export type Stage = "plan" | "lease" | "feed";

/** SQL about the user `u` of a census: where it is true, the user stops at the gate, and is counted in this bucket. */
export type Branch = { when: RawBuilder<unknown>; bucket: string | RawBuilder<unknown> };

/** How a gate judges, and what it says of that. Its functions name in their parameter what they need. */
type Judging<Reason extends string, Shape extends z.ZodRawShape> = {
  /** What it asks, in words of the docs. */
  asks: string;
  stages: readonly Stage[];
  /** The settings that it judges by: the facts have their values as `settings`. */
  settings?: SettingSet;
  /** What a census counts a user as who stops here; without it the reason, and where the gate has none it is not counted. */
  bucket?: "delivered" | "held_out" | "capped";
  /** The delivery of a user who stops here is recorded as withheld, so that the user is compared with those who got it. */
  withholds?: true;
  passes: (facts: never) => boolean;
  /** Why a user who does not pass cannot be reached; without it the only one of `reasons`. */
  reason?: (facts: never) => Reason;
  /**
   * Until when (epoch ms) a due mail waits that does not pass; null, or no such function, where it never leaves any more. A push waits in any
   * case, and is looked at again within half a minute.
   */
  until?: (facts: never) => number | null;
  /**
   * For what a message waits here for longer than others are on their way, as it is kept with it; null where it does not. Where the words of now are
   * others, it is decided about anew. Such a message is withdrawn once it has waited for longer than its campaign has patience.
   */
  terms?: (facts: never) => string | null;
  /** What is written beside a message that waits or ends here. */
  remark?: (facts: never) => string | null;
  /** `passes` and `reason` in SQL, for censuses. Its parameter names what the statement is made from. */
  sql?: (scope: never) => readonly Branch[];
  /** Whether an explanation has the gate at all; it has without this function. */
  applies?: (found: never) => boolean;
  /** Why the gate says nothing about the user, in a sentence; null where it does. */
  skipped?: (found: never) => string | null;
  /** What was found, in a sentence. */
  note: (found: never) => string;
  /** The values of `shape`. */
  details?: (found: never) => z.output<z.ZodObject<Shape>>;
};

/** What every gate answers. */
const answer = {
  passes: z.boolean().nullable().meta({
    description:
      "Null where the gate is not asked: it says nothing about this user, or an earlier answer decides.",
    example: true,
  }),
  note: z
    .string()
    .max(1_000)
    .meta({ description: "What was found, in a sentence.", example: "The campaign is running." }),
};

/** The field with the reason, which gates without reasons do not have. */
export const reasonShape = <Reason extends string>(reasons: readonly Reason[]) =>
  reasons.length === 0
    ? {}
    : {
        reason: z
          .enum(reasons)
          .nullable()
          .describe("Why the user cannot be reached; null where the gate passes or is not asked."),
      };

type ReasonShape<Reason extends string> = [Reason] extends [never]
  ? Record<never, never>
  : { reason: z.ZodNullable<z.ZodEnum<{ [Key in Reason]: Key }>> };

type GateShape<Name extends string, Reason extends string, Shape> = {
  gate: z.ZodLiteral<Name>;
} & typeof answer &
  ReasonShape<Reason> &
  Shape;

/**
 * One condition between a campaign and a user: what it asks and where, how it judges in JavaScript and in SQL, and what an explanation says
 * of it. A channel is a list of gates in the order of delivery.
 * @param definition `reasons`: why a user who stops here cannot be reached, each with its meaning in words of the docs; `shape`: what the
 * gate was decided by, as the API answers it
 */
export function gate<
  const Name extends string,
  const Definition extends Judging<Reason, Shape>,
  const Reason extends string = never,
  Shape extends z.ZodRawShape = Record<never, never>,
>(definition: { gate: Name; reasons?: Readonly<Record<Reason, string>>; shape?: Shape } & Definition) {
  const meanings = (definition.reasons ?? {}) as Readonly<Record<Reason, string>>;
  const reasons = Object.keys(meanings) as Reason[];
  const shape = {
    gate: z.literal(definition.gate).describe("Which condition it is."),
    ...answer,
    ...reasonShape(reasons),
    ...definition.shape,
  };
  // The compiler does not follow a shape that has a field or not.
  const schema = z.strictObject(shape) as unknown as z.ZodObject<
    GateShape<Name, Reason, Shape>,
    z.core.$strict
  >;
  return { ...definition, reasons, meanings, schema };
}

/** Any gate. */
export type AnyGate = Judging<string, z.ZodRawShape> & {
  gate: string;
  reasons: readonly string[];
  meanings: Readonly<Record<string, string>>;
  schema: z.ZodObject;
};

import type { Decision, Mutation } from "../../policy.ts";
import type { Snapshot } from "../../snapshot.ts";
import { MAX_REASON } from "./limits.ts";
import { isObject, isPlain, type Json, plainText } from "./plain.ts";

const ACTIONS = ["nothing", "update", "pause", "end", "launch"] as const;
const FIELDS = ["action", "name", "variants", "reason"];
const VARIANT_FIELDS = ["id", "name", "message", "weight"];
const MAX_NAME = 80;
const MAX_VARIANT_NAME = 40;
const MAX_VARIANTS = 20;
const MAX_WEIGHT = 100;

/** The parameters of `decide`, as the model is given them. Part of `model@1`. */
export const DECIDE_PARAMETERS = {
  type: "object",
  additionalProperties: false,
  required: ["action", "reason"],
  properties: {
    action: { type: "string", enum: [...ACTIONS], description: "What to do." },
    name: {
      type: "string",
      minLength: 1,
      maxLength: MAX_NAME,
      description: "For update: the campaign's new name.",
    },
    variants: {
      type: "array",
      minItems: 1,
      maxItems: MAX_VARIANTS,
      description: "For update: the variants that change.",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["id"],
        properties: {
          id: { type: "string", description: "A variant of the campaign." },
          name: { type: "string", minLength: 1, maxLength: MAX_VARIANT_NAME },
          message: { type: "object", description: "The whole new message, in the form that it has now." },
          weight: { type: "integer", minimum: 0, maximum: MAX_WEIGHT },
        },
      },
    },
    reason: { type: "string", minLength: 1, maxLength: MAX_REASON, description: "Why, for people." },
  },
} as const;

/** What is wrong with a decision, to be read after "not valid: ". */
class Invalid extends Error {}

export const nothing = (reason: string): Decision => ({
  action: "nothing",
  mutation: null,
  reason: plainText([...reason].slice(0, MAX_REASON).join("")),
});

function refuseOthers(value: Json, known: readonly string[], where: string): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new Invalid(`${where}${unknown.slice(0, 40)} is no field of it`);
}

/** Models say null where they mean that a field is left out. */
const isLeftOut = (value: unknown): value is null | undefined => value === undefined || value === null;

function nameOf(value: unknown, most: number, field: string): string {
  const length = typeof value === "string" ? [...value].length : 0;
  if (typeof value !== "string" || length < 1 || length > most)
    throw new Invalid(`${field} must be a text of 1 to ${most} characters`);
  return value;
}

type VariantChange = NonNullable<Extract<Mutation, { type: "update" }>["variants"]>[number];

function variantOf(value: unknown, index: number, snapshot: Snapshot): VariantChange {
  const field = `variants[${index}]`;
  if (!isObject(value)) throw new Invalid(`${field} must be an object`);
  refuseOthers(value, VARIANT_FIELDS, `${field}.`);
  const { id, name, message, weight } = value;
  if (!snapshot.variants.some((each) => each.id === id))
    throw new Invalid(`${field}.id must be a variant of the campaign`);
  const change: Json = { id };
  if (!isLeftOut(name)) change.name = nameOf(name, MAX_VARIANT_NAME, `${field}.name`);
  if (!isLeftOut(message)) {
    if (!isObject(message)) throw new Invalid(`${field}.message must be an object`);
    change.message = message;
  }
  if (!isLeftOut(weight)) {
    const isWeight =
      typeof weight === "number" && Number.isInteger(weight) && weight >= 0 && weight <= MAX_WEIGHT;
    if (!isWeight) throw new Invalid(`${field}.weight must be a whole number from 0 to ${MAX_WEIGHT}`);
    change.weight = weight;
  }
  if (Object.keys(change).length === 1) throw new Invalid(`${field} must change something`);
  // The server knows the messages of each channel, and refuses what is none.
  return change as VariantChange;
}

function variantsOf(value: unknown, snapshot: Snapshot): VariantChange[] {
  if (!Array.isArray(value) || value.length > MAX_VARIANTS)
    throw new Invalid(`variants must be a list of at most ${MAX_VARIANTS}`);
  const variants = value.map((each, index) => variantOf(each, index, snapshot));
  if (new Set(variants.map(({ id }) => id)).size < variants.length)
    throw new Invalid("variants must not name a variant twice");
  return variants;
}

function mutationOf({ action, name, variants }: Json, snapshot: Snapshot): Mutation | null {
  const hasVariants = !isLeftOut(variants) && !(Array.isArray(variants) && variants.length === 0);
  if (action === "update") {
    if (isLeftOut(name) && !hasVariants) throw new Invalid("an update must change the name or variants");
    return {
      type: "update",
      ...(isLeftOut(name) ? {} : { name: nameOf(name, MAX_NAME, "name") }),
      ...(hasVariants ? { variants: variantsOf(variants, snapshot) } : {}),
    };
  }
  if (!isLeftOut(name) || hasVariants) throw new Invalid("only an update has a name or variants");
  if (action === "nothing") return null;
  if (action === "pause" || action === "end" || action === "launch") return { type: "status", action };
  throw new Invalid(`action must be one of ${ACTIONS.join(", ")}`);
}

/**
 * The decision of a call of `decide`. Its arguments are checked like a change at the API, and for variants that the campaign does not have;
 * what is not valid becomes `nothing`, with the field that is at fault.
 */
export function decisionOf(input: unknown, snapshot: Snapshot): Decision {
  try {
    if (!isObject(input)) throw new Invalid("its arguments are no JSON object");
    const { action, reason } = input;
    if (!isPlain(input)) throw new Invalid("it contains what cannot be stored");
    refuseOthers(input, FIELDS, "");
    if (typeof reason !== "string" || reason.trim() === "") throw new Invalid("it gives no reason");
    const mutation = mutationOf(input, snapshot);
    return { ...nothing(reason), action: String(action), mutation };
  } catch (cause) {
    if (!(cause instanceof Invalid)) throw cause;
    return nothing(`The model's decision is not valid, so nothing is done: ${cause.message}.`);
  }
}

import { z } from "zod";
import { readStored } from "../../audience/language/parse/stored.pure.ts";
import type { StoredAudience } from "../../audience/language/schema.ts";
import { type Definition, END, MAX_WAIT_MS, WAIT_UNITS } from "./schema.ts";

const EventShape = z.object({ event: z.string(), where: z.array(z.any()).optional() });
const StoredDefinition = z.object({
  entry: z.discriminatedUnion("on", [
    EventShape.extend({ on: z.literal("event") }),
    z.object({ on: z.literal("request") }),
  ]),
  audience: z.unknown(),
  again: z.object({ afterDays: z.number() }).nullable(),
  exit: z.object({ onGoal: z.boolean(), events: z.array(EventShape) }),
  steps: z.array(
    z.discriminatedUnion("kind", [
      z.object({ id: z.string(), kind: z.literal("send"), campaignId: z.string() }),
      z.object({
        id: z.string(),
        kind: z.literal("wait"),
        for: z
          .object({ amount: z.int().min(1), unit: z.enum(["minutes", "hours", "days"]) })
          .refine(({ amount, unit }) => amount * WAIT_UNITS[unit] <= MAX_WAIT_MS),
      }),
      z.object({
        id: z.string(),
        kind: z.literal("if"),
        audience: z.unknown(),
        else: z.string().default(END),
      }),
      z.object({ id: z.string(), kind: z.literal("end") }),
    ]),
  ),
});

/** A stored audience of a journey, or null where it cannot be read. */
function audienceOf(value: unknown): StoredAudience | null {
  const stored = readStored(value);
  return stored.kind === "invalid" ? null : stored;
}

/** Reads the definition of a journey as it is stored; null where it cannot be read. Takes any value and never throws. */
export function readDefinition(value: unknown): Definition | null {
  const { data } = StoredDefinition.safeParse(value);
  if (data === undefined) return null;
  const audience = data.audience === null ? null : audienceOf(data.audience);
  if (data.audience !== null && audience === null) return null;
  const steps: Definition["steps"] = [];
  for (const step of data.steps) {
    if (step.kind !== "if") {
      steps.push(step);
      continue;
    }
    const read = audienceOf(step.audience);
    if (read === null) return null;
    steps.push({ ...step, audience: read });
  }
  return { ...data, audience, steps } as Definition;
}

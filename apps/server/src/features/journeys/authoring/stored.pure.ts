import { z } from "zod";
import { zoneNamed } from "../../../platform/time/zone.ts";
import { readStored } from "../../audience/language/parse/stored.pure.ts";
import type { StoredAudience } from "../../audience/language/schema.ts";
import { WEEKDAYS } from "../../campaigns/authoring/timing.pure.ts";
import type { Definition } from "./schema.ts";
import { END, MAX_WAIT_MS, WAIT_UNITS } from "./steps.pure.ts";

const EventShape = z.object({ event: z.string(), where: z.array(z.any()).optional() });
const Span = z
  .object({ amount: z.int().min(1), unit: z.enum(["minutes", "hours", "days"]) })
  .refine(({ amount, unit }) => amount * WAIT_UNITS[unit] <= MAX_WAIT_MS);
const Weekdays = z.array(z.enum(WEEKDAYS)).min(1).optional();
const Hour = z.object({ at: z.string().regex(/^\d\d:\d\d$/), zone: z.string() });
const WaitShape = z.object({ id: z.string(), kind: z.literal("wait"), orEvent: EventShape.optional() });
/** The three ways to wait, of which a stored step has one. */
const Waiting = z.union([
  WaitShape.extend({ for: Span }),
  WaitShape.extend({ until: Hour.extend({ weekdays: Weekdays }) }),
  WaitShape.extend({
    date: Hour.extend({
      trait: z.string(),
      days: z.int().min(-365).max(365),
      yearly: z.boolean().optional(),
    }),
  }),
]);
const StoredDefinition = z.object({
  entry: z.discriminatedUnion("on", [
    EventShape.extend({ on: z.literal("event") }),
    z.object({ on: z.literal("request") }),
    z.object({ on: z.literal("audience") }),
    Hour.extend({
      on: z.literal("schedule"),
      weekdays: Weekdays,
      monthDays: z.array(z.int().min(1).max(28)).min(1).optional(),
    }).refine(({ zone }) => zoneNamed(zone) !== null),
  ]),
  audience: z.unknown(),
  again: z.object({ afterDays: z.number() }).nullable(),
  exit: z.object({ onGoal: z.boolean(), events: z.array(EventShape) }),
  steps: z.array(
    z.union([
      z.object({ id: z.string(), kind: z.literal("send"), campaignId: z.string() }),
      Waiting,
      z.object({
        id: z.string(),
        kind: z.literal("if"),
        audience: z.unknown(),
        else: z.string().default(END),
      }),
      z.object({
        id: z.string(),
        kind: z.literal("split"),
        arms: z
          .array(z.object({ name: z.string(), weight: z.number(), isControl: z.boolean(), to: z.string() }))
          .min(1),
      }),
      z.object({ id: z.string(), kind: z.literal("end") }),
    ]),
  ),
  moves: z.record(z.string(), z.string()).optional(),
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
  const steps: unknown[] = [];
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

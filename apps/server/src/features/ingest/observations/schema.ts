import { z } from "zod";
import { eventName } from "../../../domain/fields.ts";
import { text } from "../../../platform/http/contract/fields.ts";
import { EventId, EventProps } from "../../users/events/schema.ts";

/** The largest whole number that JSON carries everywhere: 2^53 - 1. */
const MAX_INTEGER = Number.MAX_SAFE_INTEGER;
const MAX_COMMANDS = 32;

const command = {
  id: text(128).describe("A name of its own, of each command of a binding."),
  sequence: z.int().min(1).max(MAX_INTEGER).describe("Counts the commands of a binding, from 1."),
};
const aboutPush = {
  ...command,
  targetId: text(128).describe("As the push says."),
  attemptId: text(128).describe("As the push says."),
};

/** What a device reports of a push, or of its user. */
export const Command = z
  .discriminatedUnion(
    "kind",
    [
      z.strictObject({ ...aboutPush, kind: z.literal("receipt").describe("It arrived.") }),
      z.strictObject({ ...aboutPush, kind: z.literal("tap").describe("It was opened.") }),
      z.strictObject({
        ...aboutPush,
        kind: z.literal("action").describe("One of its buttons was used."),
        actionId: text(64).describe("The button that was used."),
      }),
      z.strictObject({
        ...command,
        kind: z.literal("event").describe("The user did something, as with `POST /api/v1/track`."),
        event: eventName.describe("Name of the event."),
        eventId: EventId,
        props: EventProps.optional(),
      }),
    ],
    "must be one of receipt, tap, action, event",
  )
  .meta({ id: "PushCommandInput" });
export type Command = z.output<typeof Command>;

export const ObservationsBody = z.strictObject({
  bindingGeneration: z
    .int()
    .min(0)
    .max(MAX_INTEGER)
    .describe("How often the user of the installation has changed."),
  commands: z.array(Command).min(1).max(MAX_COMMANDS).describe("What happened, in order."),
});

export const ObservationsAnswer = z.strictObject({
  acknowledgedThrough: z
    .int()
    .min(0)
    .describe("Sequence of the last command of the request: it, and all before, are kept."),
});

import { z } from "zod";
import { answerIds, example } from "../../../domain/fields.ts";
import { epochMs, jsonObjectAs, text } from "../../../platform/http/contract/fields.ts";
import { shapeOf } from "../../counting/rollups/rules.ts";

const MAX_PROPS_BYTES = 4_096;

/** The properties of one event: a JSON object. Parsed to its compact JSON and its shape. */
export const EventProps = jsonObjectAs(MAX_PROPS_BYTES, (json, value) => ({ json, shape: shapeOf(value) }));

/** The sender's id of one event: an event that is sent again with it is not counted again. */
export const EventId = text(128).describe("Your id of this occurrence: sent again, it is not counted again.");

/** Something a user did, once. */
export const Event = z
  .object({
    id: z.string().max(128).meta({ description: "Id of the event.", example: example.event }),
    name: z.string().max(80).meta({ description: "What happened.", example: "upgraded" }),
    props: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: "What is known of this occurrence.", example: { amount: 49 } }),
    ts: epochMs,
    endUserId: answerIds.user,
    externalUserId: answerIds.externalUser,
  })
  .meta({ id: "Event" });
export type Event = z.infer<typeof Event>;

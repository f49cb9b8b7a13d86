import { z } from "zod";
import { epochMs, jsonObjectAs, text } from "../../../platform/http/contract/fields.ts";
import { shapeOf } from "../../counting/rollups/rules.ts";

const MAX_PROPS_BYTES = 4_096;

/** The properties of one event: a JSON object. Parsed to its compact JSON and its shape. */
export const EventProps = jsonObjectAs(MAX_PROPS_BYTES, (json, value) => ({ json, shape: shapeOf(value) }));

/** The sender's id of one event: an event that is sent again with it is not counted again. */
export const EventId = text(128);

/** Something a user did, once. */
export const Event = z
  .object({
    id: z.string().max(128),
    name: z.string().max(80),
    props: z.record(z.string(), z.unknown()).nullable(),
    ts: epochMs,
    endUserId: z.string().max(128),
    externalUserId: z.string().max(256),
  })
  .meta({ id: "Event" });
export type Event = z.infer<typeof Event>;

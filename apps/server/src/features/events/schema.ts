import { z } from "zod";
import { epochMs, jsonObject, text } from "../../platform/http/fields.ts";

const MAX_PROPS_BYTES = 4_096;

/** What is known of one occurrence: a JSON object. Yields its compact JSON. */
export const EventProps = jsonObject(MAX_PROPS_BYTES);

/** The sender's id of one occurrence: sent again, it is not counted again. */
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

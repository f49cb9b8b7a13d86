import { z } from "zod";
import { epochMs, jsonObjectAs, text } from "../../../platform/http/fields.ts";
import type { LookAlikes } from "../../../platform/http/look-alikes.ts";
import { shapeOf } from "../../counting/rollups/rules.ts";
import { adviceFor, IDENTITY_LOOK_ALIKES, PERSON_NAMES, TRAIT_NAMES } from "../profiles/schema.ts";

const MAX_PROPS_BYTES = 4_096;

/** The properties of one event: a JSON object. Parsed to its compact JSON and its shape. */
export const EventProps = jsonObjectAs(MAX_PROPS_BYTES, (json, value) => ({ json, shape: shapeOf(value) }));

/** The sender's id of one event: an event that is sent again with it is not counted again. */
export const EventId = text(128);

/** Fields that other products use for events. They are refused: ignored, the event would lose its properties or be counted twice. */
export const EVENT_LOOK_ALIKES: LookAlikes = {
  ...IDENTITY_LOOK_ALIKES,
  ...adviceFor(
    [
      "properties",
      "eventProperties",
      "prop",
      "params",
      "parameters",
      "attributes",
      "customAttributes",
      "data",
    ],
    "did you mean props?",
  ),
  ...adviceFor(
    ["messageId", "insertId", "$insert_id", "idempotencyKey", "dedupeId", "deduplicationId", "uuid", "id"],
    "did you mean eventId?",
  ),
  ...adviceFor(["eventName", "eventType"], "did you mean event?"),
  ...adviceFor(["traits", ...TRAIT_NAMES], "traits are set by POST /api/v1/identify"),
  ...adviceFor(["name", ...PERSON_NAMES], "put it into props, or into the traits of POST /api/v1/identify"),
  ...adviceFor(
    ["revenue", "$revenue", "revenueType", "value", "price", "quantity", "currency", "productId"],
    "put it into props",
  ),
};

/** Fields that other products use for an event's time. They are refused: ignored, the event would get a wrong time. */
export const timeLookAlikes = (instead: string): LookAlikes =>
  adviceFor(
    ["timestamp", "time", "$time", "eventTime", "occurredAt", "originalTimestamp", "createdAt"],
    instead,
  );

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

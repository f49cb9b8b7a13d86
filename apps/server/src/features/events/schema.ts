import { jsonObject, text } from "../../platform/http/fields.ts";

const MAX_PROPS_BYTES = 4_096;

/** What is known of one occurrence: a JSON object. Yields its compact JSON. */
export const EventProps = jsonObject(MAX_PROPS_BYTES);

/** The sender's id of one occurrence: sent again, it is not counted again. */
export const EventId = text(128);

import { jsonObject } from "../../platform/http/fields.ts";

const MAX_TRAITS_BYTES = 4_096;

/** What a customer knows of a user: a JSON object, merged key by key. Yields its compact JSON. */
export const Traits = jsonObject(MAX_TRAITS_BYTES);

import { z } from "zod";
import { httpsUrl, MAX_URL, parsedUrl, text } from "../platform/http/contract/fields.ts";

/** What programs write where they know no user: taken for an id, it would make one user of all visitors. */
const NO_ONES_ID = /^(undefined|[(<]?null[)>]?|nil|nan|none|0|true|false|anonymous|guest|\[object .*\])$/i;
/** Blanks and invisible characters at the ends of a text. */
const ENDS = /^[\s\p{Cc}\p{Cf}]+|[\s\p{Cc}\p{Cf}]+$/gu;

/** A user's id in the customer's product, where a request reads or erases: users from before may have any. */
export const storedUserId = text(256);

/** A user's id in the customer's product, where a request may make the user known or writes for them. */
export const externalUserId = storedUserId
  .check((ctx) => {
    const id = ctx.value.replaceAll(ENDS, "");
    const isBlank = id === "" && ctx.value !== "";
    if (!isBlank && !NO_ONES_ID.test(id)) return;
    const message = isBlank
      ? "must not be blank"
      : `must be the id of one user: "${id}" is what programs write where they know none`;
    ctx.issues.push({ code: "custom", message, input: ctx.value });
  })
  .meta({ minLength: 1, maxLength: 256 });

const NOT_AN_APP = new Set([
  "http:",
  "https:",
  "javascript:",
  "data:",
  "vbscript:",
  "file:",
  "blob:",
  "about:",
]);

/** A place in an app, behind a scheme of the app's own. */
export const appUrl = text(MAX_URL).refine((url) => {
  const scheme = parsedUrl(url)?.protocol;
  return scheme !== undefined && !NOT_AN_APP.has(scheme);
}, "must be an address with the app's own scheme");

/** The address that a message opens. */
export const Destination = z.union([
  z.strictObject({ kind: z.literal("website"), url: httpsUrl }),
  z.strictObject({ kind: z.literal("app"), url: appUrl }),
]);

/** A commit, by its whole SHA-1. */
export const commitSha = text(40, 40)
  .refine((value) => /^[0-9a-f]{40}$/.test(value), "must be 40 hexadecimal digits, in lower case")
  .meta({ pattern: "^[0-9a-f]{40}$" });

/** Name of something a user does; stable snake_case names are recommended. */
export const eventName = text(80);

import { z } from "zod";
import { httpsUrl, MAX_URL, parsedUrl, text } from "../platform/http/fields.ts";

/** A user's id in the customer's product. */
export const externalUserId = text(256);

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

import { z } from "zod";
import { httpsUrl, MAX_URL, parsedUrl, pathId, text } from "../platform/http/contract/fields.ts";
import { example } from "./examples.ts";

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
  .meta({ minLength: 1, maxLength: 256, description: "The user's id in your product." });

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
  z.strictObject({
    kind: z.literal("website").describe("A page of the web, or a place in the app."),
    url: httpsUrl.describe("Its address."),
  }),
  z.strictObject({
    kind: z.literal("app").describe("A page of the web, or a place in the app."),
    url: appUrl.describe("Its address."),
  }),
]);

/** A commit, by its whole SHA-1. */
export const commitSha = text(40, 40)
  .refine((value) => /^[0-9a-f]{40}$/.test(value), "must be 40 hexadecimal digits, in lower case")
  .meta({ pattern: "^[0-9a-f]{40}$" });

/** Name of something a user does; stable snake_case names are recommended. */
export const eventName = text(80);

const answered = z.string().max(128);

/** Ids in answers, by what they name. A field that means something else of it is described where it stands. */
export const answerIds = {
  user: answered.meta({ description: "Id of the user in Tidings.", example: example.user }),
  externalUser: z.string().max(256).meta({
    description: "The user's id in your product; empty where the user was erased.",
    example: "ada",
  }),
  goal: answered.meta({ description: "The goal that it is for.", example: example.goal }),
  campaign: answered.meta({ description: "The campaign that it is about.", example: example.campaign }),
  variant: answered.meta({ description: "The variant.", example: example.variant }),
  delivery: answered.meta({
    description: "The delivery: one campaign for one user.",
    example: example.delivery,
  }),
};

/** Ids in paths, by what they name. */
export const pathIds = {
  user: storedUserId.meta({
    description: "The user: an `eu_…` id, or the id in your product.",
    example: example.user,
  }),
  goal: pathId.meta({ description: "Id of the goal.", example: example.goal }),
  campaign: pathId.meta({ description: "Id of the campaign.", example: example.campaign }),
  run: pathId.meta({ description: "Id of the run.", example: example.run }),
  proposal: pathId.meta({ description: "Id of the proposal.", example: example.proposal }),
};

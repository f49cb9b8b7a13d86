import { z } from "zod";
import { httpsUrl, MAX_URL, parsedUrl, pathId, text } from "../platform/http/contract/fields.ts";
import { isVisitorId, VISITOR_PREFIX } from "./visitors.pure.ts";

/** What the examples of the API reference name: a thing has the same id in all of them. */
export const example = {
  user: "eu_9f86d081-884c-7d65-9a2f-eaa0c55ad015",
  event: "ev_019bc186-de00-7a10-8c55-3d2a1b0c9e8f",
  goal: "goal_019bc186-de00-79bb-ade5-900ea15d404a",
  topic: "top_019bc186-de00-7a3c-9b4d-5e6f708192a3",
  campaign: "cmp_019bc186-de00-730f-8ef3-c275ce72ed99",
  journey: "jrn_019bc186-de00-7a51-8c2d-3e4f5a6b7c8d",
  variant: "var_019bc186-de00-7e21-9d0c-1fa04a6c7b55",
  delivery: "del_Wm9v2Jq0T4yQ1k8uXc7bD5eF6gH3iL2mN0pR4sT8vYz",
  segment: "seg_019bc186-de00-7c33-8b2e-0d1c2b3a4f5e",
  audienceVersion: "aud_019bc186-de00-7d44-9e3f-1a2b3c4d5e6f",
  run: "run_019bc186-de00-7b42-9c1d-7e6f5a4b3c2d",
  proposal: "prop_019bc186-e1a4-7c9f-9d2c-5a0c3f1b7e42",
  ref: "ref_019bc186-de00-7f55-8a6b-4c3d2e1f0a9b",
  /** A commit of a repository. */
  commit: "0123456789abcdef0123456789abcdef01234567",
  /** A SHA-256 in hex. */
  hash: "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
};

/** What programs write where they know no user: taken for an id, it would make one user of all visitors. */
const NO_ONES_ID = /^(undefined|[(<]?null[)>]?|nil|nan|none|0|true|false|anonymous|guest|\[object .*\])$/i;
/** Blanks and invisible characters at the ends of a text. */
const ENDS = /^[\s\p{Cc}\p{Cf}]+|[\s\p{Cc}\p{Cf}]+$/gu;

/** A user's id in the customer's product, where a request reads or erases: users from before may have any. */
export const storedUserId = text(256);

/** What is wrong with the id of a user or visitor; null where it names one of them. */
function faultOfId(given: string, whose: "user" | "visitor"): string | null {
  const id = given.replaceAll(ENDS, "");
  if (id === "" && given !== "") return "must not be blank";
  if (NO_ONES_ID.test(id))
    return `must be the id of one ${whose}: "${id}" is what programs write where they know none`;
  return isVisitorId(id)
    ? `must not begin with ${VISITOR_PREFIX}, which marks visitors: send anonymousId`
    : null;
}

const idOf = (whose: "user" | "visitor", most: number, description: string) =>
  text(most)
    .check((ctx) => {
      const message = faultOfId(ctx.value, whose);
      if (message !== null) ctx.issues.push({ code: "custom", message, input: ctx.value });
    })
    .meta({ minLength: 1, maxLength: most, description });

/** A user's id in the customer's product, where a request may make the user known or writes for them. */
export const externalUserId = idOf("user", 256, "The user's id in your product.");

/** The id of a visitor: made at random by a browser, and a secret of that browser. With its prefix it is as long as a user's id may be. */
export const anonymousId = idOf(
  "visitor",
  256 - VISITOR_PREFIX.length,
  "The random id of a visitor who is not signed in (setting visitors.enabled).",
);

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

/** What a device runs: `web` is a browser. */
export const Platform = z.enum(["ios", "android", "web"]);
export type Platform = z.infer<typeof Platform>;
/** Which of a push provider's environments an app was built for. */
export const PushEnvironment = z.enum(["development", "production"]);
export type PushEnvironment = z.infer<typeof PushEnvironment>;

/** The address that a message opens. */
export const Destination = z
  .union([
    z.strictObject({
      kind: z.literal("website").describe("A page of the web, or a place in the app."),
      url: httpsUrl.describe("Its address."),
    }),
    z.strictObject({
      kind: z.literal("app").describe("A page of the web, or a place in the app."),
      url: appUrl.describe("Its address."),
    }),
  ])
  .meta({ id: "Destination", description: "The address that a message opens." });

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
    description: "The delivery: one campaign for one user, on one occasion.",
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

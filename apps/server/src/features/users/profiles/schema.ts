import { z } from "zod";
import { answerIds, example } from "../../../domain/fields.ts";
import { count, epochMs, jsonObjectAs } from "../../../platform/http/contract/fields.ts";
import { traitChangesOf } from "./rules.ts";

const MAX_TRAITS_BYTES = 4_096;

/** Traits of a user in a request: a JSON object, merged key by key. Parsed to the changes that it makes. */
export const Traits = jsonObjectAs(MAX_TRAITS_BYTES, traitChangesOf);

/** In a query: users, or visitors who are not signed in. Lists of users have users alone without it. */
export const visitorsOnly = z
  .enum(["none", "only"])
  .optional()
  .describe("`only`: visitors who are not signed in, and no users. Otherwise users, and no visitors.");

/** A user of the customer's product, or a visitor of its pages. */
export const EndUser = z
  .object({
    id: z.string().max(128).meta({ description: "Id of the user in Tidings.", example: example.user }),
    externalUserId: answerIds.externalUser,
    isVisitor: z.boolean().meta({
      description:
        "Whether this is a visitor who is not signed in. Their `externalUserId` is `$anon:` and the random id of their browser.",
      example: false,
    }),
    traits: z
      .record(z.string(), z.unknown())
      .meta({ description: "What is known of the user.", example: { plan: "pro", seats: 3 } }),
    firstSeenAt: epochMs,
    lastSeenAt: epochMs,
  })
  .meta({ id: "EndUser" });
export type EndUser = z.infer<typeof EndUser>;

/** The most visitors who became one user that an answer names. */
export const MOST_IDENTITIES = 100;

/** A visitor who became a user. The id of their browser, which is a secret, is not said. */
export const UserIdentity = z
  .object({
    id: z
      .string()
      .max(128)
      .meta({ description: "The `eu_…` id that the visitor had.", example: example.user }),
    linkedAt: epochMs.describe("When the visitor became the user, epoch milliseconds."),
    hasDeliveriesApart: z.boolean().meta({
      description:
        "Whether deliveries of the visitor stay apart, because the user had been decided about in the same campaigns. What the user does counts for both.",
      example: false,
    }),
    dropped: count.meta({
      description: "Traits and events of the visitor for which the user had no room.",
      example: 0,
    }),
  })
  .meta({ id: "UserIdentity" });
export type UserIdentity = z.infer<typeof UserIdentity>;

/** A user who was found by a part of the id, by an email address or by a name. */
export const FoundUser = z
  .object({
    id: z.string().max(128).describe("The `eu_…` id."),
    externalUserId: answerIds.externalUser,
    name: z.string().max(401).nullable().describe("How people call the user, by the traits; null for none."),
    email: z.string().max(200).nullable().describe("The trait `email`, where it is a text."),
    isVisitor: z.boolean().describe("Whether this is a visitor who is not signed in."),
    by: z.enum(["id", "email", "name"]).describe("What of the user is like what was asked for."),
  })
  .meta({ id: "FoundUser" });
export type FoundUser = z.infer<typeof FoundUser>;

/** How a user is called. */
export const NamedUser = z
  .object({
    userId: z.string().max(256).meta({ description: "The id that was asked about.", example: "ada" }),
    id: z.string().max(128).describe("The `eu_…` id."),
    externalUserId: answerIds.externalUser,
    name: z
      .string()
      .max(401)
      .nullable()
      .describe("The name, else the email address, by the traits; null for neither."),
  })
  .meta({ id: "NamedUser" });

/** How many users there are, and how many of them were seen, or seen first, since `startAt`. */
export const UserSummary = z
  .object({
    evaluatedAt: epochMs,
    window: z.literal("7d").describe("The stretch of time that is asked about."),
    startAt: epochMs,
    totalUsers: count.meta({ description: "All users.", example: 1_200 }),
    activeUsers: count.meta({ description: "Users who were seen since `startAt`.", example: 310 }),
    newUsers: count.meta({ description: "Users who were first seen since `startAt`.", example: 25 }),
    visitors: count.meta({
      description: "Visitors who are not signed in, and are in no other count.",
      example: 480,
    }),
  })
  .meta({ id: "UserSummary" });

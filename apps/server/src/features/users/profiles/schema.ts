import { z } from "zod";
import { answerIds, example } from "../../../domain/fields.ts";
import { count, epochMs, jsonObjectAs } from "../../../platform/http/contract/fields.ts";
import { traitChangesOf } from "./rules.ts";

const MAX_TRAITS_BYTES = 4_096;

/** Traits of a user in a request: a JSON object, merged key by key. Parsed to the changes that it makes. */
export const Traits = jsonObjectAs(MAX_TRAITS_BYTES, traitChangesOf);

/** A user of the customer's product. */
export const EndUser = z
  .object({
    id: z.string().max(128).meta({ description: "Id of the user in Tidings.", example: example.user }),
    externalUserId: answerIds.externalUser,
    traits: z
      .record(z.string(), z.unknown())
      .meta({ description: "What is known of the user.", example: { plan: "pro", seats: 3 } }),
    firstSeenAt: epochMs,
    lastSeenAt: epochMs,
  })
  .meta({ id: "EndUser" });
export type EndUser = z.infer<typeof EndUser>;

/** A user who was found by a part of the id, by an email address or by a name. */
export const FoundUser = z
  .object({
    id: z.string().max(128).describe("The `eu_…` id."),
    externalUserId: answerIds.externalUser,
    name: z.string().max(401).nullable().describe("How people call the user, by the traits; null for none."),
    email: z.string().max(200).nullable().describe("The trait `email`, where it is a text."),
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
  })
  .meta({ id: "UserSummary" });

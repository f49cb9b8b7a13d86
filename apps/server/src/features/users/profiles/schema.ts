import { z } from "zod";
import { count, epochMs, jsonObjectAs } from "../../../platform/http/contract/fields.ts";
import { traitChangesOf } from "./rules.ts";

const MAX_TRAITS_BYTES = 4_096;

/** Traits of a user in a request: a JSON object, merged key by key. Parsed to the changes that it makes. */
export const Traits = jsonObjectAs(MAX_TRAITS_BYTES, traitChangesOf);

/** A user of the customer's product. */
export const EndUser = z
  .object({
    id: z.string().max(128),
    externalUserId: z.string().max(256),
    traits: z.record(z.string(), z.unknown()),
    firstSeenAt: epochMs,
    lastSeenAt: epochMs,
  })
  .meta({ id: "EndUser" });
export type EndUser = z.infer<typeof EndUser>;

/** A user who was found by a part of the id, by an email address or by a name. */
export const FoundUser = z
  .object({
    id: z.string().max(128).describe("The `eu_…` id."),
    externalUserId: z.string().max(256),
    name: z.string().max(401).nullable().describe("How people call the user, by the traits; null for none."),
    email: z.string().max(200).nullable().describe("The trait `email`, where it is a text."),
    by: z.enum(["id", "email", "name"]).describe("What of the user is like what was asked for."),
  })
  .meta({ id: "FoundUser" });
export type FoundUser = z.infer<typeof FoundUser>;

/** How a user is called. */
export const NamedUser = z
  .object({
    userId: z.string().max(256).describe("The id that was asked about."),
    id: z.string().max(128).describe("The `eu_…` id."),
    externalUserId: z.string().max(256),
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
    window: z.literal("7d"),
    startAt: epochMs,
    totalUsers: count,
    activeUsers: count,
    newUsers: count,
  })
  .meta({ id: "UserSummary" });

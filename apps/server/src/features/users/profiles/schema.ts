import { z } from "zod";
import { count, epochMs, jsonObjectAs } from "../../../platform/http/fields.ts";
import { traitChangesOf } from "./rules.ts";

const MAX_TRAITS_BYTES = 4_096;

/** Traits of a user in a request: a JSON object, merged key by key. Parsed to the changes that it makes. */
export const Traits = jsonObjectAs(MAX_TRAITS_BYTES, traitChangesOf);

const asTraits = "did you mean traits?";

/** Fields that other products use for traits, and a trait that callers put beside them. They are refused, since they would be lost. */
export const USER_LOOK_ALIKES = {
  properties: asTraits,
  userProperties: asTraits,
  user_properties: asTraits,
  attributes: asTraits,
  trait: asTraits,
  $set: asTraits,
  email: "put it into traits",
  timestamp: "a user is seen at the time when the request arrives",
};

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

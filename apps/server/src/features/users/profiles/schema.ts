import { z } from "zod";
import { count, epochMs, jsonObjectAs } from "../../../platform/http/fields.ts";
import { toSaid } from "./rules.ts";

const MAX_TRAITS_BYTES = 4_096;

/** What a customer knows of a user: a JSON object, merged key by key. Yields what it sets and what it takes away. */
export const Traits = jsonObjectAs(MAX_TRAITS_BYTES, toSaid);

const asTraits = "did you mean traits?";

/** What other products call traits, and a trait that is often put beside them. Left unread, the user would not have them. */
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

import { z } from "zod";
import { count, epochMs, jsonObjectAs } from "../../../platform/http/fields.ts";
import type { LookAlikes } from "../../../platform/http/look-alikes.ts";
import { traitChangesOf } from "./rules.ts";

const MAX_TRAITS_BYTES = 4_096;

/** Traits of a user in a request: a JSON object, merged key by key. Parsed to the changes that it makes. */
export const Traits = jsonObjectAs(MAX_TRAITS_BYTES, traitChangesOf);

/** The same advice for each of the names. */
export const adviceFor = (names: readonly string[], advice: string): LookAlikes =>
  Object.fromEntries(names.map((name) => [name, advice]));

/**
 * Fields by which other products (Segment, RudderStack, PostHog, Mixpanel, Amplitude, Braze, Customer.io) say who did something. They are
 * refused: ignored, the user would be another one than the sender means.
 */
export const IDENTITY_LOOK_ALIKES: LookAlikes = {
  ...adviceFor(
    [
      "user_id",
      "uid",
      "$user_id",
      "distinctId",
      "$distinct_id",
      "externalId",
      "externalUserId",
      "customerId",
    ],
    "did you mean userId?",
  ),
  ...adviceFor(
    ["personId", "profileId", "identity", "identifiers", "identification"],
    "did you mean userId?",
  ),
  ...adviceFor(
    ["anonymousId", "anonId", "$anon_id", "$anon_distinct_id", "visitorId", "deviceId", "$device_id"],
    "a user is known by userId alone, and nothing is kept of visitors without one",
  ),
  ...adviceFor(
    [
      "cioId",
      "brazeId",
      "amplitudeId",
      "userAlias",
      "alias",
      "aliasName",
      "previousId",
      "fromId",
      "$identified_id",
    ],
    "a user is known by userId alone, and no two ids become one user",
  ),
  ...adviceFor(
    ["groupId", "groups", "$groups", "groupType", "$group_type", "groupKey", "$group_key", "groupProperties"],
    "groups are not known: put what you need of one into traits",
  ),
  ...adviceFor(["$group_set", "groupTraits"], "groups are not known: put what you need of one into traits"),
};

/** Fields that change traits at other products. */
export const TRAIT_NAMES = [
  ...[
    "trait",
    "userProperties",
    "userAttributes",
    "personProperties",
    "$set",
    "$set_once",
    "setOnce",
    "$unset",
  ],
  ...[
    "$add",
    "$append",
    "$prepend",
    "$preInsert",
    "$postInsert",
    "$union",
    "$remove",
    "$increment",
    "$clearAll",
  ],
];

/** What other products keep of a person in fields of their own. */
export const PERSON_NAMES = [
  ...[
    "email",
    "emailAddress",
    "$email",
    "phone",
    "phoneNumber",
    "$phone",
    "firstName",
    "lastName",
    "fullName",
  ],
  ...[
    "$name",
    "$first_name",
    "$last_name",
    "username",
    "gender",
    "age",
    "birthday",
    "dob",
    "avatar",
    "title",
  ],
  ...[
    "company",
    "plan",
    "country",
    "region",
    "city",
    "address",
    "language",
    "locale",
    "timezone",
    "homeCity",
  ],
];

/** Fields that other products use for traits, and traits that callers put beside them. They are refused, since they would be lost. */
export const USER_LOOK_ALIKES: LookAlikes = {
  ...IDENTITY_LOOK_ALIKES,
  id: "did you mean userId?",
  ...adviceFor(
    ["properties", "props", "attributes", "customAttributes", "data", ...TRAIT_NAMES],
    "did you mean traits?",
  ),
  ...adviceFor(["name", ...PERSON_NAMES], "put it into traits"),
  ...adviceFor(
    ["timestamp", "time", "$time", "originalTimestamp", "createdAt", "$created", "firstSeenAt"],
    "a user is seen at the time when the request arrives (POST /api/v1/identify/batch takes firstSeenAt, with the secret key)",
  ),
  ...adviceFor(["event", "eventName", "eventType", "events"], "events are recorded by POST /api/v1/track"),
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

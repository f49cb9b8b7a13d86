import { adviceFor, type LookAlikes } from "../../../platform/http/contract/look-alikes.ts";

const ONE_ID = "a user is known by userId alone";
const NO_GROUPS = "groups are not known: put what you need of one into traits";

/**
 * Fields by which other products (Segment, RudderStack, PostHog, Mixpanel, Amplitude, Braze, Customer.io) say who did something. They are
 * refused: ignored, the user would be another one than the sender means.
 */
export const IDENTITY_LOOK_ALIKES: LookAlikes = {
  ...adviceFor(
    "user_id uid $user_id distinctId $distinct_id externalId externalUserId customerId personId profileId identity identifiers identification",
    "did you mean userId?",
  ),
  ...adviceFor(
    "anonymousId anonId $anon_id $anon_distinct_id visitorId deviceId $device_id",
    "did you mean userId, or anonymousId (POST /api/v1/track, /identify) for a visitor who is not signed in?",
  ),
  ...adviceFor(
    "cioId brazeId amplitudeId userAlias alias aliasName previousId fromId $identified_id",
    `${ONE_ID}, and no two ids become one user`,
  ),
  ...adviceFor(
    "groupId groups $groups groupType $group_type groupKey $group_key groupProperties $group_set groupTraits",
    NO_GROUPS,
  ),
};

/** Fields that change traits at other products. */
export const TRAIT_NAMES =
  "trait userProperties userAttributes personProperties $set $set_once setOnce $unset $add $append $prepend $preInsert $postInsert $union $remove $increment $clearAll";

/** What other products keep of a person in fields of their own. */
export const PERSON_NAMES =
  "email emailAddress $email phone phoneNumber $phone firstName lastName fullName $name $first_name $last_name username gender age birthday dob avatar title company plan country region city address language locale timezone homeCity";

/** Fields that other products use for traits, and traits that callers put beside them. They are refused, since they would be lost. */
export const USER_LOOK_ALIKES: LookAlikes = {
  ...IDENTITY_LOOK_ALIKES,
  id: "did you mean userId?",
  ...adviceFor(`properties props attributes customAttributes data ${TRAIT_NAMES}`, "did you mean traits?"),
  ...adviceFor(`name ${PERSON_NAMES}`, "put it into traits"),
  ...adviceFor(
    "timestamp time $time originalTimestamp createdAt $created firstSeenAt",
    "a user is seen at the time when the request arrives (POST /api/v1/identify/batch takes firstSeenAt, with the secret key)",
  ),
  ...adviceFor("event eventName eventType events", "events are recorded by POST /api/v1/track"),
};

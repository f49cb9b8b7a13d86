import { adviceFor, type LookAlikes } from "../../../platform/http/contract/look-alikes.ts";
import { IDENTITY_LOOK_ALIKES, PERSON_NAMES, TRAIT_NAMES } from "../profiles/public.ts";

/** Fields that other products use for events. They are refused: ignored, the event would lose its properties or be counted twice. */
export const EVENT_LOOK_ALIKES: LookAlikes = {
  ...IDENTITY_LOOK_ALIKES,
  ...adviceFor(
    "properties eventProperties prop params parameters attributes customAttributes data",
    "did you mean props?",
  ),
  ...adviceFor(
    "messageId insertId $insert_id idempotencyKey dedupeId deduplicationId uuid id",
    "did you mean eventId?",
  ),
  ...adviceFor("eventName eventType", "did you mean event?"),
  ...adviceFor(`traits ${TRAIT_NAMES}`, "traits are set by POST /api/v1/identify"),
  ...adviceFor(`name ${PERSON_NAMES}`, "put it into props, or into the traits of POST /api/v1/identify"),
  ...adviceFor("revenue $revenue revenueType value price quantity currency productId", "put it into props"),
};

/** Fields that other products use for an event's time. They are refused: ignored, the event would get a wrong time. */
export const timeLookAlikes = (instead: string): LookAlikes =>
  adviceFor("timestamp time $time eventTime occurredAt originalTimestamp createdAt", instead);

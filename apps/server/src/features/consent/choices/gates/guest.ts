import { type RawBuilder, sql } from "kysely";
import type { CampaignTopic } from "../../../campaigns/topics/public.ts";
import { gate } from "../../../deliveries/gates/gate.ts";

/**
 * A guest is a reader of whom only an address is known, because they joined topics by it: they get what they chose, and nothing by a default.
 * `choice`: what the address chose of the topic. `hasTwin`: of a guest, whether a user has the same address; of a user, whether the guest of their
 * address has a delivery of the campaign.
 */
type Facts = { topic: CampaignTopic | null; choice: boolean | null; isGuest: boolean; hasTwin: boolean };

type SqlFacts = {
  topic: CampaignTopic | null;
  choice: RawBuilder<boolean | null>;
  isGuest: RawBuilder<boolean>;
  hasTwin: RawBuilder<boolean>;
};

/** Whether the reader is known as more than an address, and gets the campaign only once where they are known as both. */
export const guestGate = gate({
  gate: "guest",
  asks: "is the reader known as a user, or as an address alone, which gets what it joined, and nothing that a user with the same address gets?",
  stages: ["plan"],
  reasons: {
    not_joined: "only the address of the reader is known, which joined topics: it gets nothing else",
    known_twice:
      "the reader is known as a user and as an address alone, and gets the campaign as the other one",
  },
  passes: ({ choice, isGuest, hasTwin }: Facts) => !hasTwin && !(isGuest && choice === null),
  reason: ({ hasTwin }: Facts) => (hasTwin ? "known_twice" : "not_joined"),
  sql: ({ topic, choice, isGuest, hasTwin }: SqlFacts) =>
    topic === null
      ? [{ when: isGuest, bucket: "not_joined" }]
      : [
          { when: hasTwin, bucket: "known_twice" },
          { when: sql`${isGuest} and ${choice} is null`, bucket: "not_joined" },
        ],
  applies: ({ topic, isGuest }: Facts) => isGuest || topic !== null,
  note({ choice, isGuest, hasTwin }: Facts) {
    if (hasTwin)
      return isGuest
        ? "A user has the same address, and gets the campaign in place of this guest."
        : "The guest of the user's address got the campaign.";
    if (!isGuest) return "The reader is a user.";
    return choice === null
      ? "Only an address is known of the reader, who joined topics, and not this: they get nothing else."
      : "Only an address is known of the reader, and no user has the same one.";
  },
});

import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import { epochMs } from "../../../../platform/http/contract/fields.ts";
import type { CampaignTopic } from "../../../campaigns/topics/public.ts";
import { gate } from "../../../deliveries/gates/gate.ts";
import { instantIn } from "../../../deliveries/gates/words.pure.ts";
import { wantsTopic } from "../rules.ts";

/** `choice`: what was chosen of the topic; null where nothing was. */
type Facts = { topic: CampaignTopic | null; choice: boolean | null };
type Found = Facts & {
  campaign: { topicName: string | null };
  /** When the choice was made, epoch milliseconds; null where none was. */
  chosenAt: number | null;
};

/** Whether the address, or for pushes the user, wants the topic of the campaign. Campaigns without a topic do not have this gate. */
export const topicGate = gate({
  gate: "topic",
  asks: "does the reader want the topic of the campaign? Campaigns without a topic do not have this gate",
  stages: ["plan", "lease"],
  reasons: { not_subscribed: "the reader left the topic of the campaign, or never joined it" },
  shape: {
    choice: z
      .enum(["in", "out"])
      .nullable()
      .describe("What the reader chose; null where the default of the topic counts."),
    chosenAt: epochMs.nullable().describe("When they chose it, epoch milliseconds; null where they did not."),
  },
  passes: ({ topic, choice }: Facts) => topic === null || wantsTopic(topic, choice),
  remark: () => "the reader does not want the topic of the campaign any more",
  sql: ({ topic, choice }: { topic: CampaignTopic | null; choice: RawBuilder<boolean | null> }) =>
    topic === null
      ? []
      : [
          {
            when: topic.isDefaultIn ? sql`${choice} is false` : sql`${choice} is not true`,
            bucket: "not_subscribed",
          },
        ],
  applies: ({ topic }: Found) => topic !== null,
  note({ topic, choice, chosenAt, campaign: { topicName } }: Found) {
    const called = topicName ?? "the topic";
    if (chosenAt !== null)
      return `The reader ${choice ? "joined" : "left"} ${called} on ${instantIn(chosenAt)}.`;
    return topic?.isDefaultIn
      ? `The reader has chosen nothing about ${called}, and gets it until they leave it.`
      : `The reader has not joined ${called}, which only goes to who did.`;
  },
  details: ({ choice, chosenAt }: Found) => ({
    choice: choice === null ? null : choice ? ("in" as const) : ("out" as const),
    chosenAt,
  }),
});

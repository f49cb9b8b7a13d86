import { type RawBuilder, sql } from "kysely";
import { t } from "../../../platform/db/statements/table-names.ts";
import { epochMs } from "../../../platform/http/contract/fields.ts";
import type { CurrentEpoch } from "../../campaigns/authoring/public.ts";
import { isCampaignOf } from "../key-store.ts";
import { gate } from "./gate.ts";
import { goalIn } from "./holdout.ts";
import { instantIn } from "./words.pure.ts";

/** `withheldAt`: when the delivery of the campaign was withheld, epoch milliseconds; null where it was not. */
type Facts = { withheldAt: number | null };

/** SQL: a delivery of a campaign (UUID) was withheld from the user `u` of a plan, looked up as in `hasDelivery`. */
export const wasWithheld = (
  campaignId: string,
  { withholds }: Pick<CurrentEpoch, "withholds">,
): RawBuilder<boolean> =>
  withholds
    ? sql`exists (select from ${t.withheldDeliveries} w where ${isCampaignOf("w", "u", campaignId)} offset 0)`
    : sql`false`;

/** Whether no delivery of the campaign was withheld from the user before. */
export const withheldGate = gate({
  gate: "withheld",
  asks: "was a delivery withheld, because the user was held out?",
  stages: ["plan"],
  bucket: "held_out",
  shape: {
    withheldAt: epochMs
      .nullable()
      .describe("When the delivery was withheld, epoch milliseconds; null where it was not."),
  },
  passes: ({ withheldAt }: Facts) => withheldAt === null,
  sql: () => [{ when: sql`u.is_withheld`, bucket: "held_out" }],
  note: ({ withheldAt, campaign }: Facts & { campaign: { goalName: string | null } }) =>
    withheldAt === null
      ? "The user was never held out of this campaign."
      : `${goalIn(campaign)} held the user out on ${instantIn(withheldAt)}, when the message was due. It stays so for this campaign.`,
  details: ({ withheldAt }: Facts) => ({ withheldAt }),
});

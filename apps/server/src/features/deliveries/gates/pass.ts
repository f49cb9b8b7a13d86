import { sql } from "kysely";
import { epochMs } from "../../../platform/http/contract/fields.ts";
import type { Pass } from "../../campaigns/authoring/public.ts";
import { HAS_DELIVERY } from "./delivery.ts";
import { gate } from "./gate.ts";
import { instantIn } from "./words.pure.ts";

/** `isBehind`: whether the campaign, which is sent once, has passed the user. */
type Facts = { isBehind: boolean };
type Found = Facts & { campaign: { pass: Pass }; delivery: object | null };

/** Whether a campaign that is sent once may still come to the user. Other campaigns do not have this gate. */
export const passGate = gate({
  gate: "pass",
  asks: "may a campaign that is sent `once` still come to the user? Other campaigns do not have this gate",
  stages: ["plan"],
  reasons: {
    too_late:
      "the campaign is sent `once`, and was through its audience, or past this user, before the user could get it",
  },
  shape: {
    passEndedAt: epochMs
      .nullable()
      .describe(
        "When the campaign, which is sent `once`, had gone through its audience, epoch milliseconds; null while it has not.",
      ),
  },
  passes: ({ isBehind }: Facts) => !isBehind,
  sql: () => [{ when: sql`u.is_late`, bucket: "too_late" }],
  applies: ({ campaign }: Found) => campaign.pass.once,
  skipped: ({ delivery }: Found) => (delivery === null ? null : HAS_DELIVERY),
  note({ isBehind, campaign: { pass } }: Found) {
    if (!isBehind) return "The campaign is sent once, and has not come to the user yet.";
    const over =
      pass.endedAt === null
        ? "it has passed this user"
        : `it had gone through its audience on ${instantIn(pass.endedAt)}`;
    return `The campaign is sent once, and ${over}: it does not come to users who could not get it then.`;
  },
  details: ({ campaign: { pass } }: Found) => ({ passEndedAt: pass.endedAt }),
});

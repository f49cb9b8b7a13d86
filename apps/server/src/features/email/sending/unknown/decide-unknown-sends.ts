import { z } from "zod";
import { answerIds } from "../../../../domain/fields.ts";
import { type Ctx, endpoint, KIB, personOf } from "../../../../platform/http/contract/endpoint.ts";
import { text } from "../../../../platform/http/contract/fields.ts";
import { wakeAfterDelta } from "../../../counting/rollups/public.ts";
import { activePeriods } from "../../../counting/usage/public.ts";
import { readSome } from "../../../settings/public.ts";
import { emailSettings } from "../../sender/settings.pure.ts";
import { type DecidedSends, markSent, REFUSALS, resendThese } from "./decide.ts";

/** As many as a page of the list has. */
const MOST = 100;

const Refused = z.object({
  deliveryId: answerIds.delivery,
  because: z
    .enum(REFUSALS)
    .describe("Somebody or something was faster (`not_unknown`), or it cannot be sent again."),
  status: z.string().max(20).nullable().describe("What it is now; null where there is no such message."),
});

async function decide(ctx: Ctx, verdict: "resend" | "sent", deliveryIds: string[]): Promise<DecidedSends> {
  const { app, db, projectId, now } = ctx;
  const by = personOf(ctx).name;
  if (verdict === "resend") return resendThese(db, projectId, deliveryIds, { by, at: now });
  const periodOf = await activePeriods(app, projectId);
  const { "email.provider": provider } = await readSome(db, projectId, emailSettings, ["email.provider"]);
  const decided = await markSent(db, projectId, deliveryIds, {
    by,
    at: now,
    periodOf,
    isDelivered: provider === "smtp",
  });
  wakeAfterDelta(app);
  return decided;
}

export const decideUnknownSends = endpoint(
  {
    id: "decideUnknownSends",
    method: "POST",
    path: "/api/people/email/unknown/decisions",
    audit: "decided about unknown mail",
    tag: "Email",
    summary: "Decide about mail whose fate is unknown",
    description:
      "`resend` queues it again: whoever has it already gets it twice. `sent` marks it as sent, as if the mail server had said so. Of two decisions about one message the first counts; the answer says about which nothing was decided, and why.",
    keys: [],
    people: "editor",
    reachesUsers: "It repeats a mail that was launched, to the same address.",
    bodyLimit: 16 * KIB,
    body: z.object({
      verdict: z.enum(["resend", "sent"]),
      deliveryIds: z.array(text(128)).min(1).max(MOST),
    }),
    example: { verdict: "resend", deliveryIds: [`del_${"A".repeat(43)}`] },
    result: z.object({
      decided: z.array(z.string().max(128)).max(MOST),
      refused: z.array(Refused).max(MOST),
    }),
  },
  async (ctx, { body: { verdict, deliveryIds } }) => {
    const answer = await decide(ctx, verdict, deliveryIds);
    ctx.describe({ after: { verdict, deliveryIds: answer.decided } });
    return answer;
  },
);

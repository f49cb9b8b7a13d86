import type { Ctx } from "../../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../../platform/http/contract/errors.ts";
import { recipientsOf, type SharedMail } from "../copies.pure.ts";
import { type PlacedMail, requestBatch, requestMail, type TakenMail } from "../request-mails.ts";
import { stoppedAmong } from "../stopped.ts";
import { inactiveRecipients, postmarkCode, tooManyMessages } from "./dialect.ts";
import { POSTMARK_NAMES, someInactive, writtenList } from "./rules.ts";
import type { PostmarkOutcome } from "./schema.ts";

const MOST_MAILS = 500;

type Stopped = ReadonlySet<string>;

const inactiveOf = (mail: SharedMail, stopped: Stopped): string[] =>
  recipientsOf(mail)
    .map(({ address }) => address)
    .filter((address) => stopped.has(address));

/** The refusal of a mail that reaches none of its recipients; null for another one. */
function refusalOf(mail: SharedMail, stopped: Stopped): ApiError | null {
  const inactive = inactiveOf(mail, stopped);
  return inactive.length > 0 && inactive.length === recipientsOf(mail).length
    ? inactiveRecipients(inactive)
    : null;
}

/** Which recipients of some mails get no receipts any more. */
const stoppedOf = (ctx: Ctx, mails: readonly SharedMail[]): Promise<Stopped> =>
  stoppedAmong(ctx, [...new Set(mails.flatMap(recipientsOf).map(({ address }) => address))]);

/** What Postmark answers of a mail that was taken. `now`: epoch milliseconds. */
function takenOf({ mail, copies }: TakenMail, stopped: Stopped, now: number) {
  const { to, cc, bcc } = mail;
  const inactive = inactiveOf(mail, stopped);
  return {
    To: writtenList(to),
    ...(cc.length > 0 ? { Cc: writtenList(cc) } : {}),
    ...(bcc.length > 0 ? { Bcc: writtenList(bcc) } : {}),
    SubmittedAt: new Date(now).toISOString(),
    MessageID: copies[0]?.id ?? "",
    ErrorCode: 0 as const,
    Message: inactive.length === 0 ? "OK" : someInactive(inactive),
  };
}

/** Takes a mail. @throws ApiError that names what is wrong, or for one that reaches none of its recipients */
export async function takeMail(ctx: Ctx, mail: SharedMail) {
  const stopped = await stoppedOf(ctx, [mail]);
  const refusal = refusalOf(mail, stopped);
  if (refusal !== null) throw refusal;
  return takenOf(await requestMail(ctx, mail, POSTMARK_NAMES), stopped, ctx.now);
}

/** @throws ApiError for more mails than a batch may have */
export function assertBatch(batch: readonly unknown[]): void {
  if (batch.length > MOST_MAILS) throw tooManyMessages(MOST_MAILS);
}

/** Takes each mail of a batch by itself, and answers what became of it, in their order. */
export async function takeBatch(
  ctx: Ctx,
  batch: readonly (PlacedMail | ApiError)[],
): Promise<PostmarkOutcome[]> {
  const mails = batch.flatMap((each) => (each instanceof ApiError ? [] : each.mail));
  const stopped = await stoppedOf(ctx, mails);
  const judged = batch.map((each) =>
    each instanceof ApiError ? each : (refusalOf(each.mail, stopped) ?? each),
  );
  const outcomes = await requestBatch(ctx, judged, POSTMARK_NAMES);
  return outcomes.map((outcome) =>
    outcome instanceof ApiError
      ? { ErrorCode: postmarkCode(outcome), Message: outcome.message }
      : takenOf(outcome, stopped, ctx.now),
  );
}

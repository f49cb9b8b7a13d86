import type { z } from "zod";
import { savepoint } from "../../../platform/db/transactions/savepoint.ts";
import type { Ctx } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { parseField } from "../../../platform/http/contract/parse-field.ts";
import { requestSends, SEND_REASONS, type SendRequest } from "../send/request-sends.ts";
import { copiesOf, faultOfCopies, type SharedMail } from "./copies.pure.ts";
import { type FieldNames, fieldOf, inWordsOf } from "./refusals.pure.ts";

/** A mail of a request, and where it stands there. */
export type PlacedMail = { mail: SharedMail; at: readonly PropertyKey[] };

/** A copy of a mail that was taken, and the address that it goes to. */
export type TakenCopy = { id: string; email: string };

/** A mail that was taken, with its copies: that of the first recipient in `to` is the first. */
export type TakenMail = PlacedMail & { copies: readonly TakenCopy[] };

/** How a service writes a mail: its shape, and what is sent of it. */
export type MailForm<Shape extends z.ZodType> = {
  shape: Shape;
  mailOf: (mail: z.output<Shape>) => SharedMail;
};

/** A template that is named and is not there. */
export const TEMPLATE_NOT_FOUND = "template_not_found";
/** A sender whose domain is not that of the project. */
export const SENDER_DOMAIN = "sender_domain";
/** The reasons with which a mail may be refused. */
export const MAIL_REASONS = [...SEND_REASONS, TEMPLATE_NOT_FOUND, SENDER_DOMAIN] as const;

const addressOf = ({ to }: SendRequest): string => ("email" in to ? to.email : to.userId);

/** Why a send was refused, where services tell it from other reasons and this house does not. */
function foreignReason({ code, message }: ApiError): string | null {
  // Mails go to addresses, so that nothing else can be missing.
  if (code === "not_found") return TEMPLATE_NOT_FOUND;
  // What else may be wrong with a sender was judged when the mail was read.
  return code === "invalid_request" && fieldOf(message) === "from" ? SENDER_DOMAIN : null;
}

/** The refusal of a send, in the words of the service that was called. */
function ownRefusal(error: ApiError, names: FieldNames): ApiError {
  const { code, message, fields, headers } = error;
  const reason = foreignReason(error);
  return new ApiError(code, inWordsOf(names, message), {
    fields: reason === null ? fields : { ...fields, reason },
    headers,
  });
}

/** Takes mails in the caller's transaction, all of them or none. @throws ApiError that names what is wrong */
export async function requestMails(
  ctx: Ctx,
  mails: readonly PlacedMail[],
  names: FieldNames,
): Promise<TakenMail[]> {
  const wanted = mails.map((placed) => ({ placed, requests: copiesOf(placed.mail) }));
  const all = wanted.flatMap(({ placed: { at }, requests }) => requests.map((request) => ({ request, at })));
  const fault = faultOfCopies(all.map(({ request }) => request));
  if (fault !== null) throw new ApiError("too_large", fault);
  const taken = await requestSends(ctx, all).catch((error: unknown) => {
    throw error instanceof ApiError ? ownRefusal(error, names) : error;
  });
  let next = 0;
  return wanted.map(({ placed, requests }) => ({
    ...placed,
    copies: requests.map((request) => {
      const made = taken[next++];
      if (made === undefined) throw new Error("A mail was taken without an answer.");
      return { id: made.id, email: addressOf(request) };
    }),
  }));
}

/** Takes one mail. @throws ApiError that names what is wrong */
export async function requestMail(ctx: Ctx, mail: SharedMail, names: FieldNames): Promise<TakenMail> {
  const [taken] = await requestMails(ctx, [{ mail, at: [] }], names);
  if (taken === undefined) throw new Error("A mail was taken without an answer.");
  return taken;
}

/** A mail of a batch. @throws ApiError that names what is wrong with it */
export const readMail = <Shape extends z.ZodType>(
  { shape, mailOf }: MailForm<Shape>,
  given: unknown,
  at: readonly PropertyKey[],
): PlacedMail => ({ mail: mailOf(parseField(shape, given, at)), at });

const isMail = (each: PlacedMail | ApiError): each is PlacedMail => !(each instanceof ApiError);

/** Reads the mails of a batch, each or why it is none. `at`: where the batch stands in the body. */
export function readBatch<Shape extends z.ZodType>(
  form: MailForm<Shape>,
  batch: readonly unknown[],
  at: readonly PropertyKey[],
): (PlacedMail | ApiError)[] {
  return batch.map((given, index) => {
    try {
      return readMail(form, given, [...at, index]);
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  });
}

/** Takes each mail by itself, so that one that is refused does not stop the others. */
async function requestEach(
  ctx: Ctx,
  mails: readonly PlacedMail[],
  names: FieldNames,
): Promise<(TakenMail | ApiError)[]> {
  if (mails.length === 0) return [];
  try {
    return await savepoint(ctx.db, "mails", () => requestMails(ctx, mails, names));
  } catch (error) {
    // What is too large together is refused as a whole, so that a caller learns it before anything was sent.
    if (!(error instanceof ApiError) || error.code === "too_large") throw error;
    // Of several, it is not known how many are refused.
    if (mails.length === 1) return [error];
  }
  const outcomes: (TakenMail | ApiError)[] = [];
  for (const mail of mails) outcomes.push(...(await requestEach(ctx, [mail], names)));
  return outcomes;
}

/** Takes each mail of a batch by itself. Answers in their order the mail with its copies, or its refusal. */
export async function requestBatch(
  ctx: Ctx,
  read: readonly (PlacedMail | ApiError)[],
  names: FieldNames,
): Promise<(TakenMail | ApiError)[]> {
  const outcomes = await requestEach(ctx, read.filter(isMail), names);
  let next = 0;
  return read.map((each) => {
    if (!isMail(each)) return each;
    const outcome = outcomes[next++];
    if (outcome === undefined) throw new Error("A mail of a batch has no outcome.");
    return outcome;
  });
}

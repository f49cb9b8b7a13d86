import type { Dialect, DialectRefusal } from "../../../../platform/http/contract/dialect.ts";
import { ApiError } from "../../../../platform/http/contract/errors.ts";
import { MAIL_REASONS, SENDER_DOMAIN, TEMPLATE_NOT_FOUND } from "../request-mails.ts";
import { allInactive } from "./rules.ts";

/** Why a mail was refused that Postmark has a number of its own for. */
const INACTIVE = "inactive_recipient";
const TOO_MANY = "too_many_messages";
export const POSTMARK_REASONS = [...MAIL_REASONS, INACTIVE, TOO_MANY] as const;

/** The numbers of Postmark's refusals. */
const CODES = {
  badToken: 10,
  maintenance: 100,
  invalidMail: 300,
  unknownSender: 400,
  invalidJson: 402,
  notAllowedToSend: 405,
  inactive: 406,
  tooMany: 410,
  rateLimit: 429,
  unknownTemplate: 1101,
} as const;

/** Refusals that have a number by their reason. */
const BY_REASON: Readonly<Record<string, number>> = {
  [INACTIVE]: CODES.inactive,
  [TOO_MANY]: CODES.tooMany,
  [TEMPLATE_NOT_FOUND]: CODES.unknownTemplate,
  template_not_live: CODES.unknownTemplate,
  channel_not_ready: CODES.notAllowedToSend,
  [SENDER_DOMAIN]: CODES.unknownSender,
};

/** A mail none of whose recipients gets mail any more. */
export const inactiveRecipients = (addresses: readonly string[]): ApiError =>
  new ApiError("conflict", allInactive(addresses), { fields: { reason: INACTIVE } });

/** More mails in one batch than Postmark takes. */
export const tooManyMessages = (most: number): ApiError =>
  new ApiError("conflict", `A batch must have at most ${most} messages: send fewer at once`, {
    fields: { reason: TOO_MANY },
  });

/** The number that Postmark has for a refusal. */
export function postmarkCode({ code, message, fields: { reason } }: ApiError): number {
  const own = BY_REASON[String(reason)];
  if (own !== undefined) return own;
  switch (code) {
    case "unauthorized":
    case "forbidden":
      return CODES.badToken;
    case "rate_limited":
      return CODES.rateLimit;
    case "internal":
    case "unavailable":
      return CODES.maintenance;
    case "invalid_request":
      return message.endsWith("must be valid JSON") ? CODES.invalidJson : CODES.invalidMail;
    default:
      return CODES.invalidMail;
  }
}

/** Statuses that mean the same at Postmark; whatever else is wrong with a request is 422 there. */
const SAME_STATUS: ReadonlySet<number> = new Set([401, 404, 413, 429, 500, 503]);

function postmarkRefusal(error: ApiError): DialectRefusal {
  const { status, message } = error;
  const body = { ErrorCode: postmarkCode(error), Message: message };
  // Postmark's keys are of one kind, so a wrong one is as good as none.
  if (body.ErrorCode === CODES.badToken) return { status: 401, body };
  // Only a path that is not there is 404 at Postmark, and that has no reason.
  const isSame = SAME_STATUS.has(status) && error.fields.reason === undefined;
  return { status: isSame ? status : 422, body };
}

/** How the libraries of Postmark speak. */
export const postmark: Dialect = {
  prefix: "/compat/postmark",
  keyHeader: "x-postmark-server-token",
  takes:
    "POST /email, POST /email/batch, POST /email/withTemplate and POST /email/batchWithTemplates of Postmark",
  refusal: postmarkRefusal,
};

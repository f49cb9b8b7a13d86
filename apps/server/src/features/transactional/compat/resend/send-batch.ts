import { z } from "zod";
import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../../platform/http/contract/errors.ts";
import { takesMails } from "../receipt-call.ts";
import {
  MAIL_REASONS,
  readBatch,
  readMail,
  requestBatch,
  requestMails,
  type TakenMail,
} from "../request-mails.ts";
import { resend } from "./dialect.ts";
import { mailOfResend, RESEND_NAMES } from "./rules.ts";
import { ResendMail } from "./schema.ts";

const MOST_MAILS = 100;
const FORM = { shape: ResendMail, mailOf: mailOfResend };

const idOf = ({ copies }: TakenMail): { id: string } => ({ id: copies[0]?.id ?? "" });

export const resendSendBatch = endpoint(
  {
    ...takesMails,
    id: "resendSendBatch",
    method: "POST",
    path: "/compat/resend/emails/batch",
    dialect: resend,
    summary: "Send up to 100 mails, as Resend takes them",
    body: z.array(z.unknown()).min(1).max(MOST_MAILS),
    secretHeader: { name: "X-Batch-Validation", field: z.enum(["strict", "permissive"]) },
    result: z.object({
      data: z.array(z.object({ id: z.string() })),
      errors: z.array(z.object({ index: z.number(), message: z.string() })).optional(),
    }),
    reasons: MAIL_REASONS,
  },
  async (ctx, { body, secret: validation }) => {
    if (validation !== "permissive") {
      const mails = body.map((given, index) => readMail(FORM, given, [index]));
      return { data: (await requestMails(ctx, mails, RESEND_NAMES)).map(idOf) };
    }
    const outcomes = await requestBatch(ctx, readBatch(FORM, body, []), RESEND_NAMES);
    return {
      data: outcomes.flatMap((outcome) => (outcome instanceof ApiError ? [] : idOf(outcome))),
      errors: outcomes.flatMap((outcome, index) =>
        outcome instanceof ApiError ? { index, message: outcome.message } : [],
      ),
    };
  },
);

import { z } from "zod";
import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { takesMails } from "../receipt-call.ts";
import { MAIL_REASONS, requestMail } from "../request-mails.ts";
import { resend } from "./dialect.ts";
import { mailOfResend, RESEND_NAMES } from "./rules.ts";
import { ResendMail } from "./schema.ts";

export const resendSendEmail = endpoint(
  {
    ...takesMails,
    id: "resendSendEmail",
    method: "POST",
    path: "/compat/resend/emails",
    dialect: resend,
    summary: "Send a mail, as Resend takes it",
    body: ResendMail,
    result: z.object({ id: z.string() }),
    reasons: MAIL_REASONS,
  },
  async (ctx, { body }) => {
    const { copies } = await requestMail(ctx, mailOfResend(body), RESEND_NAMES);
    return { id: copies[0]?.id ?? "" };
  },
);

import type { Endpoint } from "../../../platform/http/contract/endpoint.ts";
import { postmarkSendBatch } from "./postmark/send-batch.ts";
import { postmarkSendBatchWithTemplates } from "./postmark/send-batch-with-templates.ts";
import { postmarkSendMail } from "./postmark/send-mail.ts";
import { postmarkSendWithTemplate } from "./postmark/send-with-template.ts";
import { resendGetEmail } from "./resend/get-email.ts";
import { resendSendBatch } from "./resend/send-batch.ts";
import { resendSendEmail } from "./resend/send-email.ts";

/** Calls of other services that send receipts, or say what became of one. */
export const receiptCalls: readonly Endpoint[] = [
  resendSendEmail,
  resendSendBatch,
  resendGetEmail,
  postmarkSendMail,
  postmarkSendBatch,
  postmarkSendWithTemplate,
  postmarkSendBatchWithTemplates,
];

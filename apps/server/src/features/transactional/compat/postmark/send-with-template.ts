import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { takesMails } from "../receipt-call.ts";
import { POSTMARK_REASONS, postmark } from "./dialect.ts";
import { templatedMailOfPostmark } from "./rules.ts";
import { PostmarkTaken, PostmarkTemplatedMail } from "./schema.ts";
import { takeMail } from "./take-mails.ts";

export const postmarkSendWithTemplate = endpoint(
  {
    ...takesMails,
    id: "postmarkSendWithTemplate",
    method: "POST",
    path: "/compat/postmark/email/withTemplate",
    dialect: postmark,
    summary: "Send a mail of a template, as Postmark takes it",
    body: PostmarkTemplatedMail,
    result: PostmarkTaken,
    reasons: POSTMARK_REASONS,
  },
  (ctx, { body }) => takeMail(ctx, templatedMailOfPostmark(body)),
);

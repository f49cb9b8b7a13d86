import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { takesMails } from "../receipt-call.ts";
import { POSTMARK_REASONS, postmark } from "./dialect.ts";
import { mailOfPostmark } from "./rules.ts";
import { PostmarkMail, PostmarkTaken } from "./schema.ts";
import { takeMail } from "./take-mails.ts";

export const postmarkSendMail = endpoint(
  {
    ...takesMails,
    id: "postmarkSendMail",
    method: "POST",
    path: "/compat/postmark/email",
    dialect: postmark,
    summary: "Send a mail, as Postmark takes it",
    body: PostmarkMail,
    result: PostmarkTaken,
    reasons: POSTMARK_REASONS,
  },
  (ctx, { body }) => takeMail(ctx, mailOfPostmark(body)),
);

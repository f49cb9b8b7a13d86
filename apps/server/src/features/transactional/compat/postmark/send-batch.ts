import { z } from "zod";
import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { takesMails } from "../receipt-call.ts";
import { readBatch } from "../request-mails.ts";
import { POSTMARK_REASONS, postmark } from "./dialect.ts";
import { mailOfPostmark } from "./rules.ts";
import { PostmarkMail, PostmarkOutcome } from "./schema.ts";
import { assertBatch, takeBatch } from "./take-mails.ts";

export const postmarkSendBatch = endpoint(
  {
    ...takesMails,
    id: "postmarkSendBatch",
    method: "POST",
    path: "/compat/postmark/email/batch",
    dialect: postmark,
    summary: "Send up to 500 mails, as Postmark takes them",
    body: z.array(z.unknown()),
    result: z.array(PostmarkOutcome),
    reasons: POSTMARK_REASONS,
  },
  (ctx, { body }) => {
    assertBatch(body);
    return takeBatch(ctx, readBatch({ shape: PostmarkMail, mailOf: mailOfPostmark }, body, []));
  },
);

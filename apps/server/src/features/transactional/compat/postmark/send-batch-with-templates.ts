import { z } from "zod";
import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { takesMails } from "../receipt-call.ts";
import { readBatch } from "../request-mails.ts";
import { POSTMARK_REASONS, postmark } from "./dialect.ts";
import { templatedMailOfPostmark } from "./rules.ts";
import { PostmarkOutcome, PostmarkTemplatedMail } from "./schema.ts";
import { assertBatch, takeBatch } from "./take-mails.ts";

export const postmarkSendBatchWithTemplates = endpoint(
  {
    ...takesMails,
    id: "postmarkSendBatchWithTemplates",
    method: "POST",
    path: "/compat/postmark/email/batchWithTemplates",
    dialect: postmark,
    summary: "Send up to 500 mails of templates, as Postmark takes them",
    body: z.object({ Messages: z.array(z.unknown()) }),
    result: z.array(PostmarkOutcome),
    reasons: POSTMARK_REASONS,
  },
  (ctx, { body }) => {
    assertBatch(body.Messages);
    return takeBatch(
      ctx,
      readBatch({ shape: PostmarkTemplatedMail, mailOf: templatedMailOfPostmark }, body.Messages, [
        "Messages",
      ]),
    );
  },
);

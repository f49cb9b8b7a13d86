import { z } from "zod";
import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../../platform/http/contract/errors.ts";
import { pathId } from "../../../../platform/http/contract/fields.ts";
import { findSend } from "../../view.ts";
import { receiptCall } from "../receipt-call.ts";
import { resend } from "./dialect.ts";
import { resendEmail } from "./rules.ts";
import { ResendEmail } from "./schema.ts";

export const resendGetEmail = endpoint(
  {
    ...receiptCall,
    id: "resendGetEmail",
    method: "GET",
    path: "/compat/resend/emails/{id}",
    dialect: resend,
    summary: "Read what became of a mail, as Resend answers it",
    params: z.object({ id: pathId }),
    result: ResendEmail,
  },
  async (ctx, { params: { id } }) => {
    const send = await findSend(ctx, id);
    if (send === null) throw new ApiError("not_found", "There is no email with this id.");
    return resendEmail(send, ctx.now);
  },
);

import { z } from "zod";
import { endpoint, KIB } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { parseAddress } from "../../email/addresses/rules.ts";
import { decodeBase64 } from "../base64.pure.ts";
import type { StoredFile } from "../request.pure.ts";
import { RequestedSend, SendMailBody } from "../schema.ts";
import { requestSends, SEND_REASONS, type SendRequest } from "./request-sends.ts";

/** 10 MiB: files of 7 MB in base64, and what is around them. */
const BODY_LIMIT = 10_240 * KIB;

type Body = z.output<typeof SendMailBody>;

const refuse = (message: string): ApiError => new ApiError("invalid_request", message);

function contentOf({ template, message, data }: Body): SendRequest["content"] {
  if ((template === undefined) === (message === undefined))
    throw refuse("exactly one of template and message is required");
  if (template !== undefined)
    // `jsonObject` has checked that it is the text of an object.
    return { template, data: JSON.parse(data) as Record<string, unknown> };
  return {
    own: {
      subject: message?.subject ?? "",
      html: message?.html ?? null,
      text: message?.text ?? null,
    },
  };
}

function recipientOf({ to: { userId, email, name: called } }: Body): SendRequest["to"] {
  const name = called ?? null;
  if ((userId === undefined) === (email === undefined))
    throw refuse("to must have exactly one of userId and email");
  return userId === undefined ? { email: email ?? "", name } : { userId, name };
}

function filesOf({ attachments }: Body): StoredFile[] {
  return attachments.map(({ name, contentType, content, contentId = null }, index) => {
    const bytes = decodeBase64(content);
    if (bytes === null) throw refuse(`attachments[${index}].content must be base64`);
    return { name, contentType, contentId, content: bytes };
  });
}

function replyToOf({ replyTo }: Body): SendRequest["replyTo"] {
  if (replyTo === undefined) return [];
  const mailbox = parseAddress(replyTo);
  if (mailbox === null) throw refuse("replyTo must be an email address");
  return [{ name: null, address: mailbox.address }];
}

export const sendMail = endpoint(
  {
    id: "sendMail",
    method: "POST",
    path: "/api/v1/send",
    tag: "Transactional mail",
    summary: "Send one mail to one recipient, such as a receipt",
    description:
      "Filled from a template (`template`, `data`), or written by your code (`message`). A value that the template needs and `data` lacks is refused before anything is stored. With an Idempotency-Key a repeat sends no second mail. It leaves at once, before the mail of campaigns, and has no cap and no link to unsubscribe.",
    keys: ["secret", "send"],
    budget: "send",
    tool: "It reaches people at once.",
    bodyLimit: BODY_LIMIT,
    whenTooLarge: "send files of at most 7 MB together",
    body: SendMailBody,
    example: {
      template: "receipt",
      to: { email: "ada@example.com", name: "Ada" },
      data: { order: { number: "A-1001", total: "€ 24.00" } },
    },
    status: 201,
    result: z.object({ send: RequestedSend.describe("The mail.") }),
    errors: ["not_found", "conflict"],
    reasons: SEND_REASONS,
  },
  async (ctx, { body }) => {
    const request: SendRequest = {
      content: contentOf(body),
      to: recipientOf(body),
      from: null,
      shownTo: [],
      shownCc: [],
      replyTo: replyToOf(body),
      headers: [],
      attachments: filesOf(body),
      sendAt: body.sendAt ?? null,
      tags: {},
    };
    const [send] = await requestSends(ctx, [{ request, at: [] }]);
    if (send === undefined) throw new Error("A mail was requested, and none was queued.");
    return { send };
  },
);

import { z } from "zod";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { epochMs } from "../../../platform/http/contract/fields.ts";
import { readMail } from "../../content/email/public.ts";
import { findCaughtMail } from "./mail-catcher-store.ts";

/** A line of a header, cut where it is longer. */
const line = z.string().max(4_100);

export const getCaughtMail = endpoint(
  {
    id: "getCaughtMail",
    method: "GET",
    path: "/api/people/email/outbox/{mailId}",
    tag: "Email",
    summary: "Read a mail that was caught",
    keys: [],
    people: "editor",
    cost: "heavy",
    params: z.object({ mailId: z.uuid() }),
    result: z.object({
      mail: z.object({
        id: z.uuid(),
        at: epochMs.describe("When it was caught, epoch milliseconds."),
        recipient: z.string().max(320).describe("To whom it would have gone."),
        from: line.nullable(),
        to: line.nullable(),
        subject: line.nullable().describe("Its subject."),
        headers: z
          .array(
            z.object({
              name: z.string().max(4_100).describe("Name of the header."),
              value: line.describe("Text of the header."),
            }),
          )
          .max(100),
        html: z.string().max(2_100_000).nullable(),
        text: z.string().max(210_000).nullable(),
        pageUrl: z
          .string()
          .max(2_100)
          .nullable()
          .describe("Where its links can be followed; null where this server shows no such page."),
      }),
    }),
    errors: ["not_found"],
  },
  async ({ app, db, projectId }, { params: { mailId } }) => {
    const found = await findCaughtMail(db, projectId, mailId);
    if (found === null) throw new ApiError("not_found", "Mail not found");
    const { raw, ...kept } = found;
    const { headers, ...mail } = await readMail(raw);
    const pageUrl = app.config.isPrivate ? `/demo/outbox/${kept.id}` : null;
    return { mail: { ...kept, ...mail, headers: [...headers], pageUrl } };
  },
);

import { beginningOf } from "@tidings/client/text";
import { z } from "zod";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { epochMs } from "../../../platform/http/contract/fields.ts";
import { pageAnswer, pageFields, pageQuery, pageWindow } from "../../../platform/http/contract/page.ts";
import { headersAlone, readMail } from "../../content/email/public.ts";
import { pageOfCaughtMail } from "./mail-catcher-store.ts";

const MAX_LINE = 300;
const line = (text: string | null): string | null => (text === null ? null : beginningOf(text, MAX_LINE));
const shown = z.string().max(MAX_LINE).nullable();

export const listCaughtMail = endpoint(
  {
    id: "listCaughtMail",
    method: "GET",
    path: "/api/people/email/outbox",
    tag: "Email",
    summary: "List mail that was caught, newest first",
    description: "Mail of a project without a mail server is kept to be looked at: the newest 1000 of it.",
    keys: [],
    people: "editor",
    oneInstant: true,
    cost: "heavy",
    query: z.object(pageQuery(25)),
    result: z.object({
      mails: z
        .array(
          z.object({
            id: z.uuid(),
            at: epochMs,
            recipient: z.string().max(320),
            from: shown,
            subject: shown.describe("Its subject."),
          }),
        )
        .max(100),
      ...pageFields,
    }),
  },
  async ({ db, projectId }, { query }) => {
    const { rows, total } = await pageOfCaughtMail(db, projectId, pageWindow(query));
    const mails = await Promise.all(
      rows.map(async ({ head, ...row }) => {
        const { from, subject } = await readMail(headersAlone(head));
        return { ...row, from: line(from), subject: line(subject) };
      }),
    );
    return { mails, ...pageAnswer(query, total) };
  },
);

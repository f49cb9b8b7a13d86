import { beginningOf } from "@tidings/client/text";
import { ApiError } from "../../../platform/http/errors.ts";
import type { PublicAnswer, PublicRequest, PublicRoute } from "../../../platform/http/public-route.ts";
import type { App } from "../../../platform/runtime.ts";
import { headersAlone, readMail } from "../../content/email/public.ts";
import {
  type CaughtMail,
  findCaughtMailAcrossProjects,
  listCaughtMailAcrossProjects,
} from "../../email/transport/public.ts";
import { assertOnlyHere } from "../only-here.ts";
import { framedPage, listPage, mailPage, rawPage } from "./page.ts";

const LISTED = 100;
const MAX_SUBJECT = 300;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const assertPrivate = (app: App, request: PublicRequest): void => assertOnlyHere(app, request, "the outbox");

async function messageOf(app: App, request: PublicRequest): Promise<CaughtMail> {
  assertPrivate(app, request);
  const id = request.params.id ?? "";
  const message = UUID.test(id) ? await findCaughtMailAcrossProjects(app.database.kysely, id) : null;
  if (message === null) throw new ApiError("not_found");
  return message;
}

const get = (
  path: PublicRoute["path"],
  respond: (app: App, request: PublicRequest) => Promise<PublicAnswer>,
): PublicRoute => ({ method: "GET", path, respond });

const list = get("/demo/outbox", async (app, request) => {
  assertPrivate(app, request);
  const found = await listCaughtMailAcrossProjects(app.database.kysely, LISTED + 1);
  const lines = await Promise.all(
    found.slice(0, LISTED).map(async ({ head, ...entry }) => {
      const { from, subject } = await readMail(headersAlone(head));
      return { ...entry, from, subject: subject === null ? null : beginningOf(subject, MAX_SUBJECT) };
    }),
  );
  return listPage(lines, found.length > LISTED);
});

const one = get("/demo/outbox/{id}", async (app, request) => {
  const message = await messageOf(app, request);
  const mail = await readMail(message.raw);
  return mailPage(message, mail);
});

const html = get("/demo/outbox/{id}/html", async (app, request) => {
  const { raw } = await messageOf(app, request);
  const mail = await readMail(raw);
  if (mail.html === null) throw new ApiError("not_found");
  return framedPage(mail.html, app.publicUrl());
});

const source = get("/demo/outbox/{id}/raw", async (app, request) => {
  const { raw } = await messageOf(app, request);
  return rawPage(raw);
});

/** The pages of the mail catcher. */
export const mailCatcherRoutes: readonly PublicRoute[] = [list, one, html, source];

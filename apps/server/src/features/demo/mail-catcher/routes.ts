import { beginningOf } from "@tidings/client/text";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import type { PublicRequest, PublicRoute } from "../../../platform/http/public/public-route.ts";
import type { App } from "../../../platform/runtime.ts";
import { headersAlone, readMail } from "../../content/email/public.ts";
import {
  findCaughtMailAcrossProjects,
  listCaughtMailAcrossProjects,
  type OwnedMail,
} from "../../email/transport/public.ts";
import { allows, demoAccess, entrance, projectsOf } from "../entry.ts";
import { framedPage, listPage, mailPage, rawPage } from "./page.ts";

const LISTED = 100;
const MAX_SUBJECT = 300;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** The role that reads caught mail, as in the dashboard. */
const READER = "editor";

async function messageOf(app: App, request: PublicRequest): Promise<OwnedMail> {
  const entry = await demoAccess(app, request);
  const id = request.params.id ?? "";
  const message = UUID.test(id) ? await findCaughtMailAcrossProjects(app.database.kysely, id) : null;
  if (message === null || !allows(entry, message.projectId, READER)) throw new ApiError("not_found");
  return message;
}

const list = entrance("/demo/outbox", async (app, request) => {
  const projectIds = projectsOf(await demoAccess(app, request), READER);
  const found = await listCaughtMailAcrossProjects(app.database.kysely, projectIds, LISTED + 1);
  const lines = await Promise.all(
    found.slice(0, LISTED).map(async ({ head, ...entry }) => {
      const { from, subject } = await readMail(headersAlone(head));
      return { ...entry, from, subject: subject === null ? null : beginningOf(subject, MAX_SUBJECT) };
    }),
  );
  return listPage(lines, found.length > LISTED);
});

const one = entrance("/demo/outbox/{id}", async (app, request) => {
  const message = await messageOf(app, request);
  const mail = await readMail(message.raw);
  return mailPage(message, mail);
});

const html = entrance("/demo/outbox/{id}/html", async (app, request) => {
  const { raw } = await messageOf(app, request);
  const mail = await readMail(raw);
  if (mail.html === null) throw new ApiError("not_found");
  return framedPage(mail.html, app.publicUrl());
});

const source = entrance("/demo/outbox/{id}/raw", async (app, request) => {
  const { raw } = await messageOf(app, request);
  return rawPage(raw);
});

/** The pages of the mail catcher. */
export const mailCatcherRoutes: readonly PublicRoute[] = [list, one, html, source];

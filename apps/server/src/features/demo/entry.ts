import { ApiError } from "../../platform/http/contract/errors.ts";
import { type PersonRole, reaches } from "../../platform/http/contract/person.ts";
import type { PublicAnswer, PublicRequest, PublicRoute } from "../../platform/http/public/public-route.ts";
import type { App } from "../../platform/runtime.ts";
import { listProjectsOfPerson, recogniser } from "../people/public.ts";
import { goodFor } from "./entry-token.ts";
import { refusalPage } from "./refusal-page.ts";

/** Of which projects a visitor may see what the demo shows: of all, or of these, with the role that they have there. */
export type DemoAccess = "all" | ReadonlyMap<string, PersonRole>;

const COOKIE = "tidings.demo";
const TOKEN = "token";
const COOKIE_PATTERN = /(?:^|;\s*)tidings\.demo=([\w.-]{1,100})/;

/** Whether an entry allows what takes a role in a project; null is a project that does not exist yet. */
export const allows = (entry: DemoAccess, projectId: string | null, role: PersonRole): boolean =>
  entry === "all" || (projectId !== null && reaches(entry.get(projectId) ?? null, role));

/** The projects in which an entry reaches a role; null for all there are. */
export const projectsOf = (entry: DemoAccess, role: PersonRole): string[] | null =>
  entry === "all" ? null : [...entry.keys()].filter((id) => allows(entry, id, role));

/**
 * What a request may see: all with the token that the start printed and for operators, else what the person who is signed in may.
 * Where a request comes from says nothing, because behind a proxy all come from this machine.
 * @throws ApiError not_found where more than this machine reaches the server, unauthorized for anybody else
 */
export async function demoAccess(
  app: App,
  { headers: { cookie = "" }, now }: PublicRequest,
): Promise<DemoAccess> {
  if (!app.config.isPrivate) throw new ApiError("not_found");
  const [, token = ""] = COOKIE_PATTERN.exec(cookie) ?? [];
  if (goodFor(app.secrets, token, now) > 0) return "all";
  const person = await app.get(recogniser)(cookie, null);
  if (person === null) throw new ApiError("unauthorized", "This takes a sign-in.");
  if (person.isOperator || person.id === null) return "all";
  const projects = await listProjectsOfPerson(app.database.lookups.kysely, person.id);
  return new Map(projects.map(({ id, role }) => [id, role]));
}

/** Sends a browser on to the same page without the token, which it keeps in a cookie: no history and no bookmark has it then. */
function withoutToken(app: App, { url, query, now }: PublicRequest): PublicAnswer {
  const token = query.get(TOKEN) ?? "";
  const left = goodFor(app.secrets, token, now);
  const cookie = `${COOKIE}=${token}; Path=/demo; Max-Age=${Math.floor(left / 1_000)}; HttpOnly; SameSite=Lax`;
  return {
    status: 303,
    contentType: "text/plain; charset=utf-8",
    headers: { location: url.replace(/\?.*$/s, ""), ...(left > 0 ? { "set-cookie": cookie } : {}) },
    body: "",
  };
}

/** A page that the printed address opens, and that says to anybody else how they come in. */
export const entrance = (
  path: PublicRoute["path"],
  respond: (app: App, request: PublicRequest) => Promise<PublicAnswer>,
): PublicRoute => ({
  method: "GET",
  path,
  async respond(app, request) {
    if (app.config.isPrivate && request.query.has(TOKEN)) return withoutToken(app, request);
    try {
      return await respond(app, request);
    } catch (error) {
      if (error instanceof ApiError && error.code === "unauthorized") return refusalPage();
      throw error;
    }
  },
});

import type { FastifyRequest } from "fastify";
import type { App } from "../../runtime.ts";
import { MINUTE_MS } from "../../time/clock.ts";
import { afterAddressBudget, entries, peopleRequests } from "../budgets/address-budget.ts";
import type { Endpoint, PersonPrincipal } from "../contract/endpoint.ts";
import { ApiError } from "../contract/errors.ts";
import { NO_PROJECT, type Person, type Recognise } from "../contract/person.ts";
import { isOurOrigin, otherPage } from "./same-origin.ts";
import { assertMay } from "./standing.ts";

type Spec = Endpoint["spec"];

/**
 * Says what a person's request is about: the id of a project, or `-` for the organization. No form can send it, and no page of another
 * origin gets leave to, so a cookie alone does nothing.
 */
export const SCOPE_HEADER = "X-Tidings-Project";
/** Node.js spells the names of headers in lower case. */
const SCOPE = SCOPE_HEADER.toLowerCase();
const ORGANIZATION = "-";
const PROJECT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** How long a sign-in counts as fresh. */
export const FRESH_MS = 10 * MINUTE_MS;

/** @throws ApiError forbidden (`reason: "confirm"`) for a person whose sign-in is too long ago for what is hard to take back */
export function assertFresh({ signedInAt }: Person, now: number): void {
  if (now - signedInAt >= FRESH_MS)
    throw new ApiError("forbidden", "Sign in again to confirm this.", { fields: { reason: CONFIRM } });
}

const OTHER_PAGE = "Pages of other origins may not act for a person.";

/** @throws ApiError for a request that another page has made the browser send */
function refuseOtherPages(request: FastifyRequest, publicUrl: string): void {
  const site = request.headers["sec-fetch-site"];
  const isSafe = request.method === "GET" || request.method === "HEAD";
  if ((site !== undefined && site !== "same-origin") || !(isSafe || isOurOrigin(request, publicUrl)))
    throw otherPage(request, publicUrl, OTHER_PAGE);
}

/** The project that a request is about; null for the organization. @throws ApiError where the operation is about something else */
function projectIn(given: string, { scope = "project" }: Spec): string | null {
  if (given === ORGANIZATION) {
    if (scope !== "project") return null;
    throw new ApiError("invalid_request", `${SCOPE_HEADER} must be the id of a project`);
  }
  if (!PROJECT_ID.test(given))
    throw new ApiError("invalid_request", `${SCOPE_HEADER} must be the id of a project, or -`);
  if (scope === "organization")
    throw new ApiError("invalid_request", `${SCOPE_HEADER} must be -: this is about no single project`);
  return given;
}

/**
 * Admits people, who send a cookie and no key. Answers null for a request that is none of a person.
 * @throws ApiError forbidden for another page, a role that is too low, and a sign-in that is too long ago (`reason: "confirm"`)
 */
export function createPersonAdmission(app: App, recognise: Recognise) {
  const { clock } = app;
  const budget = app.get(peopleRequests);
  const entering = app.get(entries);

  async function admitted(spec: Spec, cookie: string, projectId: string | null): Promise<PersonPrincipal> {
    const person = await recognise(cookie, projectId);
    if (person === null) throw new ApiError("unauthorized");
    // The operator at the command line is no stranger who could ask without end.
    if (person.id !== null) afterAddressBudget(budget.take(person.id, clock()));
    assertMay(spec, person, projectId);
    if (spec.fresh) assertFresh(person, clock());
    return { projectId: projectId ?? NO_PROJECT, keyKind: "none", person };
  }

  return (spec: Spec, request: FastifyRequest): Promise<PersonPrincipal> | PersonPrincipal | null => {
    if (spec.people === "open") {
      refuseOtherPages(request, app.publicUrl());
      afterAddressBudget(entering.take(request.address, clock()));
      return { projectId: NO_PROJECT, keyKind: "none", person: null };
    }
    const { cookie, [SCOPE]: given } = request.headers;
    if (cookie === undefined || typeof given !== "string") return null;
    refuseOtherPages(request, app.publicUrl());
    return admitted(spec, cookie, projectIn(given, spec));
  };
}

/** The `reason` of a refusal where the person has to sign in again. */
export const CONFIRM = "confirm";

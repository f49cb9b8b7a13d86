import type { FastifyReply, FastifyRequest } from "fastify";
import type { App } from "../../runtime.ts";
import { budgets } from "../budgets/shared-budget.ts";
import {
  type Endpoint,
  isOpenToBrowsers,
  type KeyKind,
  type KeyPrincipal,
  type Principal,
} from "../contract/endpoint.ts";
import { ApiError } from "../contract/errors.ts";
import type { Recognise } from "../contract/person.ts";
import { createPersonAdmission } from "./admit-person.ts";
import { admitOrigin } from "./perimeter.ts";

/**
 * Finds the project and the kind of a key; null for an unknown one. Answers without a promise from memory.
 * @param asker who asks, by address
 */
export type Authenticate = (
  token: string,
  asker: { readonly address: string },
) => KeyPrincipal | null | Promise<KeyPrincipal | null>;

/**
 * Admits a request or refuses it, by managed-only, key or person, origin, kind of key or role, and budget, in this order.
 * @param keyOfBody the key of a request without `Authorization` whose operation takes one in the body
 */
export type Admit = (
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
  keyOfBody?: string,
) => Principal | Promise<Principal>;

const BEARER = "bearer ";
const BASIC = "basic ";

/** The name of Basic (RFC 7617): what comes before the first colon. */
const basicName = (credentials: string): string =>
  Buffer.from(credentials, "base64").toString("latin1").split(":", 1)[0] ?? "";

/** The key of a request, or nothing: a Bearer token, or the name of Basic. The scheme may be in any case (RFC 9110, 11.1). */
export function tokenIn(authorization: string | undefined): string {
  if (authorization === undefined) return "";
  if (authorization.slice(0, BEARER.length).toLowerCase() === BEARER)
    return authorization.slice(BEARER.length);
  return authorization.slice(0, BASIC.length).toLowerCase() === BASIC
    ? basicName(authorization.slice(BASIC.length))
    : "";
}

/** The key of a request in a header that has nothing else, or nothing. */
function plainToken(header: string, { headers }: Pick<FastifyRequest, "headers">): string {
  const given = headers[header];
  return typeof given === "string" ? given.trim() : "";
}

/** The refusal of a project's key of the wrong kind: says which kind is needed. */
export const wrongKey = (allowed: readonly KeyKind[], sent: KeyKind): string =>
  allowed.length === 0
    ? `This is for people who are signed in, and the ${sent} key was sent.`
    : `This takes the ${allowed.join(" or the ")} key of the project, and the ${sent} key was sent.`;

export function createAdmission(app: App, authenticate: Authenticate, recognise: Recognise): Admit {
  const { config, clock } = app;
  const { take } = app.get(budgets);
  const admitPerson = createPersonAdmission(app, recognise);

  function afterBudget(principal: Principal, waitSeconds: number): Principal {
    if (waitSeconds === 0) return principal;
    throw new ApiError("rate_limited", undefined, { headers: { "retry-after": String(waitSeconds) } });
  }

  function admit(
    endpoint: Endpoint,
    principal: KeyPrincipal | null,
    { headers: { origin } }: FastifyRequest,
    reply: FastifyReply,
  ): Principal | Promise<Principal> {
    if (principal === null) throw new ApiError("unauthorized");
    const { spec } = endpoint;
    if (isOpenToBrowsers(endpoint)) admitOrigin(reply, principal.perimeter, origin);
    if (!spec.keys.includes(principal.keyKind) || spec.budget === undefined)
      throw new ApiError("forbidden", wrongKey(spec.keys, principal.keyKind));
    const wait = take(principal.projectId, spec.budget, clock());
    return wait instanceof Promise
      ? wait.then((seconds) => afterBudget(principal, seconds))
      : afterBudget(principal, wait);
  }

  return (endpoint, request, reply, keyOfBody) => {
    const { authorization } = request.headers;
    const { managedOnly, dialect } = endpoint.spec;
    if (managedOnly && config.mode !== "managed") throw new ApiError("managed_only");
    // A request with a key is one of a program, whatever cookies the browser adds.
    if (authorization === undefined && keyOfBody === undefined && dialect === undefined) {
      const person = admitPerson(endpoint.spec, request);
      if (person !== null) return person;
    }
    const token =
      keyOfBody ?? (dialect?.keyHeader ? plainToken(dialect.keyHeader, request) : tokenIn(authorization));
    const known = token === "" ? null : authenticate(token, request);
    return known instanceof Promise
      ? known.then((principal) => admit(endpoint, principal, request, reply))
      : admit(endpoint, known, request, reply);
  };
}

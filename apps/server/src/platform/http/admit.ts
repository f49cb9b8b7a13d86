import type { App } from "../runtime.ts";
import { createBudgets } from "./budget.ts";
import type { Endpoint, Principal } from "./endpoint.ts";
import { ApiError } from "./errors.ts";

/** Finds out whose key it is; null for an unknown one. Answers at once when it remembers. */
export type Authenticate = (token: string) => Principal | null | Promise<Principal | null>;

/** Lets a request in, or refuses it: managed-only, key, kind of key, budget, in this order. */
export type Admit = (endpoint: Endpoint, authorization: string | undefined) => Principal | Promise<Principal>;

const BEARER = "Bearer ";

export function createAdmission({ config, clock }: App, authenticate: Authenticate): Admit {
  const takeBudget = createBudgets(config.rateLimits);

  function admit({ spec }: Endpoint, principal: Principal | null): Principal {
    if (principal === null) throw new ApiError("unauthorized");
    if (!spec.keys.includes(principal.keyKind)) throw new ApiError("forbidden");
    const waitSeconds = takeBudget(principal.projectId, spec.budget, clock());
    if (waitSeconds === 0) return principal;
    // Without the second header a browser keeps the wait from the page.
    const headers = { "retry-after": String(waitSeconds), "access-control-expose-headers": "retry-after" };
    throw new ApiError("rate_limited", undefined, { headers });
  }

  return (endpoint, authorization) => {
    if (endpoint.spec.managedOnly && config.mode !== "managed") throw new ApiError("managed_only");
    const token = authorization?.startsWith(BEARER) ? authorization.slice(BEARER.length) : "";
    const known = token === "" ? null : authenticate(token);
    return known instanceof Promise
      ? known.then((principal) => admit(endpoint, principal))
      : admit(endpoint, known);
  };
}

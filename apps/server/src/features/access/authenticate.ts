import { SECOND_MS } from "../../platform/clock.ts";
import type { Authenticate } from "../../platform/http/admit.ts";
import type { Principal } from "../../platform/http/endpoint.ts";
import type { App } from "../../platform/runtime.ts";
import { findPrincipalAcrossProjects } from "./store.ts";
import { hasTokenForm, tokenDigest } from "./tokens.ts";

/** How long a key may be believed without asking again: a rotated key stops working within this time. */
const BELIEVED_MS = 5 * SECOND_MS;
const MAX_REMEMBERED = 10_000;

/** Finds the project and kind of a key. Known keys are answered from memory, without a promise. */
export function authenticator(app: App): Authenticate {
  const known = new Map<string, { principal: Principal; untilMs: number }>();
  const asking = new Map<string, Promise<Principal | null>>();

  async function ask(token: string): Promise<Principal | null> {
    try {
      const principal = await findPrincipalAcrossProjects(
        app.database.kysely,
        tokenDigest(token),
        app.clock(),
      );
      known.delete(token);
      if (principal !== null) {
        if (known.size >= MAX_REMEMBERED) known.clear();
        known.set(token, { principal, untilMs: app.clock() + BELIEVED_MS });
      }
      return principal;
    } finally {
      asking.delete(token);
    }
  }

  return (token) => {
    const entry = known.get(token);
    if (entry !== undefined && entry.untilMs > app.clock()) return entry.principal;
    if (!hasTokenForm(token)) return null;
    let answer = asking.get(token);
    if (answer === undefined) {
      answer = ask(token);
      asking.set(token, answer);
    }
    return answer;
  };
}

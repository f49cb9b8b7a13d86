import { SECOND_MS } from "../../platform/clock.ts";
import type { Authenticate } from "../../platform/http/admit.ts";
import type { Principal } from "../../platform/http/endpoint.ts";
import type { App } from "../../platform/runtime.ts";
import { perimeterOf } from "./perimeter.ts";
import { findKeyAcrossProjects, type KeyRow } from "./store.ts";
import { hasTokenForm, tokenDigest } from "./tokens.ts";

/**
 * How long a key may be believed without asking again: a rotated key stops working within this time, and what its project demands
 * holds within it.
 */
const BELIEVED_MS = 5 * SECOND_MS;
const MAX_REMEMBERED = 10_000;

function principalOf(app: App, row: KeyRow): Principal {
  const { projectId, keyKind } = row;
  const perimeter = perimeterOf(app, row);
  return perimeter === undefined ? { projectId, keyKind } : { projectId, keyKind, perimeter };
}

/** Finds the project and kind of a key. Known keys are answered from memory, without a promise. */
export function authenticator(app: App): Authenticate {
  const known = new Map<string, { principal: Principal; untilMs: number }>();
  const asking = new Map<string, Promise<Principal | null>>();

  async function ask(token: string): Promise<Principal | null> {
    try {
      const askedAt = app.clock();
      const key = await findKeyAcrossProjects(app.database.kysely, tokenDigest(token), askedAt);
      const principal = key && principalOf(app, key);
      known.delete(token);
      if (principal !== null) {
        if (known.size >= MAX_REMEMBERED) known.clear();
        known.set(token, { principal, untilMs: askedAt + BELIEVED_MS });
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

import { setTimeout as sleep } from "node:timers/promises";
import { isUnreachable } from "../../platform/db/db.ts";
import type { Authenticate } from "../../platform/http/admission/admit.ts";
import { afterAddressBudget, unknownKeys } from "../../platform/http/budgets/address-budget.ts";
import type { KeyPrincipal } from "../../platform/http/contract/endpoint.ts";
import { BoundedMap, remember } from "../../platform/remember.ts";
import { type App, resource } from "../../platform/runtime.ts";
import { SECOND_MS } from "../../platform/time/clock.ts";
import { hasTokenForm, tokenDigest } from "./keys/tokens.ts";
import { perimeterOf } from "./perimeter/perimeter.ts";
import { findKeyAcrossProjects, type KeyRow } from "./store.ts";

/**
 * How long a looked-up key is accepted from memory. While the database answers, a rotated key stops working within this time, and new
 * rules of its project apply within it. A key that was not found is not looked up again within it either.
 */
const BELIEVED_MS = 5 * SECOND_MS;
/** From this age on, a key in use is looked up again in the background, so that requests of a busy project never wait. */
const FRESH_MS = 2.5 * SECOND_MS;
/** How long a known key is accepted while the database gives no answer: for so long, requests that need no database still work. */
const BELIEVED_UNANSWERED_MS = 60 * SECOND_MS;
/** How long a request waits for the database before the remembered key is accepted. */
const PATIENCE_MS = 500;
const MAX_REMEMBERED = 10_000;

const TOO_MANY_UNKNOWN = "Too many requests with keys that do not exist";

type Answer = Promise<KeyPrincipal | null>;

function principalOf(app: App, row: KeyRow): KeyPrincipal {
  const { projectId, keyKind, isLent } = row;
  const perimeter = perimeterOf(app, row);
  const principal: KeyPrincipal = { projectId, keyKind };
  if (perimeter !== undefined) principal.perimeter = perimeter;
  if (isLent) principal.isLent = true;
  return principal;
}

function createAuthenticate(app: App): Authenticate {
  /** When keys were looked up and not found. */
  const unknown = new BoundedMap<number>(MAX_REMEMBERED);
  const known = remember<KeyPrincipal, null>({
    clock: app.clock,
    max: MAX_REMEMBERED,
    believedMs: BELIEVED_MS,
    freshMs: FRESH_MS,
    async load(token, lookedUpAt) {
      const key = await findKeyAcrossProjects(app.database.lookups.kysely, tokenDigest(token), lookedUpAt);
      if (key === null) unknown.set(token, lookedUpAt);
      return key && principalOf(app, key);
    },
    onFault: (cause) =>
      app.log.warn({ err: cause }, "a key could not be looked up again; it will be tried again"),
  });

  /** Looks up a known key again; if the database gives no answer, the remembered one is accepted. */
  function askPatiently(token: string, principal: KeyPrincipal): KeyPrincipal | Answer {
    const { answer, since } = known.load(token);
    const orBelieved = answer.catch((cause: unknown) => {
      if (isUnreachable(cause)) return principal;
      throw cause;
    });
    const leftMs = PATIENCE_MS - (performance.now() - since);
    if (leftMs <= 0) {
      // Requests that joined this look-up get its error; this one accepts the remembered key.
      orBelieved.catch(() => undefined);
      return principal;
    }
    const answered = new AbortController();
    const tooLate = sleep(leftMs, principal, { signal: answered.signal }).catch(() => principal);
    return Promise.race([orBelieved, tooLate]).finally(() => answered.abort());
  }

  /** Looks up a key that is not remembered, out of the budget for keys that do not exist. */
  async function askForNew(token: string, { address }: { readonly address: string }): Answer {
    // Many requests with the same new key share one look-up.
    const underWay = known.loading(token);
    if (underWay !== undefined) return underWay.answer;
    const budget = app.get(unknownKeys);
    afterAddressBudget(budget.take(address, app.clock()), TOO_MANY_UNKNOWN);
    const principal = await known.load(token).answer;
    if (principal !== null) budget.refund(address);
    return principal;
  }

  return (token, asker) => {
    const believed = known.believed(token);
    if (believed !== undefined) return believed;
    const entry = known.kept(token);
    if (entry !== undefined && entry.ageMs < BELIEVED_UNANSWERED_MS) return askPatiently(token, entry.value);
    if (!hasTokenForm(token)) return null;
    const missedAt = unknown.get(token);
    const missedMs = missedAt === undefined ? BELIEVED_MS : app.clock() - missedAt;
    // After the clock was set back, the age cannot be known.
    if (missedMs >= 0 && missedMs < BELIEVED_MS) return null;
    // A key that worked before is no guess, so its look-up costs nothing of the budget for guesses.
    return entry === undefined ? askForNew(token, asker) : known.load(token).answer;
  };
}

/** Finds the project and kind of a key. Known keys are answered from memory, without a promise. */
export const authenticator = resource(createAuthenticate);

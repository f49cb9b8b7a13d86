import { createBackoffs } from "../../../../platform/outbound/backoff.ts";
import { BoundedMap } from "../../../../platform/remember.ts";
import { resource } from "../../../../platform/runtime.ts";
import type { UsableCredential } from "../../credentials/public.ts";
import type { PushReply } from "../../providers/reply.pure.ts";

/** So many browsers have to be refused as too many before their push service is given a pause: one may have earned it alone. */
const COMPLAINTS = 3;
const MAX_KNOWN = 1_000;

/** To whom a push goes: the credential, and the token of the device. */
type Way = { credential: UsableCredential; token: string };

/**
 * What is backed off from: the provider, under one revision of a credential; of browsers, the push service that the token names (null:
 * none in particular).
 */
function providerKey({ id, revision, credential }: UsableCredential, token: string | null): string {
  const key = `${id} ${revision}`;
  if (credential.provider !== "webpush") return key;
  return `${key} ${/https:\/\/[^/"]{1,300}/.exec(token ?? "")?.[0] ?? ""}`;
}

/** For how long a reply says to leave the provider alone (ms; undefined: as usual); null where it says nothing of the provider. */
function pauseOf(reply: PushReply): { pauseMs: number | undefined } | null {
  if (reply.kind === "blocked")
    // What is the token's alone says nothing of where others are.
    return reply.class.startsWith("token_") ? null : { pauseMs: reply.retryAfterMs };
  if (reply.kind !== "rejected" || reply.retryAfterMs === undefined) return null;
  return reply.class === "throttled" || reply.class === "server" ? { pauseMs: reply.retryAfterMs } : null;
}

/** From which providers this process backs off. */
export const providerBackoffs = resource((app) => {
  const backoffs = createBackoffs(app.clock);
  const refusedAsTooMany = new BoundedMap<Set<string>>(MAX_KNOWN);

  /** Whether too many requests are the affair of the push service, not of the one browser. */
  function isOfService(key: string, token: string): boolean {
    const tokens = refusedAsTooMany.get(key) ?? new Set();
    refusedAsTooMany.set(key, tokens);
    if (tokens.size < COMPLAINTS) tokens.add(token);
    return tokens.size >= COMPLAINTS;
  }

  return {
    /** Until when to leave the provider alone, epoch ms; 0 where it need not be. */
    until: (credential: UsableCredential, token: string | null): number =>
      backoffs.until(providerKey(credential, token)),
    /** Takes the reply to a push into account. */
    learn({ credential, token }: Way, reply: PushReply): void {
      const key = providerKey(credential, token);
      if (reply.kind === "accepted") {
        refusedAsTooMany.delete(key);
        backoffs.clear(key);
        return;
      }
      const pause = pauseOf(reply);
      const isOne =
        credential.credential.provider === "webpush" && "class" in reply && reply.class === "throttled";
      if (pause !== null && (!isOne || isOfService(key, token))) backoffs.backOff(key, pause.pauseMs);
    },
  };
});

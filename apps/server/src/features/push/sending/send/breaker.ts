import { BoundedMap } from "../../../../platform/remember.ts";
import { type App, resource } from "../../../../platform/runtime.ts";
import type { UsableCredential } from "../../credentials/public.ts";
import { providerAddress } from "../../providers/public.ts";
import type { AttemptReply, SlotTransition } from "../rules.ts";

/** Refusals in a row, without an acceptance between them, from which on a credential that was never accepted counts as wrong. */
const SUSPICIONS = 20;
const MAX_KNOWN = 1_000;

/** What a reply says about the credential. `refused`: it is refused. `suspected`: it, or the token, is wrong. */
export type CredentialVerdict = "accepted" | "refused" | "suspected";

/** What the reply to a push says about its credential; null where it says nothing. */
export function verdictOf(
  reply: AttemptReply,
  { slot: { repair } }: Pick<SlotTransition, "slot">,
): CredentialVerdict | null {
  if (reply.kind === "accepted") return "accepted";
  if (reply.kind === "unknown" || reply.class === "barred" || repair?.kind !== "credential") return null;
  return reply.class === "token_doubtful" || reply.class === "token_foreign" ? "suspected" : "refused";
}

type Known = { suspicions: number; isProven: boolean; barredAt: number | null };

/**
 * What this process has learned about credentials, ahead of what is recorded with them: pushes that were reserved before a refusal was
 * recorded do not leave any more.
 */
export type Breaker = {
  isProven(key: string): boolean;
  /**
   * Whether a push that was reserved at this instant (epoch ms) has to stay, because its credential was refused since. After the clock was set
   * back, that cannot be known.
   */
  bars(key: string, reservedAt: number, now: number): boolean;
  /** Takes a verdict into account; true where nothing but probes may leave from now on. */
  learn(key: string, verdict: CredentialVerdict, now: number): boolean;
};

export function createBreaker(): Breaker {
  const kept = new BoundedMap<Known>(MAX_KNOWN);
  return {
    isProven: (key) => kept.get(key)?.isProven ?? false,
    bars(key, reservedAt, now) {
      const barredAt = kept.get(key)?.barredAt ?? null;
      return barredAt !== null && reservedAt <= barredAt && barredAt <= now;
    },
    learn(key, verdict, now) {
      const { suspicions, isProven, barredAt } = kept.get(key) ?? {
        suspicions: 0,
        isProven: false,
        barredAt: null,
      };
      if (verdict === "accepted") {
        if (!isProven || suspicions > 0 || barredAt !== null)
          kept.set(key, { suspicions: 0, isProven: true, barredAt: null });
        return false;
      }
      const bars = verdict === "refused" || suspicions + 1 >= SUSPICIONS;
      kept.set(key, { suspicions: suspicions + 1, isProven, barredAt: bars ? now : barredAt });
      return bars;
    },
  };
}

/** The breaker of this process, by `wayKey`. */
export const credentialBreaker = resource(createBreaker);

/** A credential at one revision, and the address at which it is used: what a provider says of it is true of these together. */
export type UsedWay = { credential: UsableCredential; address: string };

export const usedWay = (app: App, credential: UsableCredential, isLocal: boolean): UsedWay => ({
  credential,
  address: isLocal ? "local" : providerAddress(app, credential),
});

export const wayKey = ({ credential: { id, revision }, address }: UsedWay): string =>
  `${id} ${revision} ${address}`;

import type { App } from "../../../../platform/runtime.ts";
import { isDue } from "../../../../platform/time/far-ahead.ts";
import { claimProbes, type UsableCredential } from "../../credentials/public.ts";
import { LONGEST_PROBE_MS, PROBES } from "../../credentials/standing.pure.ts";
import type { CredentialAllowance } from "../rules.ts";
import type { DueSlot } from "./lease-store.ts";
import { findDueWays } from "./send-store.ts";

type Waits = Pick<DueSlot, "repairKind">;

/** What refused credentials let leave in one lease. */
export type Probes = {
  wayOf(credential: UsableCredential): CredentialAllowance;
  /** A slot leaves that only a probe lets leave, or one that anything does. */
  spend(credential: UsableCredential, slot: Waits): void;
  /** Slots in the order in which they are decided about: where there are probes, those that were not refused come first. */
  inOrder<Slot extends Waits>(slots: readonly Slot[]): readonly Slot[];
};

type Asking = {
  projectId: string;
  campaignId: string;
  now: number;
  /** How many slots the lease takes. */
  limit: number;
  backOffUntil(credential: UsableCredential, token: string | null): number;
};

/** Takes the probes that are due of those credentials that devices wait for whose slots this lease takes. */
async function claim(
  { database: { hotPool } }: Pick<App, "database">,
  { projectId, campaignId, now, limit, backOffUntil }: Asking,
  credentials: readonly UsableCredential[],
): Promise<{ id: string }[]> {
  const due = credentials.filter(
    (credential) =>
      credential.probeAt !== null &&
      isDue(credential.probeAt, now, LONGEST_PROBE_MS) &&
      backOffUntil(credential, null) <= now,
  );
  if (due.length === 0) return [];
  const ways = await findDueWays(hotPool, { projectId, campaignId, now, limit });
  const wanted = due
    .filter((credential) =>
      ways.some(
        ({ platform, environment }) =>
          platform === credential.platform && environment === credential.environment,
      ),
    )
    .map(({ id, revision }) => ({ id, projectId, revision, at: now }));
  return wanted.length === 0 ? [] : claimProbes(hotPool, wanted);
}

/**
 * Takes the probes that are due, by statements of their own: the row of a credential is locked after everything else of a push. Tests
 * need none.
 */
export async function takeProbes(
  app: Pick<App, "database">,
  asking: Asking & { tests: boolean },
  credentials: readonly UsableCredential[],
): Promise<Probes> {
  const taken = asking.tests ? [] : await claim(app, asking, credentials);
  const left = new Map(taken.map(({ id }) => [id, PROBES]));
  return {
    wayOf({ id, refusedAt, isBarred }) {
      if (refusedAt === null) return "open";
      if ((left.get(id) ?? 0) > 0) return "probe";
      return isBarred ? "barred" : "suspected";
    },
    spend({ id, isBarred }, { repairKind }) {
      const probes = left.get(id);
      if (probes !== undefined && (isBarred || repairKind === "credential")) left.set(id, probes - 1);
    },
    inOrder: (given) =>
      left.size === 0
        ? given
        : given.toSorted((a, b) => Number(a.repairKind !== null) - Number(b.repairKind !== null)),
  };
}

import type { Connection } from "../../../../platform/db/db.ts";
import { claimProbes, type UsableCredential } from "../../credentials/public.ts";
import { PROBES } from "../../credentials/standing.pure.ts";
import type { Way } from "../rules.ts";
import type { DueSlot } from "./lease-store.ts";

type Waits = Pick<DueSlot, "repairKind">;

/** What refused credentials let leave in one lease. */
export type Probes = {
  wayOf(credential: UsableCredential): Way;
  /** A slot leaves that only a probe lets leave, or one that anything does. */
  spend(credential: UsableCredential, slot: Waits): void;
  /** Slots in the order in which they are decided about: where there are probes, those that were not refused come first. */
  inOrder<Slot extends Waits>(slots: readonly Slot[]): readonly Slot[];
};

/** Takes the probes that are due of credentials that some of these slots need. */
export async function takeProbes(
  client: Connection,
  { projectId, backOffUntil }: { projectId: string; backOffUntil(credential: UsableCredential): number },
  credentials: readonly UsableCredential[],
  slots: readonly Pick<DueSlot, "platform" | "environment">[],
  now: number,
): Promise<Probes> {
  const due = credentials.filter(
    (credential) =>
      credential.probeAt !== null &&
      credential.probeAt <= now &&
      backOffUntil(credential) <= now &&
      slots.some(
        ({ platform, environment }) =>
          platform === credential.platform && environment === credential.environment,
      ),
  );
  const asked = due.map(({ id, revision }) => ({ id, projectId, revision, at: now }));
  const taken = asked.length === 0 ? [] : await claimProbes(client, asked);
  const left = new Map(taken.map(({ id }) => [id, PROBES]));
  return {
    wayOf({ id, refusedAt, isHeld }) {
      if (refusedAt === null) return "open";
      if ((left.get(id) ?? 0) > 0) return "probe";
      return isHeld ? "held" : "suspected";
    },
    spend({ id, isHeld }, { repairKind }) {
      const probes = left.get(id);
      if (probes !== undefined && (isHeld || repairKind === "credential")) left.set(id, probes - 1);
    },
    inOrder: (given) =>
      left.size === 0
        ? given
        : given.toSorted((a, b) => Number(a.repairKind !== null) - Number(b.repairKind !== null)),
  };
}

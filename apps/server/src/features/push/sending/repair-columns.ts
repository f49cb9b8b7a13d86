import type { Repair } from "./rules.ts";

/** The columns of a slot's repair: what a person has to change before the slot is tried again. All null where there is none. */
export type RepairColumns = {
  repairKind: Repair["kind"] | null;
  repairRevision: number | null;
  repairFingerprint: string | null;
};

export function repairOf({ repairKind, repairRevision, repairFingerprint }: RepairColumns): Repair | null {
  if (repairKind === null || repairRevision === null) return null;
  return repairKind === "payload"
    ? {
        kind: repairKind,
        credentialRevision: repairRevision,
        campaignFingerprint: repairFingerprint ?? "",
      }
    : { kind: repairKind, credentialRevision: repairRevision };
}

/** A repair as the API shows it: both kinds of a credential are mended by another one. */
export const shownRepair = (repair: Repair | null) =>
  repair === null || repair.kind === "payload" ? repair : { ...repair, kind: "credential" as const };

export const repairColumns = (repair: Repair | null) => ({
  repairKind: repair?.kind ?? null,
  repairRevision: repair?.credentialRevision ?? null,
  repairFingerprint: repair?.kind === "payload" ? repair.campaignFingerprint : null,
});

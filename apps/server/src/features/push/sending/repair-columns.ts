import type { Repair } from "./rules.ts";

/** What has to be mended before a slot is tried again, as its columns; all null where nothing has. */
export type RepairColumns = {
  repairKind: Repair["kind"] | null;
  repairRevision: number | null;
  repairFingerprint: string | null;
};

export function repairOf({ repairKind, repairRevision, repairFingerprint }: RepairColumns): Repair | null {
  if (repairKind === null || repairRevision === null) return null;
  return repairKind === "credential"
    ? { kind: repairKind, credentialRevision: repairRevision }
    : {
        kind: repairKind,
        credentialRevision: repairRevision,
        campaignFingerprint: repairFingerprint ?? "",
      };
}

export const repairColumns = (repair: Repair | null) => ({
  repairKind: repair?.kind ?? null,
  repairRevision: repair?.credentialRevision ?? null,
  repairFingerprint: repair?.kind === "payload" ? repair.campaignFingerprint : null,
});

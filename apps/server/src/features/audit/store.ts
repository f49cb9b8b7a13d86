import type { Db } from "../../platform/db/db.ts";
import type { AuditDetail, AuditEntry } from "../../platform/http/audit.ts";

export async function insertEntry(db: Db, { by, detail, ...entry }: AuditEntry): Promise<void> {
  await db
    .insertInto("auditEntries")
    .values({
      ...entry,
      byKind: by.kind,
      byId: by.id,
      byName: by.name,
      detail: JSON.stringify(detail),
    })
    .execute();
}

/** Which entries of an organization are meant: of one project, or of one person. */
export type EntryFilter = { projectId: string | null; personId?: string | undefined };

export type EntryRow = {
  id: number;
  projectId: string | null;
  at: number;
  byKind: string;
  byId: string | null;
  byName: string;
  operation: string;
  target: string | null;
  detail: AuditDetail;
  requestId: string | null;
};

/** Entries, newest first. @param before only those with a smaller id */
export async function listEntries(
  db: Db,
  organizationId: string,
  { projectId, personId }: EntryFilter,
  { before, limit }: { before: number; limit: number },
): Promise<EntryRow[]> {
  let query = db
    .selectFrom("auditEntries")
    .select([
      "id",
      "projectId",
      "at",
      "byKind",
      "byId",
      "byName",
      "operation",
      "target",
      "detail",
      "requestId",
    ])
    .where("organizationId", "=", organizationId)
    .where("id", "<", before);
  if (projectId !== null) query = query.where("projectId", "=", projectId);
  if (personId !== undefined) query = query.where("byId", "=", personId);
  const rows = await query.orderBy("id", "desc").limit(limit).execute();
  return rows.map((row) => ({ ...row, detail: row.detail as AuditDetail }));
}

import type { Feature } from "../../domain/feature.ts";
import { auditLog } from "../../platform/http/audit.ts";
import { plug } from "../../platform/runtime.ts";
import { exportAuditEntries } from "./export-audit-entries.ts";
import { listAuditAuthors } from "./list-audit-authors.ts";
import { listAuditEntries } from "./list-audit-entries.ts";
import { listAuditKinds } from "./list-audit-kinds.ts";
import { insertEntry } from "./store.ts";
import { tables } from "./tables.pure.ts";

export const audit: Feature = {
  room: "audit",
  tables,
  endpoints: [listAuditEntries, listAuditAuthors, listAuditKinds, exportAuditEntries],
  plugs: [plug(auditLog, insertEntry)],
  tags: { Audit: "Who changed what, and when." },
};

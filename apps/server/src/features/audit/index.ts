import type { Feature } from "../../platform/feature.ts";
import { auditLog } from "../../platform/http/audit.ts";
import { plug } from "../../platform/runtime.ts";
import { exportAuditEntries } from "./export-audit-entries.ts";
import { listAuditAuthors } from "./list-audit-authors.ts";
import { listAuditEntries } from "./list-audit-entries.ts";
import { insertEntry } from "./store.ts";

export const audit: Feature = {
  endpoints: [listAuditEntries, listAuditAuthors, exportAuditEntries],
  plugs: [plug(auditLog, insertEntry)],
  tags: { Audit: "Who changed what, and when." },
};

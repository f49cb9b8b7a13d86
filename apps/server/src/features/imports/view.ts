import { beginningOf } from "@tidings/client/text";
import { apiId, uuidFor } from "../../domain/ids.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Ctx } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { type Import, ImportMapping, ImportOptions, Preset, RefusalReason } from "./schema.ts";
import { findImport, type ImportRow } from "./store.ts";

const MOST_NAME = 80;

/** The author of an import as it is kept: the name of a person, or that it was a program. */
export const authorOf = ({ by }: Ctx): string => beginningOf(by.name ?? "API", MOST_NAME);

/** An import as the API shows it. What is stored was checked when it was stored. */
export function toImport(row: ImportRow): Import {
  return {
    id: apiId("imp", row.id),
    kind: row.kind as Import["kind"],
    name: row.name,
    preset: Preset.nullable().parse(row.preset),
    state: row.state as Import["state"],
    isDryRun: row.isDryRun,
    fault: row.fault,
    bytes: row.bytes,
    parts: row.parts,
    bytesRead: row.bytesRead,
    lines: row.lines,
    written: row.written,
    known: row.known,
    refused: row.refused,
    reasons: RefusalReason.array().parse(row.reasons),
    mapping: ImportMapping.nullable().parse(row.mapping),
    options: ImportOptions.parse(row.options),
    whoLeft: leaversIn(row.whoLeft),
    by: row.madeBy,
    startedBy: row.startedBy,
    createdAt: row.madeAt,
    startedAt: row.startedAt,
    endedAt: row.endedAt,
  };
}

const leaversIn = (stored: string | null): Import["whoLeft"] =>
  stored === null || stored === "nobody" ? stored : { importId: stored };

/** The import of an id of the API. @throws ApiError not_found */
export async function requireImport(db: Db, projectId: string, id: string): Promise<ImportRow> {
  const row = await findImport(db, projectId, uuidFor("imp", id));
  if (row === null) throw new ApiError("not_found", "Import not found");
  return row;
}

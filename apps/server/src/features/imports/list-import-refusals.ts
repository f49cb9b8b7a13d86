import { CSV_START, csvRow } from "@tidings/client/csv";
import { z } from "zod";
import type { Db } from "../../platform/db/db.ts";
import { Download, endpoint } from "../../platform/http/contract/endpoint.ts";
import { pathId } from "../../platform/http/contract/fields.ts";
import { nextRefusals, type RefusalRow } from "./store.ts";
import { requireImport } from "./view.ts";

const AT_ONCE = 1_000;

async function* table(db: Db, projectId: string, importId: string): AsyncGenerator<string> {
  yield CSV_START + csvRow(["line", "field", "rule", "text"]);
  let after: RefusalRow | null = null;
  do {
    const rows: RefusalRow[] = await nextRefusals(db, projectId, importId, after, AT_ONCE);
    yield rows.map(({ line, field, rule, text }) => csvRow([line, field, rule, text])).join("");
    after = rows.length < AT_ONCE ? null : (rows.at(-1) ?? null);
  } while (after !== null);
}

export const listImportRefusals = endpoint(
  {
    id: "listImportRefusals",
    method: "GET",
    path: "/api/v1/imports/{id}/refusals",
    tag: "Imports",
    summary: "Take out which lines were not taken, and why",
    description:
      "A table for spreadsheets: line, column, rule, and the rule in words. The first 10,000; all are counted in `reasons` of the import. It has no cell of the file, and is kept for 30 days.",
    keys: ["secret"],
    people: "editor",
    budget: "imports",
    tool: "It answers a file; the import itself counts the reasons.",
    downloads: ["text/csv"],
    params: z.object({ id: pathId.describe("Id of the import.") }),
    errors: ["not_found"],
  },
  async ({ db, projectId }, { params: { id } }) => {
    const row = await requireImport(db, projectId, id);
    return new Download("text/csv", `refusals-${row.id}.csv`, table(db, projectId, row.id));
  },
);

import { z } from "zod";
import { Download, endpoint } from "../../platform/http/contract/endpoint.ts";
import { filterFields, filterOf, toEntry } from "./filter.ts";
import { CSV_HEAD, csvLine, jsonLine } from "./lines.pure.ts";
import { nameEntries } from "./names-in.ts";
import { listEntries } from "./store.ts";

/** How many entries one statement reads: a file of any size takes little memory. */
const PIECE = 500;

const CONTENT_TYPES = { ndjson: "application/x-ndjson", csv: "text/csv" } as const;

export const exportAuditEntries = endpoint(
  {
    id: "exportAuditEntries",
    method: "GET",
    path: "/api/people/audit/export",
    tag: "Audit",
    summary: "Download what people changed, newest first",
    description:
      "A file with one entry a line: JSON, or a table for spreadsheets. It is written while it is read, and has what was there when it began. Beside the ids stand the names of what is there still, as it is called now.",
    keys: [],
    people: "owner",
    scope: "either",
    fresh: true,
    downloads: Object.values(CONTENT_TYPES),
    query: z.object({
      ...filterFields,
      format: z.enum(["ndjson", "csv"]).default("ndjson").describe("JSON by lines, or a table."),
    }),
  },
  async (ctx, { query: { before, format, ...narrowed } }) => {
    const { organizationId, filter } = filterOf(ctx, narrowed);
    const line = format === "csv" ? csvLine : jsonLine;
    async function* pieces(): AsyncGenerator<string> {
      if (format === "csv") yield CSV_HEAD;
      for (let next: number | undefined = before; next !== undefined; ) {
        const rows = await listEntries(ctx.db, organizationId, filter, { before: next, limit: PIECE });
        const entries = await nameEntries(ctx, rows.map(toEntry));
        if (rows.length > 0) yield entries.map(line).join("");
        next = rows.length < PIECE ? undefined : rows.at(-1)?.id;
      }
    }
    const day = new Date(ctx.now).toISOString().slice(0, 10);
    return new Download(CONTENT_TYPES[format], `audit-log-${day}.${format}`, pieces());
  },
);

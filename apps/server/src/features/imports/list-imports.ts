import { z } from "zod";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { pageAnswer, pageFields, pageQuery, pageWindow } from "../../platform/http/contract/page.ts";
import { Import } from "./schema.ts";
import { readImports } from "./store.ts";
import { toImport } from "./view.ts";

export const listImports = endpoint(
  {
    id: "listImports",
    method: "GET",
    path: "/api/v1/imports",
    tag: "Imports",
    summary: "List files that are brought in",
    description: "Newest first.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "imports",
    tool: {},
    oneInstant: true,
    query: z.object(pageQuery()),
    result: z.object({ imports: z.array(Import).max(100).describe("The files."), ...pageFields }),
  },
  async ({ db, projectId }, { query }) => {
    const { rows, total } = await readImports(db, projectId, pageWindow(query));
    return { imports: rows.map(toImport), ...pageAnswer(query, total) };
  },
);

import { z } from "zod";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { epochMs, pathId } from "../../../platform/http/contract/fields.ts";
import { requireSource } from "./people.ts";
import { MOST_INSTRUCTIONS, Source } from "./schema.ts";
import { listMappings } from "./store.ts";
import { toSource } from "./view.ts";

export const getSource = endpoint(
  {
    id: "getSource",
    method: "GET",
    path: "/api/people/sources/{id}",
    tag: "Launches",
    summary: "Show a repository with what only people see of it",
    keys: [],
    people: "viewer",
    oneInstant: true,
    params: z.object({ id: pathId }),
    result: z.object({
      source: Source,
      instructions: z
        .string()
        .max(MOST_INSTRUCTIONS)
        .describe("What an agent has to mind when it drafts campaigns."),
      hasCredential: z.boolean().describe("Whether it is read with a credential, which is never shown."),
      failures: z.int().min(0).describe("How many looks in a row have failed."),
      nextLookAt: epochMs.describe("When it is looked at next, in epoch milliseconds."),
    }),
    errors: ["not_found"],
  },
  async (ctx, { params: { id } }) => {
    const row = await requireSource(ctx, id);
    return {
      source: toSource(row, await listMappings(ctx.db, ctx.projectId, id)),
      instructions: row.instructions,
      hasCredential: row.credential !== null,
      failures: row.failures,
      nextLookAt: row.lookAt,
    };
  },
);

import { z } from "zod";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { pathId } from "../../platform/http/contract/fields.ts";
import { Import } from "./schema.ts";
import { stopReading } from "./store.ts";
import { requireImport, toImport } from "./view.ts";

export const stopImport = endpoint(
  {
    id: "stopImport",
    method: "POST",
    path: "/api/v1/imports/{id}/stop",
    audit: "stopped bringing in a file",
    tag: "Imports",
    summary: "Stop reading a file",
    description: "What is brought in stays. A start goes on where it was stopped.",
    keys: ["secret"],
    people: "editor",
    reachesUsers: "It only ends what an approver has started.",
    budget: "imports",
    tool: {},
    params: z.object({ id: pathId.describe("Id of the import.") }),
    result: z.object({ import: Import.describe("The file that is brought in.") }),
    errors: ["not_found", "conflict"],
    reasons: ["not_running"],
  },
  async ({ db, projectId, now }, { params: { id } }) => {
    const { id: importId } = await requireImport(db, projectId, id);
    if (!(await stopReading(db, projectId, importId, now)))
      throw new ApiError("conflict", "This file is not being read.", { fields: { reason: "not_running" } });
    return { import: toImport(await requireImport(db, projectId, id)) };
  },
);

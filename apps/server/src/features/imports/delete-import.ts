import { z } from "zod";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { pathId } from "../../platform/http/contract/fields.ts";
import { lockImport, removeImport } from "./store.ts";
import { requireImport } from "./view.ts";

export const deleteImport = endpoint(
  {
    id: "deleteImport",
    method: "DELETE",
    path: "/api/v1/imports/{id}",
    audit: "deleted a file that was brought in",
    tag: "Imports",
    summary: "Delete a file with what is known of it",
    description: "What it brought in stays: users, events, and who gets no mail.",
    keys: ["secret"],
    people: "editor",
    reachesUsers: "What it brought in stays.",
    budget: "imports",
    tool: "A model has no file to bring in.",
    params: z.object({ id: pathId.describe("Id of the import.") }),
    errors: ["not_found", "conflict"],
    reasons: ["running"],
  },
  async (ctx, { params: { id } }) => {
    const { db, projectId } = ctx;
    const { id: importId } = await requireImport(db, projectId, id);
    await lockImport(db, projectId, importId);
    const { state, name } = await requireImport(db, projectId, id);
    if (state === "running")
      throw new ApiError("conflict", "This file is being read: stop it first.", {
        fields: { reason: "running" },
      });
    await removeImport(db, projectId, importId);
    ctx.describe({ before: { name } });
  },
);

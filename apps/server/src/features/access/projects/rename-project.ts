import { z } from "zod";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { projectName } from "../schema.ts";
import { renameProject as callProject } from "../store.ts";

export const renameProject = endpoint(
  {
    id: "renameProject",
    method: "PUT",
    path: "/api/people/project/name",
    audit: "renamed a project",
    tag: "Projects",
    summary: "Call a project something else",
    description: "Recipients of its mail read the name of the sender, not this one.",
    keys: [],
    people: "owner",
    errors: ["not_found"],
    body: z.object({ name: projectName.describe("What people call it, in 1 to 80 characters.") }),
    example: { name: "Shop" },
  },
  async (ctx, { body: { name } }) => {
    const before = await callProject(ctx.db, ctx.projectId, name);
    if (before === null) throw new ApiError("not_found", "Project not found");
    ctx.describe({ target: ctx.projectId, before: { name: before }, after: { name } });
  },
);

import { z } from "zod";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { closeProject } from "./delete-project.ts";

export const removeProject = endpoint(
  {
    id: "removeProject",
    method: "DELETE",
    path: "/api/people/projects/{projectId}",
    audit: "deleted a project",
    tag: "Projects",
    summary: "Delete a project with everything in it, for good",
    description:
      "Its keys stop working within 5 seconds, its campaigns end, and it is in no list any more. Its rows go by themselves, beginning some seconds later. Its own audit log goes with it; that it was deleted stays in the log of all projects.",
    keys: [],
    people: "operator",
    scope: "organization",
    fresh: true,
    errors: ["not_found"],
    params: z.object({ projectId: z.uuid().describe("Id of the project.") }),
  },
  async (ctx, { params: { projectId } }) => {
    const name = await closeProject(ctx.db, projectId, ctx.now);
    if (name === null) throw new ApiError("not_found", "Project not found");
    ctx.describe({ before: { name } });
  },
);

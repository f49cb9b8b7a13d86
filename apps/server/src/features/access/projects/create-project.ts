import { z } from "zod";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { text } from "../../../platform/http/contract/fields.ts";
import { projectName } from "../schema.ts";
import { createProject as makeProject } from "./projects.ts";

const shown = (what: string) => text(64).describe(`The key for ${what}.`);

export const createProject = endpoint(
  {
    id: "createProject",
    method: "POST",
    path: "/api/people/projects",
    audit: "made a project",
    tag: "Projects",
    summary: "Make a project",
    description: "Its keys are shown this once: of the secret one and the agent's, only hashes are kept.",
    keys: [],
    people: "operator",
    scope: "organization",
    fresh: true,
    status: 201,
    body: z.object({ name: projectName.describe("What people call it, in 1 to 80 characters.") }),
    example: { name: "Shop" },
    result: z.object({
      projectId: text(36).describe("Id of the project."),
      publishableKey: shown("its pages and apps"),
      secretKey: shown("its servers"),
      agentKey: shown("an agent of its own"),
    }),
  },
  async (ctx, { body: { name } }) => {
    const made = await makeProject(ctx.db, name, ctx.now);
    ctx.describe({ target: made.projectId, after: { name } });
    return made;
  },
);

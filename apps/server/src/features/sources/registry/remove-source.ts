import { z } from "zod";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { pathId } from "../../../platform/http/contract/fields.ts";
import { remove } from "./manage.ts";
import { requireSource } from "./people.ts";

export const removeSource = endpoint(
  {
    id: "removeSource",
    method: "DELETE",
    path: "/api/people/sources/{id}",
    audit: "removed a repository",
    tag: "Launches",
    summary: "Forget a repository, its mappings and its deployments",
    description: "Campaigns that announce its changes wait.",
    keys: [],
    people: "owner",
    fresh: true,
    params: z.object({ id: pathId }),
    errors: ["not_found"],
  },
  async (ctx, { params: { id } }) => {
    const { url, branch } = await requireSource(ctx, id, "for update");
    await remove(ctx.db, ctx.app.config, { projectId: ctx.projectId, id });
    ctx.describe({ before: { url, branch } });
  },
);

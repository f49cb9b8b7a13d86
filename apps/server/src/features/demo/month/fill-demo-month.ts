import { z } from "zod";
import { type Ctx, endpoint } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { text } from "../../../platform/http/contract/fields.ts";
import { NO_PROJECT } from "../../../platform/http/contract/person.ts";
import { openShop } from "../open-shop.ts";
import { isShop } from "../store.ts";
import { fillMonth } from "./fill.ts";

/** The project that is meant; where all are, that of the demo, which is made where there is none. */
async function projectOf({ app, projectId }: Ctx): Promise<string> {
  if (projectId !== NO_PROJECT) return projectId;
  if (!app.config.demo) throw new ApiError("conflict", "This server has no demo shop: DEMO=1 gives it one.");
  return (await openShop(app)).projectId;
}

export const fillDemoMonth = endpoint(
  {
    id: "fillDemoMonth",
    method: "POST",
    path: "/api/people/demo/month",
    audit: "filled the demo with a month",
    tag: "Projects",
    summary: "Fill the demo's project with a month of a shop",
    description:
      "Invented customers, what they did in 30 days, campaigns of all channels and what came of them. Answers once all of it is there, which takes some seconds; until then nothing of it is seen. Only for the project that the demo made; a project that has its month stays as it is. With the header X-Tidings-Project: - the demo's project is made where there is none yet.",
    keys: [],
    people: "owner",
    scope: "either",
    ownTransaction: true,
    result: z.object({
      projectId: text(36).describe("The demo's project."),
      result: z
        .enum(["filled", "known"])
        .describe("`known`: the project had its month before, and nothing was done."),
      tookMs: z.int().min(0).describe("How long it took, in milliseconds."),
    }),
    errors: ["conflict"],
  },
  async (ctx) => {
    const { app, db } = ctx;
    const projectId = await projectOf(ctx);
    if (!(await isShop(db, projectId)))
      throw new ApiError("conflict", "Only the project that the demo made can be filled with a month.");
    await ctx.reserve?.();
    ctx.describe({ target: projectId });
    return { projectId, ...(await fillMonth(app, projectId)) };
  },
);

import { z } from "zod";
import { endpoint } from "../../../platform/http/endpoint.ts";
import { ApiError } from "../../../platform/http/errors.ts";
import { isShop } from "../store.ts";
import { fillMonth } from "./fill.ts";

export const fillDemoMonth = endpoint(
  {
    id: "fillDemoMonth",
    method: "POST",
    path: "/api/people/demo/month",
    tag: "People",
    summary: "Fill the demo's project with a month of a shop",
    description:
      "Invented customers, what they did in 30 days, campaigns of all channels and what came of them. Answers once all of it is there, which takes some seconds; until then nothing of it is seen. Only for the project that the demo made; a project that has its month stays as it is.",
    keys: [],
    people: "owner",
    ownTransaction: true,
    result: z.object({
      result: z
        .enum(["filled", "known"])
        .describe("`known`: the project had its month before, and nothing was done."),
      tookMs: z.int().min(0).describe("How long it took, in milliseconds."),
    }),
    errors: ["conflict"],
  },
  async (ctx) => {
    const { app, db, projectId } = ctx;
    if (!(await isShop(db, projectId)))
      throw new ApiError("conflict", "Only the project that the demo made can be filled with a month.");
    await ctx.reserve?.();
    return fillMonth(app, projectId);
  },
);

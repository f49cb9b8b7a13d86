import { z } from "zod";
import { uuidFor } from "../../../domain/ids.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { epochMs, pathId, text } from "../../../platform/http/contract/fields.ts";
import { pageAnswer, pageFields, pageQuery, pageWindow } from "../../../platform/http/contract/page.ts";
import { PURPOSES } from "./rules.ts";
import { Campaign, EffectiveStatus } from "./schema.ts";
import { listCampaigns as selectCampaigns } from "./store.ts";
import { viewCampaigns } from "./view.ts";

export const listCampaigns = endpoint(
  {
    id: "listCampaigns",
    method: "GET",
    path: "/api/v1/campaigns",
    tag: "Campaigns",
    summary: "List campaigns with their statistics, newest first",
    description:
      "`status` is the effective status at `evaluatedAt`; `q` is part of the name, whatever its case. With `segmentId`, the `audience` of each says which version it pins.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "campaigns",
    // Templates are what programs send.
    tool: { hides: ["purpose", "journeyId"] },
    oneInstant: true,
    query: z.object({
      purpose: z
        .enum(PURPOSES)
        .default("marketing")
        .describe(
          "`transactional` lists the templates of transactional mail, which are not listed otherwise.",
        ),
      status: EffectiveStatus.optional().describe("Only campaigns of this effective status."),
      q: text(200, 0).optional().describe("Part of the name, whatever its case."),
      goalId: pathId.optional().describe("Only campaigns of this goal."),
      segmentId: pathId.optional().describe("Only campaigns that pin a version of this segment."),
      journeyId: pathId
        .optional()
        .describe("Only the messages of this journey, which are not listed otherwise."),
      ...pageQuery(100),
    }),
    result: z.object({
      campaigns: z.array(Campaign).max(100).describe("The campaigns."),
      ...pageFields,
      evaluatedAt: epochMs,
    }),
  },
  async (ctx, { query }) => {
    const { projectId, now } = ctx;
    const filter = {
      purpose: query.purpose,
      status: query.status ?? null,
      nameContains: query.q ?? null,
      goalId: query.goalId === undefined ? null : uuidFor("goal", query.goalId),
      segmentId: query.segmentId ?? null,
      journeyId: query.journeyId === undefined ? null : uuidFor("jrn", query.journeyId),
      now,
    };
    const { rows, total } = await selectCampaigns(ctx.db, projectId, filter, pageWindow(query));
    return {
      campaigns: await viewCampaigns(ctx.db, projectId, rows, now),
      ...pageAnswer(query, total),
      evaluatedAt: now,
    };
  },
);

import { z } from "zod";
import { endpoint } from "../../../platform/http/endpoint.ts";
import { epochMs, text } from "../../../platform/http/fields.ts";
import { pageAnswer, pageFields, pageQuery, pageWindow } from "../../../platform/http/page.ts";
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
      "`status` is the effective status at `evaluatedAt`; `q` is part of the name, whatever its case.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "campaigns",
    oneInstant: true,
    query: z.object({ status: EffectiveStatus.optional(), q: text(200, 0).optional(), ...pageQuery(100) }),
    result: z.object({ campaigns: z.array(Campaign).max(100), ...pageFields, evaluatedAt: epochMs }),
  },
  async (ctx, { query }) => {
    const { projectId, now } = ctx;
    const filter = { status: query.status ?? null, nameContains: query.q ?? null, now };
    const { rows, total } = await selectCampaigns(ctx.db, projectId, filter, pageWindow(query));
    return {
      campaigns: await viewCampaigns(ctx.db, projectId, rows, now),
      ...pageAnswer(query, total),
      evaluatedAt: now,
    };
  },
);

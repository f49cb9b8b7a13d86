import { z } from "zod";
import { apiId } from "../../../domain/ids.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { epochMs } from "../../../platform/http/contract/fields.ts";
import { pageAnswer, pageFields, pageQuery, pageWindow } from "../../../platform/http/contract/page.ts";
import { findCampaign } from "../../campaigns/authoring/public.ts";
import { Channel } from "../../campaigns/authoring/schema.ts";
import { CampaignActivation } from "../schema.ts";
import { viewActivation } from "../view.ts";
import { listAnnouncing } from "./announcement-store.ts";

const PER_PAGE = 10;

const Announcement = z.object({
  campaign: z
    .object({
      id: z.string().max(128).describe("Id of the campaign."),
      name: z.string().max(200).describe("Its name."),
      channel: Channel.describe("The way on which it reaches users."),
      status: z.enum(["draft", "running", "paused", "ended"]).describe("Its status."),
      startedAt: epochMs.nullable().describe("When it was first launched; null before that."),
    })
    .describe("The campaign."),
  activation: CampaignActivation,
});

export const listAnnouncements = endpoint(
  {
    id: "listAnnouncements",
    method: "GET",
    path: "/api/people/announcements",
    tag: "Launches",
    summary: "List the campaigns that announce changes of code, newest first",
    description: "Each with what it waits for, or with how it was launched.",
    keys: [],
    people: "viewer",
    cost: "heavy",
    oneInstant: true,
    query: z.object({
      state: z
        .enum(["waiting", "launched"])
        .optional()
        .describe("Only those that were never launched and may be yet, or only those that were."),
      ...pageQuery(PER_PAGE),
    }),
    result: z.object({ announcements: z.array(Announcement).max(100), ...pageFields }),
  },
  async (ctx, { query }) => {
    const { db, projectId } = ctx;
    const { ids, total } = await listAnnouncing(db, projectId, query.state ?? null, pageWindow(query));
    const announcements = [];
    for (const id of ids) {
      const row = await findCampaign(db, projectId, id);
      if (row === null) continue;
      const { name, channel, status, startedAt } = row;
      announcements.push({
        campaign: { id: apiId("cmp", id), name, channel, status, startedAt },
        activation: await viewActivation(ctx, row),
      });
    }
    return { announcements, ...pageAnswer(query, total) };
  },
);

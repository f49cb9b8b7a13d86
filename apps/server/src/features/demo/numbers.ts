import type { PublicFile } from "../../platform/http/public/public-file.ts";
import { readNewestCampaigns } from "../campaigns/authoring/public.ts";
import type { Campaign } from "../campaigns/authoring/schema.ts";
import { EXPERIMENT } from "./experiment/story.pure.ts";
import { MONTH_CAMPAIGNS } from "./month/shop.pure.ts";
import { openShop, writesMail } from "./open-shop.ts";

/** More campaigns than the shop has, even after a visitor has made some. */
const MAX_CAMPAIGNS = 100;

/** Campaigns with a goal first, then by age, the oldest first. */
const inOrder = (a: Campaign, b: Campaign): number =>
  Number(a.goalId === null) - Number(b.goalId === null) ||
  a.createdAt - b.createdAt ||
  a.id.localeCompare(b.id);

const onPages = ({ name, stats: { shown, clicked, dismissed, converted } }: Campaign) => ({
  name,
  shown,
  clicked,
  dismissed,
  converted,
});

/** A push that arrived was shown. */
const onPhones = ({ name, stats: { delivered, clicked, converted } }: Campaign) => ({
  name,
  shown: delivered,
  clicked,
  dismissed: 0,
  converted,
});

const inMail = ({ name, stats: { sent, opened, clicked, unsubscribed } }: Campaign) => ({
  name,
  sent,
  opened,
  clicked,
  unsubscribed,
});

/** What the page of the shop shows no results of: its experiment has a page of its own, and its month is in the dashboard. */
const ELSEWHERE = new Set([EXPERIMENT, ...MONTH_CAMPAIGNS]);

/** The results of the shop's campaigns. This page is public, so it reads no other project. */
export const shopNumbers: PublicFile = {
  path: "/demo/assets/numbers.json",
  kept: "never",
  isServed: (config) => config.demo,
  async read(app) {
    const { projectId } = await openShop(app);
    const found = await readNewestCampaigns(app.database.kysely, projectId, app.clock(), MAX_CAMPAIGNS);
    const campaignsOn = (channel: Campaign["channel"]): Campaign[] =>
      found.filter((each) => each.channel === channel && !ELSEWHERE.has(each.name)).toSorted(inOrder);
    const numbers = {
      campaigns: [...campaignsOn("web_inapp").map(onPages), ...campaignsOn("push").map(onPhones)],
      mail: writesMail(app) ? campaignsOn("email").map(inMail) : [],
    };
    return { bytes: Buffer.from(JSON.stringify(numbers)), contentType: "application/json; charset=utf-8" };
  },
};

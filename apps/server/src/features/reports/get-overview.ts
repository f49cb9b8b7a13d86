import { z } from "zod";
import { atOneInstant } from "../../platform/db/transactions/at-one-instant.ts";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { count, epochMs } from "../../platform/http/contract/fields.ts";
import { DAY_MS } from "../../platform/time/clock.ts";
import { bringUpToDate, readDays, readUserCounts } from "../counting/rollups/public.ts";
import { countedThrough } from "../counting/rollups/schema.ts";
import { dayOf, startOfDay } from "./rules.ts";
import { countActiveCampaigns, countEventsBetween, countWithheld } from "./store.ts";

export const getOverview = endpoint(
  {
    id: "getOverview",
    method: "GET",
    path: "/api/v1/overview",
    tag: "Reports",
    summary: "A project in a few numbers",
    description:
      "`activeCampaigns` counts campaigns that are launched and not paused or ended, whatever their window; `runningCampaigns` those of them whose window is open.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "reports",
    tool: "The dashboard draws it, and other tools answer the same questions.",
    oneInstant: "It opens its instant after applying deltas of the rollups.",
    cost: "heavy",
    result: z
      .object({
        evaluatedAt: epochMs,
        endUsers: count.meta({ description: "All users, without visitors.", example: 1_200 }),
        eventsLast7d: count.meta({ description: "Events of the last seven days.", example: 4_800 }),
        activeCampaigns: count.meta({
          description: "Campaigns that are launched and not paused or ended.",
          example: 3,
        }),
        runningCampaigns: count.describe("Campaigns whose effective status is `running`."),
        withheldDeliveries: count.describe("Messages that users did not get because a goal holds them out."),
        ...countedThrough,
      })
      .meta({ id: "ProjectOverview" }),
  },
  async ({ app, db, projectId, now }) => {
    const since = now - 7 * DAY_MS;
    const firstWholeDay = dayOf(since - 1) + 1;
    const behind = await bringUpToDate(app, projectId, now);
    return atOneInstant(db, async (tx) => {
      const days = await readDays(tx, projectId, firstWholeDay, dayOf(now));
      const before = await countEventsBetween(tx, projectId, since, startOfDay(firstWholeDay));
      return {
        evaluatedAt: now,
        endUsers: (await readUserCounts(tx, projectId)).users,
        eventsLast7d: days.reduce((sum, { events }) => sum + events, before),
        ...(await countActiveCampaigns(tx, projectId, now)),
        withheldDeliveries: await countWithheld(tx, projectId),
        ...behind,
      };
    });
  },
);

import { z } from "zod";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { DAY_MS } from "../../../platform/time/clock.ts";
import { countUsers } from "./find/list-store.ts";
import { UserSummary } from "./schema.ts";

export const getUserSummary = endpoint(
  {
    id: "getUserSummary",
    method: "GET",
    path: "/api/v1/users/summary",
    tag: "Users",
    summary: "Count all users, the active and the new ones of a week",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "goals",
    tool: "The dashboard draws it, and other tools answer the same questions.",
    oneInstant: true,
    cost: "heavy",
    query: z.object({
      window: z.literal("7d").default("7d").describe("The stretch of time that is asked about."),
    }),
    result: UserSummary,
  },
  async ({ db, projectId, now }, { query: { window } }) => {
    const startAt = now - 7 * DAY_MS;
    return { evaluatedAt: now, window, startAt, ...(await countUsers(db, projectId, startAt)) };
  },
);

import { z } from "zod";
import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { count } from "../../../../platform/http/contract/fields.ts";
import { readSome } from "../../../settings/public.ts";
import { creditsUsed } from "../../credits/public.ts";
import { creditSettings } from "../../credits/settings.pure.ts";
import { safetySettings } from "../settings.pure.ts";

const KEYS = [
  "safety.loopPaused",
  "safety.approvalOverride",
  "safety.maxRunsPerDay",
  "safety.maxConcurrentCampaigns",
  "ai.monthlyLimit",
] as const;

export const getAgentSettings = endpoint(
  {
    id: "getAgentSettings",
    method: "GET",
    path: "/api/v1/agent/settings",
    tag: "Agent",
    summary: "Read what people have set for the agent, and how much of its credits is used",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "agent",
    tool: "The loop of an agent reads its limits, and reports what it spent.",
    oneInstant: true,
    result: z.object({
      loopPaused: z.boolean().describe("Whether its loop is paused: it takes up no further evaluation."),
      approvalOverride: z
        .literal("require_human")
        .nullable()
        .describe("`require_human` has people approve for every goal, whatever the goal says."),
      maxRunsPerDay: count.describe("Runs that it may begin per UTC day."),
      maxConcurrentCampaigns: count.describe("Campaigns that may be evaluated at once."),
      ai: z
        .object({
          creditsUsed: count.describe("Credits that this UTC month has used."),
          monthlyLimit: count.max(1_000_000).describe("Credits per UTC month; 0: it begins nothing."),
          limitReached: z.boolean().describe("Whether it may begin no further run of a model."),
        })
        .describe("The credits of this UTC month."),
    }),
  },
  async ({ db, projectId, now }) => {
    const settings = await readSome(db, projectId, { ...safetySettings, ...creditSettings }, KEYS);
    const used = await creditsUsed(db, projectId, now);
    const monthlyLimit = settings["ai.monthlyLimit"];
    return {
      loopPaused: settings["safety.loopPaused"],
      approvalOverride: settings["safety.approvalOverride"],
      maxRunsPerDay: settings["safety.maxRunsPerDay"],
      maxConcurrentCampaigns: settings["safety.maxConcurrentCampaigns"],
      ai: { creditsUsed: used, monthlyLimit, limitReached: used >= monthlyLimit },
    };
  },
);

import { z } from "zod";
import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { count, epochMs, text } from "../../../../platform/http/contract/fields.ts";
import { DAY_MS } from "../../../../platform/time/clock.ts";
import { LastChange, readLastChange, readSome } from "../../../settings/public.ts";
import { usageOfMonth } from "../../credits/public.ts";
import { AgentAtWork } from "../schema.ts";
import { agentSettings, safetySettings } from "../settings.pure.ts";
import { countLiveLeases, readGranted } from "../store.ts";
import { readAtWork } from "./at-work.ts";

const MOST_MODELS = 100;

const OfModel = z.object({
  model: text(200).nullable().describe("The model; null where the agent did not name it."),
  runs: count.describe("Runs that asked it."),
  credits: count.describe("Credits that they used."),
  costMicros: count.describe("What they cost, in micro-USD."),
  inputTokens: count.describe("Tokens that were read."),
  outputTokens: count.describe("Tokens that were written."),
});

export const getAgentActivity = endpoint(
  {
    id: "getAgentActivity",
    method: "GET",
    path: "/api/people/agent",
    tag: "Agent",
    summary: "Read what decides for the agent, and what it has done today and this month",
    keys: [],
    people: "viewer",
    oneInstant: true,
    result: z.object({
      policy: text(64).nullable().describe("What looks after campaigns; null: only programs of your own."),
      model: text(200).nullable().describe("The model that model@1 asks."),
      everyHours: count.describe("Hours from one look at a campaign to the next."),
      approvalHours: count.describe("Hours within which people may decide a proposal."),
      runsUsedToday: count.describe("Evaluations of this UTC day that were paid for."),
      atWork: AgentAtWork,
      pausedBy: LastChange.nullable().describe(
        "Who paused all agents of the project, while they are; null where they are not, or that is not known.",
      ),
      evaluating: count.describe("Campaigns that are being evaluated now."),
      usage: z.object({
        since: epochMs.describe("The beginning of the UTC month, epoch milliseconds."),
        models: z.array(OfModel).max(MOST_MODELS).describe("What each model used, the most credits first."),
      }),
    }),
  },
  async (ctx) => {
    const { db, projectId, now } = ctx;
    const settings = await readSome(db, projectId, { ...safetySettings, ...agentSettings }, [
      "safety.loopPaused",
      "agent.policy",
      "agent.model",
      "agent.everyHours",
      "safety.approvalHours",
    ]);
    return {
      policy: settings["agent.policy"],
      model: settings["agent.model"],
      everyHours: settings["agent.everyHours"],
      approvalHours: settings["safety.approvalHours"],
      runsUsedToday: await readGranted(db, projectId, Math.floor(now / DAY_MS)),
      atWork: await readAtWork(ctx),
      pausedBy: settings["safety.loopPaused"]
        ? await readLastChange(db, projectId, "safety.loopPaused")
        : null,
      evaluating: await countLiveLeases(db, projectId, now),
      usage: await usageOfMonth(db, projectId, now, MOST_MODELS),
    };
  },
);

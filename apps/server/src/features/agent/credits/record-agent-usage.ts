import { z } from "zod";
import type { Db } from "../../../platform/db/db.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { anyOf, count, text } from "../../../platform/http/contract/fields.ts";
import { parseField } from "../../../platform/http/contract/parse-field.ts";
import { newUuid } from "../../../platform/uuid.ts";
import { readSome } from "../../settings/public.ts";
import { type PriceRow, parseAiPrices } from "./prices.pure.ts";
import { priced } from "./rules.ts";
import { Calls } from "./schema.ts";
import { creditSettings } from "./settings.pure.ts";
import { type CreditUsage, findUsage, insertUsage } from "./store.ts";

const executionId = text(128).describe("The agent's id of the run: sent again, it is not billed again.");
const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

export const recordAgentUsage = endpoint(
  {
    id: "recordAgentUsage",
    method: "POST",
    path: "/api/v1/agent/usage-reports",
    tag: "Agent",
    summary: "Record what a run of the hosted agent used, and bill it in credits",
    description:
      "Only for the hosted agent: agents that you run yourself are not billed. An `executionId` that is known is answered with what was recorded under it, and `replayed`, whatever else the request says.",
    keys: ["agent"],
    budget: "agent",
    tool: "The loop of an agent reads its limits, and reports what it spent.",
    countsEscapes: true,
    body: z.object({
      executionId,
      calls: anyOf(Calls).describe("Calls of models, 1 to 200."),
      sessionId: z.unknown().optional().describe("The agent's session; kept only when it is a string."),
      model: z.unknown().optional().describe("The model, whose prices apply; kept only when it is a string."),
    }),
    example: {
      executionId: "evaluation-2026-01-15",
      calls: [{ inputTokens: 100_000, cachedInputTokens: 20_000, outputTokens: 1_000 }],
      model: "gpt-x",
    },
    result: z.object({
      executionId,
      credits: count.describe("What it cost in credits of 3,000 micro-USD, rounded up."),
      costMicros: count.describe("What it cost in micro-USD."),
      replayed: z.boolean().describe("Whether it was recorded by an earlier request."),
    }),
  },
  async ({ db, projectId, now }, { body }) => {
    // Looked for first, so that a repeat is answered before its calls are judged.
    const known = await findUsage(db, projectId, body.executionId);
    if (known !== null) return { ...known, replayed: true };
    const calls = parseField(Calls, body.calls, ["calls"]);
    const model = textOf(body.model);
    const { prices, sums, costMicros, credits } = priced(calls, model, await pricesOf(db, projectId));
    const usage: CreditUsage = { executionId: body.executionId, credits, costMicros };
    const isNew = await insertUsage(db, projectId, {
      ...usage,
      model,
      sessionId: textOf(body.sessionId),
      calls,
      prices,
      sums,
      reportId: newUuid(now),
      now,
    });
    const recorded = isNew ? usage : await findUsage(db, projectId, body.executionId);
    return { ...(recorded ?? usage), replayed: !isNew };
  },
);

async function pricesOf(db: Db, projectId: string): Promise<readonly PriceRow[]> {
  const { "ai.prices": typed } = await readSome(db, projectId, creditSettings, ["ai.prices"]);
  return parseAiPrices(typed) ?? [];
}

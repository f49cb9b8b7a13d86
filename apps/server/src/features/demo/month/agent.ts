import { uuidFor } from "../../../domain/ids.ts";
import { HOUR_MS } from "../../../platform/time/clock.ts";
import { applyVerdict, type ProposalVerdict, planEvaluation } from "../../agent/evaluations/public.ts";
import { lookAfter } from "../../agent/runner/public.ts";
import { campaignUuid } from "./customers.ts";
import type { House } from "./house.ts";
import type { CampaignName } from "./shop.pure.ts";

/** When the agent looks, and at what: day of the month, and hours after its beginning. */
export const LOOKS: readonly { day: number; hours: number; campaigns: readonly CampaignName[] }[] = [
  { day: 12, hours: 3, campaigns: ["breakfast"] },
  { day: 15, hours: 3, campaigns: ["breakfast"] },
  { day: 22, hours: 3, campaigns: ["breakfast"] },
  { day: 26, hours: 3, campaigns: ["subscribe"] },
  { day: 27, hours: 3, campaigns: ["subscribe", "giftCards"] },
  { day: 28, hours: 3, campaigns: ["subscribe", "giftCards"] },
  { day: 29, hours: 21, campaigns: ["breakfast", "subscribe", "giftCards"] },
];

/** What the hosted agent remarks of the shop with a model: when, what, and what its calls read and wrote, in tokens. */
export const REMARKS: readonly { day: number; hours: number; kind: string; says: string; read: number }[] = [
  {
    day: 4,
    hours: 2,
    kind: "observation",
    read: 214_000,
    says: "Most orders come in the evening, and fewer in the morning. A box for breakfast would give people a reason to come before work.",
  },
  {
    day: 10,
    hours: 2,
    kind: "observation",
    read: 301_000,
    says: "The tasting was met by most who visit, and many closed it at once. Messages in the shop should say in one line what is in it for the reader.",
  },
  {
    day: 17,
    hours: 2,
    kind: "observation",
    read: 288_000,
    says: "A text that counts down fails on pages that are loaded slowly. Look at the split of the gift cards before anything is concluded from it.",
  },
  {
    day: 23,
    hours: 2,
    kind: "conclusion",
    read: 342_000,
    says: "Customers who were missed by mail rarely come back because of it. Leave them alone for a month.",
  },
  {
    day: 29,
    hours: 20,
    kind: "conclusion",
    read: 367_000,
    says: "The coffee letter loses readers at a rate close to what the goal allows. Once a week would do, with the roast of the week at the top.",
  },
];

const MODEL = "model-small";

/** Has the hosted agent remark something at the instant of the house, and report what its model used, which is billed in credits. */
export async function remark(
  { agent }: House,
  { kind, says, read }: (typeof REMARKS)[number],
): Promise<void> {
  const { run } = await agent.createAgentRun({ body: { kind, rationale: says, output: { model: MODEL } } });
  const inputTokens = read / 2;
  const calls = [
    { inputTokens, outputTokens: 2_400, reasoningTokens: 1_600 },
    // The second call reads what the first one has read.
    { inputTokens, cachedInputTokens: inputTokens * 0.8, outputTokens: 900, reasoningTokens: 300 },
  ];
  await agent.recordAgentUsage({ body: { executionId: run.id, model: MODEL, calls } });
}

/** People look at proposals after lunch. */
const DECIDED_AFTER_MS = 4 * HOUR_MS;
const TOO_EARLY: ProposalVerdict = {
  status: "rejected",
  by: "demo",
  reason: "Let us wait for a few more orders.",
  forGood: false,
  hashPrefix: null,
};

/**
 * Has the agent look at campaigns at the instant of the house. What it proposes before `isLast`, a person rejects: too early. What it
 * proposes then waits for people.
 */
export async function look(house: House, ids: readonly string[], isLast: boolean): Promise<void> {
  const { app, api, projectId, send } = house;
  const { kysely } = app.database;
  const at = app.clock();
  for (const id of ids) await planEvaluation(kysely, projectId, campaignUuid(id), at, at);
  await lookAfter(app, projectId, { send });
  if (isLast) return;
  const { proposals } = await api.listProposals({ query: { status: "pending" } });
  const decidedAt = at + DECIDED_AFTER_MS;
  for (const { id } of proposals)
    await kysely.transaction().execute(async (tx) => {
      const decided = await applyVerdict(
        { db: tx, projectId, now: decidedAt },
        uuidFor("prop", id),
        TOO_EARLY,
      );
      if ("refusal" in decided) throw new Error(decided.refusal.message);
    });
}

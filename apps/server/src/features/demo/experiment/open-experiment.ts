import { apiId } from "../../../domain/ids.ts";
import { lockUntilCommit } from "../../../platform/db/transactions/lock.ts";
import { asHouse, type Ctx } from "../../../platform/http/contract/endpoint.ts";
import type { App } from "../../../platform/runtime.ts";
import { newUuid } from "../../../platform/uuid.ts";
import { byRequest, changeStatus, makeCampaign, requireCampaign } from "../../campaigns/authoring/public.ts";
import { CreateCampaignBody } from "../../campaigns/authoring/schema.ts";
import { insertGoal } from "../../campaigns/goals/public.ts";
import { changeSettings, houseSettings } from "../../settings/public.ts";
import { PURCHASE } from "../names.pure.ts";
import { openShop } from "../open-shop.ts";
import type { DemoShop } from "../store.ts";
import { type Experiment, findExperiment } from "./experiment-store.ts";
import { BEGAN_BEFORE_MS, EXPERIMENT } from "./story.pure.ts";

/** The trait that simulated visitors have, and no others: the campaign is for them, so that no visitor of the shop gets it. */
export const SIMULATED = { visits: "simulated" };

/** Enough for a person who presses the button all day: each simulated day is one run. */
const RUNS_PER_DAY = "1000";

/**
 * The limits within which the agent acts. With the error budget it may only take all users from a text once the e-value reaches 40: what
 * the statistics call better (from 20 on) is refused until then, which is to be seen on the page. (With `minControlShare` the control would
 * keep some users, and then there is nothing to refuse.)
 */
const GUARDRAILS = {
  errorBudget: 0.05,
  forbiddenPhrases: ["guaranteed", "last chance", "act now"],
};

const VARIANTS = [
  {
    name: "Plain",
    isControl: true,
    weight: 50,
    message: {
      presentation: "toast",
      title: "Morning Blend is here",
      body: "Our new coffee, roasted this week.",
      cta: { label: "Show me", url: "/demo/morning-blend" },
    },
  },
  {
    name: "Promise",
    weight: 50,
    message: {
      presentation: "toast",
      title: "Wake up to hazelnut and honey",
      body: "Roasted on Tuesday, at your door by Thursday. The first bag travels free.",
      cta: { label: "Bring me a bag", url: "/demo/morning-blend" },
    },
  },
];

/**
 * Makes the experiment as if it had been launched eleven days ago. Statistics count a user once the time has ended within which an order
 * counts, so visitors who are to be counted today have come before yesterday.
 */
async function makeExperiment(ctx: Ctx): Promise<void> {
  const { app, db, projectId, now } = ctx;
  const then = now - BEGAN_BEFORE_MS;
  const goalId = newUuid(then);
  await insertGoal(db, projectId, {
    id: goalId,
    name: EXPERIMENT,
    description: "Which text sells more coffee. The agent finds out, within these limits.",
    targetEvent: PURCHASE,
    guardrails: JSON.stringify(GUARDRAILS),
    approvalMode: "auto",
    attributionDays: 1,
    holdoutPercent: 0,
    createdAt: then,
  });
  const campaign = CreateCampaignBody.parse({
    name: EXPERIMENT,
    goalId: apiId("goal", goalId),
    targeting: { traits: SIMULATED },
    variants: VARIANTS,
    launch: true,
  });
  await makeCampaign({ ...ctx, now: then }, campaign);
  const settings = { "agent.policy": "statistical@1", "safety.maxRunsPerDay": RUNS_PER_DAY };
  await changeSettings(db, app.secrets, projectId, settings, {
    groups: app.ask(houseSettings)(),
    by: "demo",
    now,
  });
}

/** Runs `act` in the shop's project while no other process makes or ends an experiment. */
async function alone<T>(app: App, { projectId }: DemoShop, act: (ctx: Ctx) => Promise<T>): Promise<T> {
  return app.database.kysely.transaction().execute(async (tx) => {
    await lockUntilCommit(tx, "demoShop");
    return act({ app, db: tx, now: app.clock(), projectId, ...asHouse("secret") });
  });
}

async function opened(ctx: Ctx): Promise<Experiment> {
  const found = await findExperiment(ctx.db, ctx.projectId);
  if (found !== null) return found;
  await makeExperiment(ctx);
  const made = await findExperiment(ctx.db, ctx.projectId);
  if (made === null) throw new Error("The experiment that was just made is not there.");
  return made;
}

/** The shop with its experiment, which is made when its page is first opened. */
export async function openExperiment(app: App): Promise<DemoShop & Experiment> {
  const shop = await openShop(app);
  const found = await findExperiment(app.database.kysely, shop.projectId);
  return { ...shop, ...(found ?? (await alone(app, shop, opened))) };
}

/** Ends an experiment, unless another request has done so, and makes the next one. */
export async function beginAgain(app: App, campaignId: string): Promise<void> {
  const shop = await openShop(app);
  await alone(app, shop, async (ctx) => {
    const found = await findExperiment(ctx.db, ctx.projectId);
    if (found?.campaignId === campaignId) {
      const campaign = await requireCampaign(ctx, apiId("cmp", campaignId), "for update");
      await changeStatus(ctx, campaign, "end", byRequest(ctx));
    }
    await opened(ctx);
  });
}

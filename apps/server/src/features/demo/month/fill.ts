import { inOneTransaction } from "../../../platform/db/transactions/one-transaction.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import type { App } from "../../../platform/runtime.ts";
import { bringUpToDate } from "../../counting/rollups/public.ts";
import { openMailCatcher } from "../../email/transport/public.ts";
import { WELCOME } from "../names.pure.ts";
import { isShop } from "../store.ts";
import { instantOf } from "./calendar.pure.ts";
import { type House, withDemoHouse } from "./house.ts";
import { mailServer } from "./mail.ts";
import { countOwn, findMonth, MONTH_KEY, takeMonth } from "./month-store.ts";
import { pushProvider } from "./phones.ts";
import { type Fates, playMonth } from "./play.ts";
import { VISITOR_AUDIENCE } from "./shop.pure.ts";

/** What came of filling: `known` where the project has one already. */
export type FillResult = { result: "filled" | "known"; tookMs: number };

/** The run with which the month begins, and by which it is found again: it is written first, and seen when all is. */
async function begin({ api }: House): Promise<void> {
  await api.createAgentRun({
    body: {
      kind: "plan",
      input: { month: "of the demo shop" },
      rationale:
        "A month of an invented coffee shop, played by the functions that serve real requests. No customer in it is real.",
      idempotencyKey: MONTH_KEY,
    },
  });
}

/** The welcome of the demo shop is for its visitors, and for no customer of the month. */
async function sparePeople({ api }: House): Promise<void> {
  const { campaigns } = await api.listCampaigns();
  for (const { id, name, status } of campaigns)
    if (name === WELCOME && status !== "ended")
      await api.updateCampaign({
        path: { id },
        body: { audience: { kind: "expression", expression: VISITOR_AUDIENCE } },
      });
}

/** @throws ApiError conflict for a project that people use */
async function assertFree({ app, projectId }: House): Promise<void> {
  const { kysely } = app.database;
  if (await isShop(kysely, projectId)) return;
  const { users, campaigns } = await countOwn(kysely, projectId);
  if (users + campaigns > 0)
    throw new ApiError(
      "conflict",
      "This project has users or campaigns of its own: the month goes into an empty one, or into that of the demo.",
    );
}

/**
 * Fills a project with the month of a shop: all of it in one transaction, so that there is a whole month or none, and servers beside this
 * one see it once it is whole. Nothing leaves this computer.
 * @throws ApiError conflict where the project has users or campaigns of its own, or is being filled at this moment
 */
export async function fillMonth(
  app: App,
  projectId: string,
  customers = app.config.limits.demoCustomers,
): Promise<FillResult> {
  const began = performance.now();
  const now = app.clock();
  const fates: Fates = {
    mail: { bounces: new Set(), unansweredTo: new Set(), accepted: new Set() },
    taken: new Map(),
    gone: new Set(),
  };
  const ways = {
    mail: mailServer(fates.mail),
    pushes: pushProvider(fates.taken, fates.gone),
    openCatcher: openMailCatcher,
  };
  const result = await inOneTransaction(app.database, async (database) => {
    if (!(await takeMonth(database.kysely, projectId)))
      throw new ApiError("conflict", "This project is being filled at this moment.");
    if (await findMonth(database.kysely, projectId)) return "known" as const;
    return withDemoHouse(app, database, { projectId, now, ways }, async (house) => {
      await assertFree(house);
      await house.at(instantOf(now, 0), () => begin(house));
      await sparePeople(house);
      await playMonth(house, customers, fates);
      await bringUpToDate(house.app, projectId, now);
      return "filled" as const;
    });
  });
  return { result, tookMs: Math.round(performance.now() - began) };
}

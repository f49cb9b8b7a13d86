import { type App, resource } from "../../../platform/runtime.ts";
import { DAY_MS } from "../../../platform/time/clock.ts";
import { planEvaluation } from "../../agent/evaluations/public.ts";
import { lookAfter } from "../../agent/runner/public.ts";
import type { DemoShop } from "../store.ts";
import { type Experiment, findLastVisit } from "./experiment-store.ts";
import { openExperiment } from "./open-experiment.ts";
import { STORY_DAYS } from "./story.pure.ts";
import { playDay } from "./visitors.ts";

/** The work of this process on the experiment that was begun last. */
const underWay = resource(() => ({ last: Promise.resolve() }));

/** How many days of an experiment were played: visitors come in the order of the days. */
export async function daysPlayed(
  { database: { kysely } }: App,
  { projectId, campaignId, began }: DemoShop & Experiment,
): Promise<number> {
  const last = await findLastVisit(kysely, projectId, campaignId);
  return last === null ? 0 : Math.floor((last - began) / DAY_MS) + 1;
}

/**
 * Has the agent look at the experiment. The evaluation is that of the end of the day, so that each day has one of its own; the agent's
 * clock is the server's, and so are its limits: it divides traffic once in 24 hours.
 */
async function look(
  app: App,
  { projectId, campaignId, began }: Experiment & DemoShop,
  day: number,
): Promise<void> {
  const at = began + (day + 1) * DAY_MS;
  if (await planEvaluation(app.database.kysely, projectId, campaignId, at, app.clock()))
    await lookAfter(app, projectId);
}

async function playNext(app: App): Promise<void> {
  const shop = await openExperiment(app);
  const day = await daysPlayed(app, shop);
  if (day >= STORY_DAYS) return;
  await playDay(app, shop, day);
  await look(app, shop, day);
}

/**
 * Plays the next day of the experiment, if there is one left, and has the agent look at it. Calls in this process wait for each other.
 * Another process may play the same day at the same time: a day that is played twice is played once.
 */
export async function playNextDay(app: App): Promise<void> {
  const state = app.get(underWay);
  const mine = state.last.then(() => playNext(app));
  state.last = mine.catch(() => undefined);
  return mine;
}

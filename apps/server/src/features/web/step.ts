import type { App } from "../../platform/runtime.ts";
import { Needs } from "../audience/language/engines/needs.pure.ts";
import { readTemplateUser } from "../content/template/public.ts";
import { decisionOf, gatesAt, reasonAt, stopOf } from "../deliveries/gates/list.ts";
import {
  CANDIDATE,
  drawVariant,
  findHad,
  noVariant,
  type StepPlan,
  type StepUser,
} from "../deliveries/public.ts";
import { compileCampaign } from "./config.ts";
import { readFeedCampaign } from "./config-store.ts";
import { contentFor } from "./decide.ts";
import { webGates } from "./gates/web-gates.ts";
import { insertStepMessages, readComers, type StepMessage } from "./step-store.ts";

const GATES = gatesAt(webGates, "plan");

/**
 * Plans the web message of a step for users who have arrived there, each on an occasion: the feed serves it from then on. Null where its
 * campaign is gone.
 */
export async function planWebStep(
  app: App,
  { projectId, campaignId }: { projectId: string; campaignId: string },
  users: readonly StepUser[],
): Promise<StepPlan | null> {
  const { kysely } = app.database;
  const running = await readFeedCampaign(kysely, projectId, campaignId);
  if (running === null) return null;
  const campaign = compileCampaign(running, new Needs(), new Set());
  const { current, variants, uuid } = campaign;
  const ts = app.clock();
  const skipped = new Map(users.map(({ userKey }) => [userKey, "no_user"]));
  const events = new Map(users.map(({ userKey, event }) => [userKey, event?.props ?? null]));
  const planned: StepMessage[] = [];
  for (const { lane, userKey, occasion, drawKey, ...known } of await readComers(kysely, projectId, users)) {
    const variant = drawVariant(variants, uuid, drawKey);
    if (variant === null) throw noVariant();
    const content = contentFor(variant, () =>
      readTemplateUser({ ...known, event: events.get(userKey) ?? null }),
    );
    const facts = { ...CANDIDATE, campaign, current, drawKey, variant, content, now: ts };
    const stop = stopOf(GATES, facts);
    if (stop !== null && !stop.withholds) {
      skipped.set(userKey, reasonAt(stop, facts) ?? stop.gate);
      continue;
    }
    skipped.delete(userKey);
    const delivery = { lane, userKey, campaignId, occasion, projectId };
    planned.push({ ...delivery, ...decisionOf(stop, variant, current), ts });
  }
  // A user who had it when they entered before is not held out of it now: that is decided once.
  const had = await findHad(
    kysely,
    projectId,
    campaignId,
    planned.filter(({ heldOut }) => heldOut),
  );
  return {
    skipped,
    async queue(client, chosen) {
      const messages = planned
        .filter(({ userKey }) => chosen.has(userKey))
        .map((each) => (had.has(each.userKey) ? { ...each, heldOut: false } : each));
      if (messages.length > 0) await insertStepMessages(client, messages);
    },
    wake: () => undefined,
  };
}

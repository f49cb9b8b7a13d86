import { MINUTE_MS, SECOND_MS } from "../../../platform/clock.ts";
import { projectLoop } from "../../../platform/project-loop.ts";
import type { App } from "../../../platform/runtime.ts";
import { addressRef, findSuppressed } from "../../addresses/public.ts";
import { parseAddress } from "../../addresses/rules.ts";
import { readStored } from "../../audience/parse/stored.ts";
import { pointOf } from "../../deliveries/public.ts";
import { chooseVariant, nextCursor, type Weighted } from "../../deliveries/rules.ts";
import { postponePlan } from "../fault-store.ts";
import { readWeights } from "../variants-store.ts";
import { writeSends } from "./intake.ts";
import {
  type Candidate,
  type DuePlan,
  findCandidates,
  findDuePlansAcrossProjects,
  movePlan,
  type NewSend,
} from "./plan-store.ts";

/** Users that are looked at in one page. */
const PAGE = 2_000;
const LANES = 64;
/** New users are looked for this long after a pass, or twenty times as long as the pass took. */
const BETWEEN_PASSES_MS = MINUTE_MS;
const REST_PER_WORK = 20;

/** The messages to plan for candidates: those whose address is one, and is not suppressed. */
async function plannedFor(
  app: App,
  { projectId, campaignId }: DuePlan,
  candidates: readonly Candidate[],
  weights: readonly Weighted[],
): Promise<NewSend[]> {
  const now = app.clock();
  const reachable = candidates.flatMap((candidate) => {
    const to = parseAddress(candidate.email);
    return to === null
      ? []
      : [{ ...candidate, ...addressRef(projectId, to.address), userLane: candidate.lane }];
  });
  const rows = reachable.map(({ lane, addressKey }) => ({ lane, addressKey, projectId }));
  const suppressed = new Set(
    (await findSuppressed(app.database.hotPool, rows)).map(({ address_key }) => address_key),
  );
  return reachable.flatMap(({ userLane: lane, userKey, addressKey, addressGivenAt }) => {
    const variant = chooseVariant(weights, pointOf(campaignId, userKey));
    if (suppressed.has(addressKey) || variant === null) return [];
    return [{ lane, userKey, campaignId, projectId, variantId: variant.id, now, addressGivenAt }];
  });
}

/** Goes one page further through a campaign's audience. Done twice, it plans nothing twice. */
async function planPage(app: App, plan: DuePlan): Promise<void> {
  const { projectId, campaignId, cursor } = plan;
  const { kysely } = app.database;
  const now = app.clock();
  const began = performance.now();
  const stored = readStored(plan.audience);
  // An audience that cannot be read is nobody's.
  const candidates =
    stored.kind === "invalid"
      ? []
      : await findCandidates(
          kysely,
          projectId,
          { campaignId, evaluatedAt: now, expression: stored.kind === "all" ? null : stored.expression },
          { lane: cursor?.lane ?? null, after: cursor?.userKey ?? null, limit: PAGE },
        );
  let unconfirmed = 0;
  if (candidates.length > 0) {
    const planned = await plannedFor(app, plan, candidates, await readWeights(kysely, projectId, campaignId));
    if (planned.length > 0) ({ unconfirmed } = await writeSends(app, projectId, planned));
  }
  const to = nextCursor(cursor, candidates, PAGE);
  const took = Math.ceil(performance.now() - began) * (cursor === null ? 1 : LANES);
  await movePlan(kysely, projectId, campaignId, {
    from: cursor,
    to: to === "end" ? null : to,
    nextPassAt: to === "end" ? app.clock() + Math.max(BETWEEN_PASSES_MS, took * REST_PER_WORK) : null,
    unconfirmed,
  });
}

/** Projects that are planned side by side: one whose audience takes long leaves room for others. */
const AT_ONCE = 2;
/** A plan that failed is left alone for a while, and all others go on. */
const AFTER_A_FAILURE_MS = 10 * SECOND_MS;

/** Plans campaign email: who newly belongs to the audience of a campaign that runs gets a place in the queue. */
export const planLoop = projectLoop({
  name: "plan email",
  atOnce: AT_ONCE,
  find: (app) => findDuePlansAcrossProjects(app.database.kysely, app.clock()),
  async turn(app, projectId, due) {
    for (const plan of due) {
      const { campaignId } = plan;
      try {
        await planPage(app, plan);
      } catch (cause) {
        app.log.error(
          { err: cause, projectId, campaignId },
          "a campaign could not be planned; it will be tried again",
        );
        const now = app.clock();
        const until = now + AFTER_A_FAILURE_MS;
        await postponePlan(app.database.kysely, projectId, campaignId, { now, until });
      }
    }
    return true;
  },
});

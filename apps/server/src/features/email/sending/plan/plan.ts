import type { App } from "../../../../platform/runtime.ts";
import { readAllocation } from "../../../campaigns/authoring/public.ts";
import {
  type CurrentEpoch,
  drawVariant,
  isHeldOut,
  NO_USERS,
  noVariant,
  readPage,
  type Sweep,
  type Sweeper,
  sweepLoop,
  sweepNow,
} from "../../../deliveries/public.ts";
import type { Weighted } from "../../../deliveries/rules.ts";
import { addressRef, findSuppressed } from "../../addresses/public.ts";
import { parseAddress } from "../../addresses/rules.ts";
import { writeSends } from "./intake.ts";
import { type EmailCandidate, findCandidates, hasOpenSends, type NewSend } from "./plan-store.ts";

/** The messages to queue for candidates whose address is valid and not suppressed. */
async function plannedFor(
  app: App,
  { projectId, campaignId }: Sweep,
  candidates: readonly EmailCandidate[],
  allocation: CurrentEpoch & { variants: readonly Weighted[] },
): Promise<NewSend[]> {
  if (candidates.length === 0) return [];
  const now = app.clock();
  const reachable = candidates.flatMap((candidate) => {
    const to = parseAddress(candidate.email);
    return to === null
      ? []
      : [{ ...candidate, ...addressRef(projectId, to.address), userLane: candidate.lane }];
  });
  const rows = reachable.map(({ lane, addressKey }) => ({ lane, addressKey, projectId }));
  const found = await findSuppressed(app.database.hotPool, rows);
  const suppressed = new Set(found.map(({ address_key }) => address_key));
  return reachable.flatMap(({ userLane: lane, userKey, addressKey, addressGivenAt }) => {
    const variant = drawVariant(allocation.variants, campaignId, userKey);
    if (variant === null) throw noVariant();
    if (suppressed.has(addressKey)) return [];
    const decided = {
      variantId: variant.id,
      epoch: allocation.epoch,
      heldOut: isHeldOut(allocation, userKey),
      now,
    };
    return [{ lane, userKey, campaignId, projectId, ...decided, addressGivenAt }];
  });
}

const sweeper: Sweeper = {
  channel: "email",
  async queuePage(app, sweep, place) {
    const { projectId, campaignId } = sweep;
    const { kysely } = app.database;
    const allocation = await readAllocation(kysely, projectId, campaignId);
    if (allocation === null) return NO_USERS;
    const page = await readPage(kysely, projectId, allocation.audience, place);
    const { until } = page.range;
    const found = await findCandidates(kysely, { ...sweep, withholds: allocation.withholds }, page);
    const planned = await plannedFor(app, sweep, found, allocation);
    if (planned.length === 0) return { until, wrote: false, unconfirmed: 0, again: false };
    return { until, wrote: true, ...(await writeSends(app, projectId, planned)) };
  },
  hasOpen: hasOpenSends,
};

/** Sweeps the audiences of running email campaigns, and queues a send for every new user. */
export const planLoop = sweepLoop(sweeper);

/** The longest that a caller waits for a plan; users who are left are found by the next sweep. */
const NOW_MS = 5_000;

/** Plans a running campaign at once, for the users that it has not reached yet. */
export const planNow = (app: App, which: { projectId: string; campaignId: string }): Promise<void> =>
  sweepNow(app, sweeper, which, NOW_MS);

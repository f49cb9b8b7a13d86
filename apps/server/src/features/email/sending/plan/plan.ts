import type { App } from "../../../../platform/runtime.ts";
import { pointOf, type Sweep, type Sweeper, sweepLoop } from "../../../deliveries/public.ts";
import { chooseVariant, type Weighted } from "../../../deliveries/rules.ts";
import { addressRef, findSuppressed } from "../../addresses/public.ts";
import { parseAddress } from "../../addresses/rules.ts";
import { readWeights } from "../variants-store.ts";
import { writeSends } from "./intake.ts";
import { type Candidate, findCandidates, type NewSend } from "./plan-store.ts";

/** The messages to queue for candidates whose address is valid and not suppressed. */
async function plannedFor(
  app: App,
  { projectId, campaignId }: Sweep,
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
  const found = await findSuppressed(app.database.hotPool, rows);
  const suppressed = new Set(found.map(({ address_key }) => address_key));
  return reachable.flatMap(({ userLane: lane, userKey, addressKey, addressGivenAt }) => {
    const variant = chooseVariant(weights, pointOf(campaignId, userKey));
    if (suppressed.has(addressKey) || variant === null) return [];
    return [{ lane, userKey, campaignId, projectId, variantId: variant.id, now, addressGivenAt }];
  });
}

const sweeper: Sweeper = {
  channel: "email",
  async queuePage(app, sweep, page) {
    const { projectId, campaignId } = sweep;
    const { kysely } = app.database;
    const found = await findCandidates(kysely, sweep, page);
    if (found.length === 0) return { found, unconfirmed: 0 };
    const weights = await readWeights(kysely, projectId, campaignId);
    const planned = await plannedFor(app, sweep, found, weights);
    if (planned.length === 0) return { found, unconfirmed: 0 };
    const { unconfirmed } = await writeSends(app, projectId, planned);
    return { found, unconfirmed };
  },
};

/** Sweeps the audiences of running email campaigns, and queues a send for every new user. */
export const planLoop = sweepLoop(sweeper);

import { deliveryRef } from "../../../../domain/ids.ts";
import { inTransaction } from "../../../../platform/db/db.ts";
import { aloneLoop } from "../../../../platform/loops/alone-loop.ts";
import type { App } from "../../../../platform/runtime.ts";
import { MINUTE_MS } from "../../../../platform/time/clock.ts";
import { recordDeliveryEvents } from "../../../deliveries/public.ts";
import { findEndedAcrossProjects, lockEndedSends } from "./close-store.ts";
import { moveSends } from "./lease-store.ts";

/** Few enough that other transactions hardly wait for their rows. */
const AT_ONCE = 500;
/** What is kept as the reason of mail whose campaign ended before it left. */
const CAMPAIGN_ENDED = "its campaign or template has ended";

/** Withdraws mail that waits of a campaign that has ended; answers how many. */
async function closeSome(app: App, projectId: string, campaignId: string): Promise<number> {
  return inTransaction(app.database.hotPool, async (client) => {
    const sends = await lockEndedSends(client, { projectId, campaignId, limit: AT_ONCE });
    if (sends.length === 0) return 0;
    const refs = sends.map((send) => deliveryRef({ ...send, campaignId, projectId }));
    const none = { dueAt: null, leaseOwner: null, leasedUntil: null, addressLane: null, addressKey: null };
    const ended = { status: "withdrawn" as const, reason: CAMPAIGN_ENDED, postponedBy: null, period: 0 };
    await moveSends(
      client,
      refs.map((ref) => ({ ...ref, ...none, ...ended })),
    );
    const event = { event: "withdrawn" as const, at: app.clock(), period: null };
    await recordDeliveryEvents(
      client,
      refs.map((ref) => ({ ...ref, ...event })),
    );
    return sends.length;
  });
}

/** Withdraws mail of campaigns that have ended before it left, so that nothing waits for what does not come. */
export const closeLoop = aloneLoop({
  name: "close mail",
  everyMs: MINUTE_MS,
  async turn(app, signal) {
    for (const { projectId, campaignId } of await findEndedAcrossProjects(app.database.kysely))
      while (!signal.aborted && (await closeSome(app, projectId, campaignId)) > 0);
  },
});

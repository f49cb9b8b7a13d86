import type { App } from "../../../../platform/runtime.ts";
import { type CampaignGate, readCampaignGate } from "./gate-store.ts";

/** How old what is known of a campaign may be when one of its pushes leaves. */
const BELIEVED_MS = 100;

type Known = { readAt: number; gate: Promise<CampaignGate | null> };

/** A push that was reserved. `isTest`: tests of a campaign need not wait for it. */
type Reserved = { campaignId: string; contentVersion: number; slot: { isTest: boolean } };

/** Whether a campaign runs, in its window, and says what was reserved. */
function isOpen(gate: CampaignGate | null, contentVersion: number, now: number): boolean {
  if (gate === null || !gate.isRunning || gate.contentVersion !== contentVersion) return false;
  const { deliverFrom, deliverUntil } = gate;
  return (deliverFrom === null || deliverFrom <= now) && (deliverUntil === null || now < deliverUntil);
}

/**
 * Says of pushes that were reserved whether they may still leave: seconds may pass between the two where a provider is slow. A
 * campaign that is open is read ten times a second at most. One gate serves one turn of a project.
 */
export function createGate(app: App, projectId: string): (reserved: Reserved) => Promise<boolean> {
  const known = new Map<string, Known>();

  function read(campaignId: string): Known {
    const gate = readCampaignGate(app.database.hotPool, projectId, campaignId);
    const made = { readAt: app.clock(), gate };
    known.set(campaignId, made);
    return made;
  }

  function recent(campaignId: string): Known {
    const last = known.get(campaignId);
    const ageMs = last === undefined ? BELIEVED_MS : app.clock() - last.readAt;
    return last === undefined || ageMs < 0 || ageMs >= BELIEVED_MS ? read(campaignId) : last;
  }

  return async ({ campaignId, contentVersion, slot }) => {
    if (slot.isTest) return true;
    try {
      const first = recent(campaignId);
      if (isOpen(await first.gate, contentVersion, app.clock())) return true;
      // What was known may be older than the reservation, which has looked itself.
      const second = known.get(campaignId) === first ? read(campaignId) : recent(campaignId);
      return isOpen(await second.gate, contentVersion, app.clock());
    } catch (cause) {
      app.log.warn({ err: cause, projectId }, "a campaign could not be read; its pushes go back");
      // Nothing of it has left: it is reserved again once the database answers.
      known.delete(campaignId);
      return false;
    }
  };
}

import type { App } from "../../../../platform/runtime.ts";
import { placeInWindow } from "../../../campaigns/authoring/rules.ts";
import { type CampaignGate, readCampaignGate } from "./gate-store.ts";

/** The oldest reading of a campaign that may let a push leave. */
const BELIEVED_MS = 100;

type Known = { readAt: number; gate: Promise<CampaignGate | null> };

/** A push that was reserved. `isTest`: it may leave whatever the state of its campaign. */
type Reserved = { campaignId: string; contentVersion: number; slot: { isTest: boolean } };

/** Whether a campaign runs in its window, with the content that was reserved. */
function isOpen(gate: CampaignGate | null, contentVersion: number, now: number): boolean {
  if (gate === null || !gate.isRunning || gate.contentVersion !== contentVersion) return false;
  return placeInWindow(gate, now) === "open";
}

/**
 * Decides whether reserved pushes may still leave: where a provider is slow, seconds may pass after the reservation. An open campaign
 * is read at most ten times a second. One gate serves one turn of a project.
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
      const firstGate = await first.gate;
      if (isOpen(firstGate, contentVersion, app.clock())) return true;
      // The reading may be older than the reservation, which found the campaign open: read again.
      const second = known.get(campaignId) === first ? read(campaignId) : recent(campaignId);
      const secondGate = await second.gate;
      return isOpen(secondGate, contentVersion, app.clock());
    } catch (cause) {
      app.log.warn({ err: cause, projectId }, "a campaign could not be read; its pushes go back");
      // The push has not left, so it is reserved again once the database answers.
      known.delete(campaignId);
      return false;
    }
  };
}

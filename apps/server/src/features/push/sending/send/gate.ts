import { type DeliveryKey, type DeliveryRef, deliveryRef } from "../../../../domain/ids.ts";
import { createBatch } from "../../../../platform/db/batch/batch.ts";
import { type App, resource } from "../../../../platform/runtime.ts";
import { placeInWindow } from "../../../campaigns/authoring/rules.ts";
import { type CampaignGate, readCampaignGate, readInside } from "./gate-store.ts";

/** The oldest reading of a campaign that may let a push leave. */
const BELIEVED_MS = 100;

type Known = { readAt: number; gate: Promise<CampaignGate | null> };

/** A push that was reserved. `isTest`: it may leave whatever the state of its campaign. */
type Reserved = { campaignId: string; contentVersion: number; slot: DeliveryKey & { isTest: boolean } };

const insideBatch = resource((app) =>
  createBatch<DeliveryRef, { isInside: boolean }>({
    laneOf: (row) => row.lane,
    userOf: (row) => row.userKey,
    run: (rows) => readInside(app.database.hotPool, rows),
  }),
);

/** Whether a campaign runs in its window, with the content that was reserved. */
function isOpen(gate: CampaignGate | null, contentVersion: number, now: number): boolean {
  if (gate === null || !gate.isRunning || gate.contentVersion !== contentVersion) return false;
  return placeInWindow(gate, now) === "open";
}

/**
 * Decides whether reserved pushes may still leave: where a provider is slow, seconds may pass after the reservation. An open campaign
 * is read at most ten times a second. One gate serves one turn of a project. Of a step of a journey it is read for each push whether its
 * user is inside, and did nothing since that may end it: so no push leaves after the event that ends the journey.
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

  /** The campaign of a push, where it is open. */
  async function openGate({ campaignId, contentVersion }: Reserved): Promise<CampaignGate | null> {
    const first = recent(campaignId);
    const firstGate = await first.gate;
    if (isOpen(firstGate, contentVersion, app.clock())) return firstGate;
    // The reading may be older than the reservation, which found the campaign open: read again.
    const second = known.get(campaignId) === first ? read(campaignId) : recent(campaignId);
    const secondGate = await second.gate;
    return isOpen(secondGate, contentVersion, app.clock()) ? secondGate : null;
  }

  return async (reserved) => {
    const { campaignId, slot } = reserved;
    if (slot.isTest) return true;
    try {
      const gate = await openGate(reserved);
      if (gate === null || !gate.isStep) return gate !== null;
      const { isInside } = await app.get(insideBatch).add(deliveryRef({ ...slot, projectId }));
      return isInside;
    } catch (cause) {
      app.log.warn({ err: cause, projectId }, "a campaign could not be read; its pushes go back");
      // The push has not left, so it is reserved again once the database answers.
      known.delete(campaignId);
      return false;
    }
  };
}

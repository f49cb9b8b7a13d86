import type { DeliveryRef } from "../../../../domain/ids.ts";
import { rouse } from "../../../../platform/loops/changes.ts";
import { type App, resource } from "../../../../platform/runtime.ts";
import { hastenEntries } from "../entry-store.ts";
import { readJourneysOfCampaignsAcrossProjects } from "../store.ts";

/** So many campaigns are known at once. */
const MAX_KNOWN = 10_000;

/** The journeys (UUIDs) of campaigns, by the campaigns' ids; null for a campaign of none. That never changes. */
const journeysOf = resource(() => new Map<string, string | null>());

/** Reads of campaigns that are not known yet to which journeys they belong. */
async function know(app: App, messages: readonly DeliveryRef[]): Promise<Map<string, string | null>> {
  const known = app.get(journeysOf);
  // Before anything is looked up in it: the campaigns of these messages have to be known at the end.
  if (known.size > MAX_KNOWN) known.clear();
  const unknown = new Set(messages.map(({ campaignId }) => campaignId).filter((id) => !known.has(id)));
  if (unknown.size === 0) return known;
  const found = await readJourneysOfCampaignsAcrossProjects(app.database.lookups.kysely, [...unknown]);
  for (const { campaignId, journeyId } of found) known.set(campaignId, journeyId);
  return known;
}

/** Makes the users due whose message of a step has left, or will not: they go on at the next turn. */
export async function goOnAfter(app: App, messages: readonly DeliveryRef[]): Promise<void> {
  const known = await know(app, messages);
  const now = app.clock();
  const ofSteps = messages.flatMap(({ campaignId, ...message }) => {
    const journeyId = known.get(campaignId) ?? null;
    return journeyId === null ? [] : [{ ...message, journeyId, now }];
  });
  if (ofSteps.length === 0) return;
  await hastenEntries(app.database.hotPool, ofSteps);
  rouse(app);
}

import { SECOND_MS } from "../../../../platform/clock.ts";
import { inTransaction } from "../../../../platform/db/db.ts";
import type { App } from "../../../../platform/runtime.ts";
import { personOf } from "../../../content/template/public.ts";
import {
  type AudiencePage,
  audiencePage,
  moveReevaluation,
  pointOf,
  type Sweep,
  type Sweeper,
  sweepLoop,
  sweepNow,
} from "../../../deliveries/public.ts";
import { type Cursor, chooseVariant, nextCursor } from "../../../deliveries/rules.ts";
import { readCampaignCredentials, type Usable } from "../credentials.ts";
import { currentWording, type Wording } from "../definitions.ts";
import { slotKeyOf } from "../record-ids.ts";
import { fillDefinition } from "../render.ts";
import { chooseDevices, deviceFault, RECHECK_MS } from "../rules.ts";
import {
  type Admission,
  admit,
  type Candidate,
  findCandidates,
  type NewSlot,
  type PlannedDevice,
  type Question,
} from "./plan-store.ts";

/** Users that are written at once. */
const WRITTEN_AT_ONCE = 500;
/** Looking again at users who wait takes at most a third of the time: the next look begins before the last one is too old. */
const REST_PER_REEVALUATION = 2;

/** A user with the devices that have the app, who is to be planned for in a campaign or a test. */
type Person = Pick<Candidate, "lane" | "userKey" | "externalId" | "traits" | "serverTraits" | "devices">;

/** What a user is planned with. */
export type Planning = {
  wording: Wording;
  credentials: Usable;
  /** The campaign, or the test. */
  sendId: string;
  now: number;
};

/** What to write for a user: the devices that are chosen, or why there is none yet. */
export function plannedFor(person: Person, variantId: string, planning: Planning): Admission | null {
  const { wording, credentials, sendId, now } = planning;
  const { lane, userKey } = person;
  const { projectId, campaignId, settings } = wording;
  const definition = wording.definitions.get(variantId);
  if (definition === undefined) return null;
  const base = { lane, userKey, campaignId, sendId, projectId, variantId, now };
  const filled = fillDefinition(definition, personOf(person));
  if ("reason" in filled) return { recipient: { ...base, reason: filled.reason }, slots: [] };
  const devices = person.devices.map((device) => ({
    ...device,
    fault: deviceFault(device, filled.content, credentials.has(device)),
  }));
  const found = chooseDevices(devices, settings.selection);
  if ("reason" in found) return { recipient: { ...base, reason: found.reason }, slots: [] };
  const expiresAt = now + settings.ttlSeconds * SECOND_MS;
  const slots = found.chosen.flatMap((device: PlannedDevice): NewSlot[] => {
    const credential = credentials.of(device);
    if (credential === null) return [];
    const slot = {
      ...base,
      slotKey: slotKeyOf(userKey, sendId, device.installationKey),
      isTest: sendId !== campaignId,
      installationLane: device.installationLane,
      installationKey: device.installationKey,
      installationId: device.installationId,
      bindingGeneration: device.bindingGeneration,
      selectedBy: wording.selectedBy,
      replacementKey: settings.replacementKey ?? null,
      expiresAt,
      definitionId: definition.id,
      credentialId: credential.id,
      credentialRevision: credential.revision,
      tokenRevision: device.tokenRevision,
      targetExpiresAt: Math.min(expiresAt, wording.deliverUntil ?? expiresAt),
      content: filled.own,
    };
    return [slot];
  });
  return { recipient: { ...base, reason: null }, slots };
}

/** What a campaign is planned with at this moment; null once it is gone. */
async function openPlanning(app: App, { projectId, campaignId }: Sweep): Promise<Planning | null> {
  const { kysely } = app.database;
  const wording = await currentWording(app, kysely, projectId, campaignId);
  if (wording === null) return null;
  const credentials = await readCampaignCredentials(app, kysely, projectId, wording.settings.appId);
  return { wording, credentials, sendId: campaignId, now: app.clock() };
}

/** Plans for the users of one page, or looks at them again. Done twice, it plans nothing twice. Answers the users of the page. */
async function planPage(
  app: App,
  planning: Planning,
  which: Question["which"],
  page: AudiencePage,
): Promise<Candidate[]> {
  const { wording } = planning;
  const { projectId, campaignId, settings } = wording;
  const { kysely, hotPool } = app.database;
  const candidates = await findCandidates(kysely, { projectId, campaignId, settings, which }, page);
  const admissions = candidates.flatMap((candidate) => {
    const variantId =
      candidate.waiting?.variantId ??
      chooseVariant(wording.variants, pointOf(campaignId, candidate.userKey))?.id;
    const planned = variantId === undefined ? null : plannedFor(candidate, variantId, planning);
    // A user who still waits for the same is not written again.
    const isNews =
      planned !== null &&
      (planned.slots.length > 0 || planned.recipient.reason !== candidate.waiting?.reason);
    return isNews ? [planned] : [];
  });
  for (let from = 0; from < admissions.length; from += WRITTEN_AT_ONCE) {
    const some = admissions.slice(from, from + WRITTEN_AT_ONCE);
    await inTransaction(hotPool, (client) => admit(client, some));
  }
  return candidates;
}

/** Looks again at all users who wait. */
async function reevaluate(app: App, sweep: Sweep): Promise<void> {
  const planning = await openPlanning(app, sweep);
  if (planning === null) return;
  const began = performance.now();
  for (let cursor: Cursor | "end" = null; cursor !== "end"; ) {
    const page = audiencePage(sweep, cursor, planning.now);
    const found = page === null ? [] : await planPage(app, planning, "waiting", page);
    cursor = page === null ? "end" : nextCursor(cursor, found, page.limit);
  }
  const tookMs = Math.ceil(performance.now() - began);
  const reevaluatedAt = planning.now;
  const restMs = Math.max(RECHECK_MS - tookMs, tookMs * REST_PER_REEVALUATION);
  const reevaluateAt = reevaluatedAt + Math.min(restMs, RECHECK_MS);
  await moveReevaluation(app.database.kysely, sweep, { reevaluatedAt, reevaluateAt });
}

const sweeper: Sweeper = {
  channel: "push",
  async queuePage(app, sweep, page) {
    const planning = await openPlanning(app, sweep);
    const found = planning === null ? [] : await planPage(app, planning, "new", page);
    return { found, unconfirmed: 0 };
  },
  reevaluate,
};

/** Plans campaign push: users who newly belong to an audience get a place, those who wait for a device are looked at again. */
export const planLoop = sweepLoop(sweeper);

/** How long a caller waits for a plan at most; the rest is planned as always. */
const NOW_MS = 5_000;

/** Plans a campaign that runs now: for users who are new, and for those who wait. */
export const planNow = (app: App, which: { projectId: string; campaignId: string }): Promise<void> =>
  sweepNow(app, sweeper, which, NOW_MS);

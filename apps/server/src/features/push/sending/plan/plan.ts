import { inTransaction } from "../../../../platform/db/db.ts";
import type { App } from "../../../../platform/runtime.ts";
import { SECOND_MS } from "../../../../platform/time/clock.ts";
import { placeInWindow } from "../../../campaigns/authoring/rules.ts";
import { readTemplateUser } from "../../../content/template/public.ts";
import {
  type AudiencePage,
  drawVariant,
  isHeldOut,
  moveReevaluation,
  NO_USERS,
  noVariant,
  pageIn,
  readPage,
  type Sweep,
  type Sweeper,
  type Swept,
  sweepLoop,
  sweepNow,
} from "../../../deliveries/public.ts";
import type { Cursor } from "../../../deliveries/rules.ts";
import { readCampaignCredentials, type Usable } from "../credentials.ts";
import { type ContentRevision, ensureContentRevision, type PushDefinition } from "../definitions.ts";
import { slotKeyOf } from "../record-ids.ts";
import { fillDefinition } from "../render.ts";
import { chooseDevices, deviceFault, REEVALUATE_MS } from "../rules.ts";
import type { WaitReason } from "../schema.ts";
import {
  type Admission,
  admit,
  type CandidateQuery,
  findCandidates,
  findWaitingRange,
  hasOpenSlots,
  type NewSlot,
  type PlannedDevice,
  type PushCandidate,
} from "./plan-store.ts";

/** Recipients that one transaction inserts. */
const WRITTEN_AT_ONCE = 500;
/** Rests between re-evaluations for twice as long as one takes, so that they use at most a third of the time. */
const REST_PER_REEVALUATION = 2;

/** A user to plan for in a campaign or a test, with the devices that have the app. */
type Person = Pick<PushCandidate, "lane" | "userKey" | "externalId" | "traits" | "serverTraits" | "devices">;

/** What planning for a user depends on. */
export type Planning = {
  contentRevision: ContentRevision;
  credentials: Usable;
  /** The campaign, or the test. */
  sendId: string;
  now: number;
};

type Planned = Pick<PushDefinition, "compiled"> & Pick<ContentRevision, "settings">;

/** The devices that a push to a user goes to, whatever its texts say of the user; or why none can be sent to. */
export function devicesFor(
  { devices }: Pick<Person, "devices">,
  { compiled, settings }: Planned,
  credentials: Usable,
): { chosen: PlannedDevice[] } | { reason: WaitReason } {
  const judged = devices.map((device) => ({
    ...device,
    fault: deviceFault(device, compiled.content, credentials.has(device)),
  }));
  return chooseDevices(judged, settings.selection);
}

/** The devices that a push to a user goes to, with its content for the user; or why the user has to wait. */
export function reachableDevices(
  person: Person,
  planned: Planned,
  credentials: Usable,
): { chosen: PlannedDevice[]; own: string | null } | { reason: WaitReason } {
  const filled = fillDefinition(planned, readTemplateUser(person));
  if ("reason" in filled) return filled;
  const found = devicesFor(person, planned, credentials);
  return "reason" in found ? found : { chosen: found.chosen, own: filled.own };
}

/** The recipient to insert for a user, with the slots of the chosen devices, or with the reason to wait. */
export function plannedFor(person: Person, variantId: string, planning: Planning): Admission | null {
  const { contentRevision, credentials, sendId, now } = planning;
  const { lane, userKey } = person;
  const { projectId, campaignId, settings, epoch } = contentRevision;
  const definition = contentRevision.definitions.get(variantId);
  if (definition === undefined) return null;
  const base = { lane, userKey, campaignId, sendId, projectId, variantId, epoch, now };
  // A test goes to whom it names.
  const heldOut = sendId === campaignId && isHeldOut(contentRevision, userKey);
  const reach = reachableDevices(person, { compiled: definition.compiled, settings }, credentials);
  if ("reason" in reach)
    return { recipient: { ...base, variantId: null, reason: reach.reason }, slots: [], heldOut };
  const expiresAt = now + settings.ttlSeconds * SECOND_MS;
  const slots = reach.chosen.flatMap((device): NewSlot[] => {
    const credential = credentials.get(device);
    if (credential === null) return [];
    const slot = {
      ...base,
      slotKey: slotKeyOf(userKey, sendId, device.installationKey),
      isTest: sendId !== campaignId,
      installationLane: device.installationLane,
      installationKey: device.installationKey,
      installationId: device.installationId,
      bindingGeneration: device.bindingGeneration,
      selectedBy: contentRevision.selectedBy,
      replacementKey: settings.replacementKey ?? null,
      expiresAt,
      definitionId: definition.id,
      credentialId: credential.id,
      credentialRevision: credential.revision,
      tokenRevision: device.tokenRevision,
      targetExpiresAt: Math.min(expiresAt, contentRevision.deliverUntil ?? expiresAt),
      content: reach.own,
    };
    return [slot];
  });
  return { recipient: { ...base, reason: null }, slots, heldOut };
}

/** Reads what planning for a campaign depends on; null once the campaign is gone. */
async function openPlanning(app: App, { projectId, campaignId }: Sweep): Promise<Planning | null> {
  const { kysely } = app.database;
  const contentRevision = await ensureContentRevision(app, kysely, projectId, campaignId);
  if (contentRevision === null) return null;
  const credentials = await readCampaignCredentials(app, kysely, projectId, contentRevision.settings.appId);
  return { contentRevision, credentials, sendId: campaignId, now: app.clock() };
}

/** Plans for the users of one page, or re-evaluates them. A repeat changes nothing more. */
async function planPage(
  app: App,
  planning: Planning,
  which: CandidateQuery["which"],
  page: AudiencePage,
): Promise<Swept> {
  const { contentRevision } = planning;
  const { projectId, campaignId, settings, withholds } = contentRevision;
  const { kysely, hotPool } = app.database;
  const candidates = await findCandidates(
    kysely,
    { projectId, campaignId, settings, withholds, which },
    page,
  );
  const admissions = candidates.flatMap((candidate) => {
    // Also for those who wait: the delivery names the epoch of these weights.
    const variant = drawVariant(contentRevision.variants, campaignId, candidate.userKey);
    if (variant === null) throw noVariant();
    const planned = plannedFor(candidate, variant.id, planning);
    // A user who still waits for the same reason needs no write.
    const isNews =
      planned !== null && (planned.slots.length > 0 || planned.recipient.reason !== candidate.waiting);
    return isNews ? [planned] : [];
  });
  let reached = 0;
  for (let from = 0; from < admissions.length; from += WRITTEN_AT_ONCE) {
    const some = admissions.slice(from, from + WRITTEN_AT_ONCE);
    reached += (await inTransaction(hotPool, (client) => admit(client, some))).reached;
  }
  const { until } = page.range;
  return { until, wrote: admissions.length > 0, unconfirmed: 0, again: reached !== admissions.length };
}

/** Whether the campaign may still get deliveries. */
const isOpen = ({ contentRevision, now }: Planning): boolean =>
  contentRevision.status === "running" && placeInWindow(contentRevision, now) === "open";

/** Re-evaluates all users who wait, unless the campaign stops meanwhile. */
async function reevaluate(app: App, sweep: Sweep): Promise<void> {
  const began = performance.now();
  const reevaluatedAt = app.clock();
  let after: Cursor = null;
  do {
    // Anew for each page: weights, contents and the audience may change in the minutes that many users take.
    const planning = await openPlanning(app, sweep);
    if (planning === null || !isOpen(planning)) return;
    const range = await findWaitingRange(app.database.kysely, sweep.projectId, sweep.campaignId, after);
    const page = pageIn(range, planning.contentRevision.audience, planning.now);
    await planPage(app, planning, "waiting", page);
    after = range.until;
  } while (after !== null);
  const tookMs = Math.ceil(performance.now() - began);
  const restMs = Math.max(REEVALUATE_MS - tookMs, tookMs * REST_PER_REEVALUATION);
  const reevaluateAt = reevaluatedAt + Math.min(restMs, REEVALUATE_MS);
  await moveReevaluation(app.database.kysely, sweep, { reevaluatedAt, reevaluateAt });
}

const sweeper: Sweeper = {
  channel: "push",
  async queuePage(app, sweep, place) {
    const planning = await openPlanning(app, sweep);
    if (planning === null) return NO_USERS;
    const { audience, settings } = planning.contentRevision;
    const { kysely } = app.database;
    const isOneDevice = settings.selection.kind === "specific";
    const page = await readPage(kysely, sweep.projectId, audience, place, isOneDevice);
    return planPage(app, planning, "new", page);
  },
  hasOpen: hasOpenSlots,
  reevaluate,
};

/** Sweeps the audiences of running push campaigns: plans for new users, and re-evaluates those who wait. */
export const planLoop = sweepLoop(sweeper);

/** The longest time that a caller waits for a plan; users who are left are found by the next sweep. */
const NOW_MS = 5_000;

/** Plans a running campaign at once, for new users and for those who wait. */
export const planNow = (app: App, which: { projectId: string; campaignId: string }): Promise<void> =>
  sweepNow(app, sweeper, which, NOW_MS);

import { FIRST_OCCASION } from "../../../../domain/ids.ts";
import { inTransaction } from "../../../../platform/db/db.ts";
import type { App } from "../../../../platform/runtime.ts";
import { SECOND_MS } from "../../../../platform/time/clock.ts";
import { placeInWindow } from "../../../campaigns/authoring/rules.ts";
import { ZONE_TRAIT } from "../../../content/template/template.pure.ts";
import { gatesAt, reasonAt, stopOf } from "../../../deliveries/gates/list.ts";
import {
  type AudiencePage,
  CANDIDATE,
  drawVariant,
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
import { projectClock } from "../../../timing/public.ts";
import { type ReaderClock, readerClock } from "../../../timing/reader-clock.pure.ts";
import { leavesAt } from "../../../timing/send-time.pure.ts";
import { timeWords } from "../../../timing/wait-words.pure.ts";
import { readCampaignCredentials, type Usable } from "../credentials.ts";
import { type ContentRevision, ensureContentRevision } from "../definitions.ts";
import { pushGates, pushTestGates } from "../gates/push-gates.ts";
import { type PushPerson, reachOf } from "../reach.ts";
import { sendIdOf, slotKeyOf } from "../record-ids.ts";
import { REEVALUATE_MS } from "../rules.ts";
import { waitReason } from "../schema.ts";
import { pushChannel } from "../send/channel.ts";
import {
  type Admission,
  admit,
  type CandidateQuery,
  findCandidates,
  findWaitingRange,
  hasOpenSlots,
  type NewSlot,
} from "./plan-store.ts";

/** Recipients that one transaction inserts. */
const WRITTEN_AT_ONCE = 500;
/** Rests between re-evaluations for twice as long as one takes, so that they use at most a third of the time. */
const REST_PER_REEVALUATION = 2;

/** What planning for a user depends on. */
export type Planning = {
  contentRevision: ContentRevision;
  credentials: Usable;
  /** The occasion of the delivery. */
  occasion: number;
  /** The test (UUID) that is planned, which belongs to no delivery; null for a delivery. */
  testId: string | null;
  /** The clock of the project: that of readers who have no time zone. */
  zone: ReaderClock;
  now: number;
};

const GATES = gatesAt(pushGates, "plan");
const TEST_GATES = gatesAt(pushTestGates, "plan");

/** The recipient to insert for a user, with the slots of the chosen devices, or with the reason to wait. */
export function plannedFor(person: PushPerson, variantId: string, planning: Planning): Admission | null {
  const { contentRevision, credentials, occasion, testId, zone, now } = planning;
  const { lane, userKey, drawKey } = person;
  const { projectId, campaignId, settings, current, topic, timing } = contentRevision;
  const definition = contentRevision.definitions.get(variantId);
  if (definition === undefined) return null;
  const sendId = testId ?? sendIdOf(campaignId, occasion);
  const base = {
    lane,
    userKey,
    campaignId,
    occasion,
    sendId,
    projectId,
    variantId,
    epoch: current.epoch,
    now,
  };
  const isTest = testId !== null;
  const reach = reachOf(person, { compiled: definition.compiled, settings }, credentials);
  // Which pushes a refused credential lets leave, is decided when they are due.
  const { choice } = person;
  const facts = {
    ...CANDIDATE,
    ...reach,
    barring: null,
    variant: { id: variantId },
    current,
    topic,
    choice,
    drawKey,
  };
  const stop = stopOf(isTest ? TEST_GATES : GATES, facts);
  const { filled, devices } = reach;
  if ((stop !== null && !stop.withholds) || "reason" in devices || "reason" in filled) {
    const reason = waitReason(stop === null ? null : reasonAt(stop, facts));
    return { recipient: { ...base, variantId: null, reason }, slots: [], withholds: false };
  }
  const leaves =
    testId === null ? leavesAt(timing, readerClock(person.traits[ZONE_TRAIT], zone), zone, now) : now;
  const expiresAt = leaves + settings.ttlSeconds * SECOND_MS;
  const postponedBy = leaves > now ? timeWords(timing, { "time.zone": zone.name }) : null;
  const slots = devices.chosen.flatMap((device): NewSlot[] => {
    const credential = credentials.get(device);
    if (credential === null) return [];
    const slot = {
      ...base,
      slotKey: slotKeyOf(userKey, sendId, device.installationKey),
      isTest,
      installationLane: device.installationLane,
      installationKey: device.installationKey,
      installationId: device.installationId,
      bindingGeneration: device.bindingGeneration,
      selectedBy: contentRevision.selectedBy,
      replacementKey: settings.replacementKey ?? null,
      at: leaves,
      postponedBy,
      expiresAt,
      definitionId: definition.id,
      credentialId: credential.id,
      credentialRevision: credential.revision,
      tokenRevision: device.tokenRevision,
      targetExpiresAt: Math.min(expiresAt, contentRevision.deliverUntil ?? expiresAt),
      content: filled.own,
    };
    return [slot];
  });
  return { recipient: { ...base, reason: null }, slots, withholds: stop !== null && slots.length > 0 };
}

/** Reads what planning for a campaign depends on; null once the campaign is gone. */
export async function openPlanning(
  app: App,
  { projectId, campaignId }: Pick<Sweep, "projectId" | "campaignId">,
): Promise<Planning | null> {
  const { kysely } = app.database;
  const contentRevision = await ensureContentRevision(app, kysely, projectId, campaignId);
  if (contentRevision === null) return null;
  const credentials = await readCampaignCredentials(app, kysely, projectId, contentRevision.settings.appId);
  const zone = await projectClock(kysely, projectId, contentRevision.timing);
  return { contentRevision, credentials, occasion: FIRST_OCCASION, testId: null, zone, now: app.clock() };
}

/** Plans for the users of one page, or re-evaluates them. A repeat changes nothing more. */
async function planPage(
  app: App,
  planning: Planning,
  which: CandidateQuery["which"],
  page: AudiencePage,
): Promise<Swept> {
  const { contentRevision } = planning;
  const { projectId, campaignId, settings, current, topic } = contentRevision;
  const { kysely, hotPool } = app.database;
  const candidates = await findCandidates(
    kysely,
    { projectId, campaignId, settings, current, topic, which },
    page,
  );
  const admissions = candidates.flatMap((candidate) => {
    // Also for those who wait: the delivery names the epoch of these weights.
    const variant = drawVariant(contentRevision.variants, campaignId, candidate.drawKey);
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

/** Re-evaluates all users who wait, unless the campaign stops meanwhile. Answers whether any of them waits no more. */
async function reevaluate(app: App, sweep: Sweep): Promise<boolean> {
  const began = performance.now();
  const reevaluatedAt = app.clock();
  let after: Cursor = null;
  let reached = false;
  do {
    // Anew for each page: weights, contents and the audience may change in the minutes that many users take.
    const planning = await openPlanning(app, sweep);
    if (planning === null || !isOpen(planning)) return reached;
    const range = await findWaitingRange(app.database.kysely, sweep.projectId, sweep.campaignId, after);
    const page = pageIn(range, planning.contentRevision.audience, planning.now);
    if ((await planPage(app, planning, "waiting", page)).wrote) reached = true;
    after = range.until;
  } while (after !== null);
  const tookMs = Math.ceil(performance.now() - began);
  const restMs = Math.max(REEVALUATE_MS - tookMs, tookMs * REST_PER_REEVALUATION);
  const reevaluateAt = reevaluatedAt + Math.min(restMs, REEVALUATE_MS);
  await moveReevaluation(app.database.kysely, sweep, { reevaluatedAt, reevaluateAt });
  return reached;
}

const sweeper: Sweeper = {
  channel: "push",
  sendLoop: pushChannel.sendLoop,
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

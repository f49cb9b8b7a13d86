import type { Platform } from "../../../../domain/fields.ts";
import { type DeliveryKey, deliveryRef, deliveryText } from "../../../../domain/ids.ts";
import { type Connection, inTransaction } from "../../../../platform/db/db.ts";
import type { Lease } from "../../../../platform/outbound/channel.ts";
import type { App } from "../../../../platform/runtime.ts";
import { SECOND_MS } from "../../../../platform/time/clock.ts";
import type { PushContent } from "../../../content/push/message.pure.ts";
import { readTemplateUser } from "../../../content/template/public.ts";
import { gatesAt, reasonAt, stopOf } from "../../../deliveries/gates/list.ts";
import { followMessages } from "../../../deliveries/public.ts";
import { readSome } from "../../../settings/public.ts";
import { lockPressures, type Pressures, postponedAt, readZones } from "../../../timing/public.ts";
import { clockNamed, readerClock } from "../../../timing/reader-clock.pure.ts";
import { TIMING_KEYS, type TimingSettings, timingSettings } from "../../../timing/settings.pure.ts";
import type { UsableCredential } from "../../credentials/public.ts";
import { readCampaignCredentials, type Usable } from "../credentials.ts";
import {
  type ContentRevision,
  definitionOf,
  ensureContentRevision,
  type PushDefinition,
} from "../definitions.ts";
import { type DeviceFacts, deviceFault } from "../gates/devices.pure.ts";
import { pushGates, pushTestGates } from "../gates/push-gates.ts";
import { type FilledPush, fillDefinition } from "../render.ts";
import { repairColumns, repairOf } from "../repair-columns.ts";
import {
  type Captured,
  judge,
  REEVALUATE_MS,
  RESERVATION_MS,
  type Repair,
  type SlotState,
  type SlotVerdict,
} from "../rules.ts";
import { type Closed, type WaitReason, waitReason } from "../schema.ts";
import { recordEndings } from "./endings.ts";
import {
  type DueSlot,
  lockDueSlots,
  moveSlots,
  type PersonRow,
  readPeople,
  type SlotMove,
} from "./lease-store.ts";
import { type Probes, takeProbes } from "./probes.ts";

/** Slots that are leased at once. A crash leaves unknown at most those that were leased. */
const LEASED_AT_ONCE = 500;

/** How soon a push is looked at again whose journey has yet to look at what its user did. */
const LOOK_MS = SECOND_MS;

/** The reasons to close a slot by which its message is withdrawn; by any other it has failed. */
const WITHDRAWING: readonly (string | null)[] = ["patience", "left_journey"] satisfies Closed[];

/** A push that only this process may send: its slot is reserved, its attempt recorded. */
export type LeasedSlot = Lease & {
  slot: DueSlot;
  state: SlotState;
  captured: Captured;
  credential: UsableCredential;
  platform: Platform;
  content: PushContent;
  token: string;
  ordinal: number;
  generation: number;
  projectId: string;
  campaignId: string;
  /** The version of the content that the push was rendered from. */
  contentVersion: number;
  targetExpiresAt: number;
};

/**
 * The project and lease owner under which slots are leased. `backOffUntil`: until when to back off from a provider (epoch ms, or
 * 0).
 */
export type LeaseTerms = {
  projectId: string;
  leaseOwner: string;
  backOffUntil(credential: UsableCredential, token: string | null): number;
};

/** What the decisions about the slots of one lease depend on. */
type Scene = {
  terms: LeaseTerms;
  settings: TimingSettings;
  /** By the key of the user: their time zone, where they have one. */
  zones: ReadonlyMap<string, string>;
  pressures: Pressures;
  contentRevision: ContentRevision;
  credentials: Usable;
  probes: Probes;
  now: number;
};

/** A slot with the definition of its newest target, the current definition, and the content that would be sent. */
type Read = {
  slot: DueSlot;
  target: PushDefinition;
  definition: PushDefinition | undefined;
  filled: FilledPush;
};

/** A slot, its next state, and the lease where it is sent. */
type Decision = { slot: DueSlot; move: SlotMove; leased: LeasedSlot | null };

const deliveryKeyOf = ({ lane, userKey, campaignId, occasion }: DueSlot): DeliveryKey => ({
  lane,
  userKey,
  campaignId,
  occasion,
});

/** The fields of a slot that the rules read. */
export const pickSlotState = (slot: DueSlot): SlotState => ({
  isTest: slot.isTest,
  attempts: slot.attempts,
  submissionsUsed: slot.submissionsUsed,
  possibleSubmissions: slot.possibleSubmissions,
  blocks: slot.blocks,
  uncertain: slot.uncertain,
  authRefreshRevision: slot.authRefreshRevision,
  submissionNotBefore: slot.submissionNotBefore,
  repair: repairOf(slot),
  expiresAt: slot.expiresAt,
});

/** The fields of a user who was erased meanwhile. */
const ERASED = { externalId: "", traits: {}, serverTraits: null };

/** The contents of slots: rendered again where the definition has changed, else those of their targets. */
async function readContents(
  app: App,
  client: Connection,
  { contentRevision }: Scene,
  slots: readonly DueSlot[],
): Promise<Read[]> {
  const { projectId } = contentRevision;
  const read: Omit<Read, "filled">[] = [];
  for (const slot of slots) {
    const target = await definitionOf(app, projectId, slot.definitionId);
    read.push({ slot, target, definition: contentRevision.definitions.get(target.variantId) });
  }
  const changed = read.filter(({ target, definition }) => target.id !== definition?.id);
  const people = new Map<string, PersonRow>();
  if (changed.length > 0) {
    const refs = changed.map(({ slot: { lane, userKey } }) => ({ lane, userKey, projectId }));
    for (const person of await readPeople(client, refs)) people.set(person.userKey, person);
  }
  return read.map((each): Read => {
    const { slot, target, definition } = each;
    if (definition === undefined || target.id === definition.id) {
      const own = slot.content === null ? null : JSON.stringify(slot.content);
      return { ...each, filled: { content: slot.content ?? target.content, own } };
    }
    const person = readTemplateUser({ ...(people.get(slot.userKey) ?? ERASED), event: slot.event });
    return { ...each, filled: fillDefinition(definition, person) };
  });
}

/** What a slot would be sent with now; null without a device, a credential or a definition. */
function currentOf(
  { slot, definition }: Read,
  { credentials }: Scene,
): (Captured & { way: UsableCredential }) | null {
  if (slot.platform === null || slot.environment === null || definition === undefined) return null;
  const way = credentials.get({ platform: slot.platform, environment: slot.environment });
  if (way === null) return null;
  return {
    way,
    fingerprint: definition.fingerprint,
    credentialId: way.id,
    credentialRevision: way.revision,
    tokenRevision: slot.currentTokenRevision ?? 0,
  };
}

const GATES = gatesAt(pushGates, "lease");
/** Tests leave at once, so their gates need to know nothing of when. */
const TEST_GATES = gatesAt(pushTestGates, "lease");

/** The device of a slot, where it can be sent the content, or what it lacks; the words of the target where these cannot be written. */
function devicesOf(device: DeviceFacts | null, { filled, target }: Read, hasCredential: boolean) {
  if (device === null) return { reason: "no_installation" } as const;
  const content = "content" in filled ? filled.content : target.content;
  const fault = deviceFault(device, content, hasCredential);
  return fault === null ? { chosen: [device] } : { reason: fault };
}

/** What becomes of a slot: as the rules of slots say, or it is postponed, `by` what is kept with it. */
type Verdict = SlotVerdict | { kind: "postpone"; reason: WaitReason; until: number; by: string | null };

/** Why a push waits that stops at a gate of timing. */
const POSTPONED: Readonly<Record<string, WaitReason>> = {
  time: "local_hour",
  quiet: "quiet",
  pressure: "pressure",
};

/** What becomes of a push of a step whose user has left the journey, or may have; null for any other. */
function leavingOf(slot: DueSlot, now: number): Verdict | null {
  if (slot.hasLeft) return { kind: "close", reason: "left_journey" };
  if (!slot.mayEnd || now >= slot.expiresAt) return null;
  return { kind: "wait", reason: "retry_backoff", until: now + LOOK_MS, repair: repairOf(slot) };
}

function verdictOn(read: Read, scene: Scene): Verdict {
  const { slot, target, filled } = read;
  const { now, contentRevision, terms, settings } = scene;
  const leaving = leavingOf(slot, now);
  if (leaving !== null) return leaving;
  const current = currentOf(read, scene);
  const { platform, permission, consent, capabilities } = slot;
  const isThere = platform !== null && permission !== null && consent !== null && capabilities !== null;
  const device = isThere
    ? { platform, permission, consent, capabilities, hasToken: slot.token !== null }
    : null;
  const { topic, timing, projectId } = contentRevision;
  const facts = {
    timing,
    settings,
    now,
    queuedAt: slot.queuedAt,
    attempts: slot.attempts,
    reader: readerClock(scene.zones.get(slot.userKey), clockNamed(settings["time.zone"])),
    pressure: scene.pressures({ ...deliveryKeyOf(slot), projectId }),
    waiting: null,
    filled,
    devices: devicesOf(device, read, current !== null),
    barring: null,
    topic,
    choice: slot.choice,
  };
  const stop = stopOf(slot.isTest ? TEST_GATES : GATES, facts);
  const verdict = judge(pickSlotState(slot), {
    now,
    attemptedAt: slot.attemptedAt,
    bindingGeneration: { captured: slot.bindingGeneration, current: slot.currentBinding },
    selectedBy: { captured: slot.selectedBy, current: contentRevision.selectedBy },
    isReplaced: slot.isReplaced,
    captured: { ...slot, fingerprint: target.fingerprint },
    current,
    way: current === null ? "open" : scene.probes.wayOf(current.way),
    deviceFault: stop === null || stop.gate in POSTPONED ? null : waitReason(reasonAt(stop, facts)),
  });
  const reason = stop === null ? undefined : POSTPONED[stop.gate];
  const postponed = stop === null || reason === undefined ? null : postponedAt(stop, facts);
  if (verdict.kind === "send" && postponed !== null && reason !== undefined)
    return postponed === "withdrawn"
      ? { kind: "close", reason: "patience" }
      : { kind: "postpone", reason, ...postponed };
  const backOff = current === null ? 0 : terms.backOffUntil(current.way, slot.token);
  return verdict.kind === "send" && backOff > now
    ? { kind: "wait", reason: "retry_backoff", until: Math.min(backOff, now + REEVALUATE_MS), repair: null }
    : verdict;
}

/** The fields of a move that all decisions share; its target stays the newest one. */
const moveOf = (slot: DueSlot, { contentRevision: { projectId }, now }: Scene) => ({
  lane: slot.lane,
  userKey: slot.userKey,
  slotKey: slot.slotKey,
  campaignId: slot.campaignId,
  projectId,
  now,
  generation: slot.generation,
  definitionId: null,
  credentialId: null,
  credentialRevision: null,
  tokenRevision: null,
  targetExpiresAt: null,
  content: null,
});

/** The decision about a slot that is not sent now: it waits until `at`, or is closed. */
const leave = (
  slot: DueSlot,
  scene: Scene,
  to: { state: "waiting"; reason: WaitReason; at: number } | { state: "closed"; reason: Closed; at: number },
  repair: Repair | null,
  postponedBy: string | null = null,
): Decision => ({
  slot,
  move: { ...moveOf(slot, scene), ...repairColumns(repair), ...to, postponedBy, leaseOwner: null },
  leased: null,
});

function decide(read: Read, scene: Scene): Decision {
  const { slot, definition, filled } = read;
  const { now, contentRevision, terms } = scene;
  const verdict = verdictOn(read, scene);
  const repair = repairOf(slot);
  if (verdict.kind === "close")
    return leave(slot, scene, { state: "closed", reason: verdict.reason, at: now }, repair);
  if (verdict.kind === "postpone") {
    const { reason, until, by } = verdict;
    const at = Math.min(until, slot.expiresAt);
    return leave(slot, scene, { state: "waiting", reason, at }, repair, by);
  }
  if (verdict.kind === "wait") {
    const { reason, until } = verdict;
    return leave(slot, scene, { state: "waiting", reason, at: until }, verdict.repair);
  }
  const current = currentOf(read, scene);
  const { platform, token } = slot;
  if (current === null || platform === null || token === null || "reason" in filled) {
    const at = now + REEVALUATE_MS;
    return leave(slot, scene, { state: "waiting", reason: "no_installation", at }, repair);
  }
  scene.probes.spend(current.way, slot);
  const leasedUntil = now + RESERVATION_MS;
  const { way, ...captured } = current;
  const generation = slot.generation + (verdict.isNewTarget ? 1 : 0);
  const targetExpiresAt = Math.min(slot.expiresAt, contentRevision.deliverUntil ?? slot.expiresAt);
  const { credentialId, credentialRevision, tokenRevision } = captured;
  const target = { credentialId, credentialRevision, tokenRevision, targetExpiresAt, content: filled.own };
  const { leaseOwner } = terms;
  return {
    slot,
    move: {
      ...moveOf(slot, scene),
      ...repairColumns(null),
      generation,
      state: "reserved",
      reason: null,
      postponedBy: null,
      at: leasedUntil,
      leaseOwner,
      ...(verdict.isNewTarget ? { ...target, definitionId: definition?.id ?? null } : {}),
    },
    leased: {
      slot,
      captured,
      platform,
      token,
      generation,
      targetExpiresAt,
      leasedUntil,
      leaseOwner,
      projectId: contentRevision.projectId,
      campaignId: slot.campaignId,
      contentVersion: contentRevision.contentVersion,
      state: {
        ...pickSlotState(slot),
        attempts: slot.attempts + 1,
        repair: null,
        submissionNotBefore: Math.min(slot.submissionNotBefore, now),
      },
      credential: way,
      content: filled.content,
      ordinal: slot.attempts + 1,
    },
  };
}

/** Locks the readers of due slots where something limits what they get, and reads what decides when pushes leave for them. */
async function readReaders(
  client: Connection,
  { settings, contentRevision, now }: Pick<Scene, "settings" | "contentRevision" | "now">,
  slots: readonly DueSlot[],
): Promise<Pick<Scene, "zones" | "pressures">> {
  const { projectId, timing, topic } = contentRevision;
  const refs = slots.map((slot) => ({ ...deliveryKeyOf(slot), projectId, queuedAt: slot.queuedAt }));
  const distinct = [...new Map(refs.map((ref) => [deliveryText(ref), ref])).values()];
  const pressures = await lockPressures(
    client,
    { projectId, channel: "push", timing, topic, settings, now },
    distinct,
  );
  const isByClock = timing.sendTime !== null || settings["time.quiet"] !== null;
  const zones = isByClock && distinct.length > 0 ? await readZones(client, distinct) : [];
  return { pressures, zones: new Map(zones.map(({ userKey, zone }) => [userKey, zone])) };
}

/**
 * Leases slots of a campaign, or of its tests, that may be sent now, and decides about those that may not. The transaction that
 * records the attempts also checks the campaign's status and the device's permissions.
 * @returns the pushes, and how many slots were decided about
 */
export async function leaseSlots(
  app: App,
  terms: LeaseTerms,
  { campaignId, tests }: { campaignId: string; tests: boolean },
): Promise<{ leased: LeasedSlot[]; looked: number }> {
  const { projectId } = terms;
  const { kysely, hotPool } = app.database;
  const contentRevision = await ensureContentRevision(app, kysely, projectId, campaignId);
  if (contentRevision === null) return { leased: [], looked: 0 };
  const credentials = await readCampaignCredentials(app, kysely, projectId, contentRevision.settings.appId);
  const settings = await readSome(kysely, projectId, timingSettings, TIMING_KEYS);
  const limit = LEASED_AT_ONCE;
  const asking = { ...terms, campaignId, tests, now: app.clock(), limit };
  const probes = await takeProbes(app, asking, credentials.all);
  const { over, ...looked } = await inTransaction(hotPool, async (client) => {
    const now = app.clock();
    const slots = await lockDueSlots(client, { projectId, campaignId, tests, now }, limit);
    if (slots.length === 0) return { leased: [], looked: 0, over: [] };
    const readers = await readReaders(client, { settings, contentRevision, now }, tests ? [] : slots);
    const scene = { terms, contentRevision, credentials, probes, settings, now, ...readers };
    const contents = await readContents(app, client, scene, probes.inOrder(slots));
    const decisions = contents.map((read) => decide(read, scene));
    await moveSlots(
      client,
      decisions.map(({ move }) => move),
    );
    const ended = decisions.filter(({ move, slot }) => move.state === "closed" && !slot.isTest);
    await recordEndings(
      client,
      ended.map(({ slot, move: { reason } }) => ({
        ...slot,
        projectId,
        at: now,
        event: WITHDRAWING.includes(reason) ? "withdrawn" : "failed",
      })),
    );
    return {
      leased: decisions.flatMap(({ leased }) => (leased === null ? [] : [leased])),
      looked: slots.length,
      over: ended.map(({ slot }) => deliveryRef({ ...slot, projectId })),
    };
  });
  await followMessages(app, over);
  return looked;
}

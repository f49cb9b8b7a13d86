import { type Connection, inTransaction } from "../../../../platform/db/db.ts";
import type { Lease } from "../../../../platform/outbound/channel.ts";
import type { App } from "../../../../platform/runtime.ts";
import type { PushContent } from "../../../content/push/message.pure.ts";
import { personOf } from "../../../content/template/public.ts";
import type { UsableCredential } from "../../credentials/public.ts";
import { readCampaignCredentials, type Usable } from "../credentials.ts";
import { currentWording, type Definition, definitionOf, type Wording } from "../definitions.ts";
import { type Filled, fillDefinition } from "../render.ts";
import { repairColumns, repairOf } from "../repair-columns.ts";
import {
  type Captured,
  deviceFault,
  judge,
  RECHECK_MS,
  RESERVATION_MS,
  type Repair,
  type SlotState,
  type Verdict,
} from "../rules.ts";
import type { Closed, Waiting } from "../schema.ts";
import { recordEndings } from "./endings.ts";
import {
  type DueSlot,
  lockDueSlots,
  moveSlots,
  type PersonRow,
  readPeople,
  type SlotMove,
} from "./lease-store.ts";

/** Slots that are leased at once. What a crash leaves unknown is at most what was leased and not sent. */
const LEASED_AT_ONCE = 500;

/** A push that may leave now: its slot reserved, its attempt written. */
export type LeasedSlot = Lease & {
  slot: DueSlot;
  state: SlotState;
  captured: Captured;
  credential: UsableCredential;
  platform: "ios" | "android";
  content: PushContent;
  token: string;
  ordinal: number;
  generation: number;
  projectId: string;
  campaignId: string;
  /** Of the campaign's content that it says. */
  contentVersion: number;
  targetExpiresAt: number;
};

/** For which project slots are leased, under which owner; `backOffUntil` says how long a provider is left alone (epoch ms, 0: it is not). */
export type LeaseTerms = {
  projectId: string;
  leaseOwner: string;
  backOffUntil(credential: UsableCredential): number;
};

/** What the slots of one lease are judged by. */
type Scene = { terms: LeaseTerms; wording: Wording; credentials: Usable; now: number };

/** A slot with what would be sent: under its newest target, or under another wording. */
type Read = { slot: DueSlot; target: Definition; definition: Definition | undefined; filled: Filled };

/** A slot and what is to happen to it. */
type Decision = { slot: DueSlot; move: SlotMove; leased: LeasedSlot | null };

/** What the rules need of a slot. */
export const stateOf = (slot: DueSlot): SlotState => ({
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

/** Stands for a user who was erased meanwhile. */
const ERASED = { externalId: "", traits: {}, serverTraits: null };

/** Renders what is to be said anew, for those whose wording has changed; the others say what their target says. */
async function readContents(
  app: App,
  client: Connection,
  { wording }: Scene,
  slots: readonly DueSlot[],
): Promise<Read[]> {
  const { projectId } = wording;
  const read: Omit<Read, "filled">[] = [];
  for (const slot of slots) {
    const target = await definitionOf(app, projectId, slot.definitionId);
    read.push({ slot, target, definition: wording.definitions.get(target.variantId) });
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
    const person = personOf(people.get(slot.userKey) ?? ERASED);
    return { ...each, filled: fillDefinition(definition, person) };
  });
}

/** What a slot would be sent with now; null where there is no way to its device. */
function currentOf(
  { slot, definition }: Read,
  { credentials }: Scene,
): (Captured & { way: UsableCredential }) | null {
  if (slot.platform === null || slot.environment === null || definition === undefined) return null;
  const way = credentials.of({ platform: slot.platform, environment: slot.environment });
  if (way === null) return null;
  return {
    way,
    fingerprint: definition.fingerprint,
    credentialId: way.id,
    credentialRevision: way.revision,
    tokenRevision: slot.currentTokenRevision ?? 0,
  };
}

function verdictOn(read: Read, scene: Scene): Verdict {
  const { slot, target, filled } = read;
  const { now, wording, terms } = scene;
  const current = currentOf(read, scene);
  const { platform, permission, consent, capabilities } = slot;
  const isThere = platform !== null && permission !== null && consent !== null && capabilities !== null;
  const fault = !isThere
    ? "no_installation"
    : "reason" in filled
      ? filled.reason
      : deviceFault(
          { platform, permission, consent, capabilities, hasToken: slot.token !== null },
          filled.content,
          current !== null,
        );
  const verdict = judge(stateOf(slot), {
    now,
    bindingGeneration: { captured: slot.bindingGeneration, current: slot.currentBinding },
    selectedBy: { captured: slot.selectedBy, current: wording.selectedBy },
    isReplaced: slot.isReplaced,
    captured: { ...slot, fingerprint: target.fingerprint },
    current,
    deviceFault: fault,
  });
  const backOff = current === null ? 0 : terms.backOffUntil(current.way);
  return verdict.kind === "send" && backOff > now
    ? { kind: "wait", reason: "retry_backoff", until: Math.min(backOff, now + RECHECK_MS), repair: null }
    : verdict;
}

/** What is written of every slot that was looked at. `generation` is that of the target it has. */
const moveOf = (slot: DueSlot, { wording: { projectId }, now }: Scene) => ({
  ...{ lane: slot.lane, userKey: slot.userKey, slotKey: slot.slotKey },
  ...{ campaignId: slot.campaignId, projectId, now, generation: slot.generation },
  ...{ definitionId: null, credentialId: null, credentialRevision: null, tokenRevision: null },
  ...{ targetExpiresAt: null, content: null },
});

/** A slot that is not sent now: it waits until `at` to be looked at again, or is closed. */
const leave = (
  slot: DueSlot,
  scene: Scene,
  to: { state: "waiting"; reason: Waiting; at: number } | { state: "closed"; reason: Closed; at: number },
  repair: Repair | null,
): Decision => ({
  slot,
  move: { ...moveOf(slot, scene), ...repairColumns(repair), ...to, leaseOwner: null },
  leased: null,
});

function decide(read: Read, scene: Scene): Decision {
  const { slot, definition, filled } = read;
  const { now, wording, terms } = scene;
  const verdict = verdictOn(read, scene);
  const repair = repairOf(slot);
  if (verdict.kind === "close")
    return leave(slot, scene, { state: "closed", reason: verdict.reason, at: now }, repair);
  if (verdict.kind === "wait") {
    const { reason, until } = verdict;
    return leave(slot, scene, { state: "waiting", reason, at: until }, verdict.repair);
  }
  const current = currentOf(read, scene);
  const { platform, token } = slot;
  if (current === null || platform === null || token === null || "reason" in filled) {
    const at = now + RECHECK_MS;
    return leave(slot, scene, { state: "waiting", reason: "no_installation", at }, repair);
  }
  const leasedUntil = now + RESERVATION_MS;
  const { way, ...captured } = current;
  const generation = slot.generation + (verdict.isNewTarget ? 1 : 0);
  const targetExpiresAt = Math.min(slot.expiresAt, wording.deliverUntil ?? slot.expiresAt);
  const { credentialId, credentialRevision, tokenRevision } = captured;
  const target = { credentialId, credentialRevision, tokenRevision, targetExpiresAt, content: filled.own };
  const { leaseOwner } = terms;
  return {
    slot,
    move: {
      ...{ ...moveOf(slot, scene), ...repairColumns(null), generation },
      ...{ state: "reserved", reason: null, at: leasedUntil, leaseOwner },
      ...(verdict.isNewTarget ? { ...target, definitionId: definition?.id ?? null } : {}),
    },
    leased: {
      ...{ slot, captured, platform, token, generation, targetExpiresAt, leasedUntil, leaseOwner },
      ...{ projectId: wording.projectId, campaignId: slot.campaignId },
      contentVersion: wording.contentVersion,
      state: { ...stateOf(slot), attempts: slot.attempts + 1, repair: null },
      credential: way,
      content: filled.content,
      ordinal: slot.attempts + 1,
    },
  };
}

/**
 * Leases slots of a campaign, or of its tests, that may be sent now, and decides about those that may not. Pause and end of the
 * campaign are looked at in the very transaction that writes the attempts, and so is what the device allows.
 * @returns the pushes, and how many slots were looked at
 */
export async function leaseSlots(
  app: App,
  terms: LeaseTerms,
  { campaignId, tests }: { campaignId: string; tests: boolean },
): Promise<{ leased: LeasedSlot[]; looked: number }> {
  const { projectId } = terms;
  const { kysely, hotPool } = app.database;
  const wording = await currentWording(app, kysely, projectId, campaignId);
  if (wording === null) return { leased: [], looked: 0 };
  const credentials = await readCampaignCredentials(app, kysely, projectId, wording.settings.appId);
  return inTransaction(hotPool, async (client) => {
    const now = app.clock();
    const scene = { terms, wording, credentials, now };
    const slots = await lockDueSlots(client, { projectId, campaignId, tests, now }, LEASED_AT_ONCE);
    if (slots.length === 0) return { leased: [], looked: 0 };
    const decisions = (await readContents(app, client, scene, slots)).map((read) => decide(read, scene));
    await moveSlots(
      client,
      decisions.map(({ move }) => move),
    );
    const ended = decisions.filter(({ move, slot }) => move.state === "closed" && !slot.isTest);
    await recordEndings(
      client,
      ended.map(({ move }) => ({ ...move, at: now })),
    );
    return {
      leased: decisions.flatMap(({ leased }) => (leased === null ? [] : [leased])),
      looked: slots.length,
    };
  });
}

import { createBatch } from "../../../../platform/db/batch/batch.ts";
import { type Connection, inTransaction } from "../../../../platform/db/db.ts";
import type { Lease } from "../../../../platform/outbound/channel.ts";
import { type App, resource } from "../../../../platform/runtime.ts";
import { DAY_MS, HOUR_MS } from "../../../../platform/time/clock.ts";
import { activePeriods } from "../../../counting/usage/public.ts";
import {
  type DeliveryReport,
  lockDeliveries,
  markSending,
  recordDeliveryEvents,
} from "../../../deliveries/public.ts";
import {
  type AddressChange,
  type Addressee,
  addressRef,
  changeAddresses,
  lockAddresses,
} from "../../addresses/public.ts";
import { type AddressState, freeAt, mayLeave, parseAddress } from "../../addresses/rules.ts";
import type { EmailSettings } from "../../sender/settings.pure.ts";
import { LEASE_MS, postponingCap, spreadOut, takePermits, UNCONFIRMED } from "../rules.ts";
import {
  type Beginning,
  type Begun,
  beginSends,
  type DueSend,
  lockDueSends,
  lockPace,
  moveSends,
  type SendStep,
  setPace,
} from "./lease-store.ts";

/** Messages that are leased at once. When a process dies, those without an attempt go back into the queue. */
const LEASED_AT_ONCE = 64;
/** How long a message is deferred while another one to the same address is in flight. */
const WAIT_MS = 5_000;

/** A send and its address, which has a lane of its own. */
type Recipient = DueSend & { address: string; domain: string; addressLane: number; addressKey: string };

/** A message that only this process may send, while its lease is valid. */
export type LeasedSend = Recipient & Lease & { campaignId: string; projectId: string };

/** The project, lease owner and limits under which messages are leased. */
export type LeaseTerms = { projectId: string; leaseOwner: string; settings: EmailSettings };

/** How long a message is deferred while its user's new address is not confirmed. */
const UNCONFIRMED_MS = HOUR_MS;
/** How long a campaign that is sent once waits for that: it ends when all its messages are finished. */
const CONFIRMED_WITHIN_MS = 3 * DAY_MS;
const NEVER_CONFIRMED = "the user's new address was not confirmed within three days";
const SUPPRESSED = "the address does not want mail any more, or does not exist";

/** A send and what is to happen to it. */
type Decision = {
  send: DueSend;
  step: Pick<SendStep, "status" | "dueAt" | "reason" | "postponedBy">;
  to: Recipient | null;
};

const decided = (
  send: DueSend,
  status: SendStep["status"],
  reason: string | null = null,
  dueAt: number | null = null,
): Decision => ({ send, step: { status, dueAt, reason, postponedBy: null }, to: null });

/** What becomes of a message to an address that had as many as the cap allows: it is left out for good, or waits for the next free place. */
function overCap(send: DueSend, acceptedAt: readonly number[], settings: EmailSettings): Decision {
  const cap = postponingCap(settings);
  const free = freeAt(acceptedAt, settings["email.capMax"], settings["email.capHours"] * HOUR_MS);
  if (cap === null || free === null) return decided(send, "capped");
  return { send, step: { status: "waiting", dueAt: free, reason: null, postponedBy: cap }, to: null };
}

/** Locks the addresses of messages, and decides about each message by the state of its address. */
async function decideByAddress(
  client: Connection,
  { projectId, settings }: LeaseTerms,
  recipients: readonly Recipient[],
  now: number,
): Promise<Decision[]> {
  const since = now - settings["email.capHours"] * HOUR_MS;
  const addressees = new Map<string, Addressee>();
  for (const { addressLane: lane, addressKey, address } of recipients)
    addressees.set(addressKey, { lane, addressKey, projectId, address, since, now });
  const locked = await lockAddresses(client, [...addressees.values()]);
  const acceptedAt = new Map(locked.map((row) => [row.address_key, row.accepted_at]));
  const states = new Map<string, AddressState>(
    locked.map((row) => [
      row.address_key,
      { isSuppressed: row.is_suppressed, accepted: row.accepted_at.length, onTheWay: row.on_the_way },
    ]),
  );
  return recipients.map((to): Decision => {
    const state = states.get(to.addressKey);
    const verdict = state === undefined ? "wait" : mayLeave(state, settings["email.capMax"]);
    if (verdict === "suppressed") return decided(to, "suppressed", SUPPRESSED);
    if (verdict === "capped") return overCap(to, acceptedAt.get(to.addressKey) ?? [], settings);
    if (verdict === "wait" || state === undefined) return decided(to, "waiting", null, now + WAIT_MS);
    // The next message to the same address in this lease must count this one as in flight.
    states.set(to.addressKey, { ...state, onTheWay: state.onTheWay + 1 });
    return { ...decided(to, "sending"), to };
  });
}

/**
 * Defers the messages that their addresses let leave, and the pace of their domains does not. Only these ask the pace: what
 * is postponed, left out or suppressed does not go to the server, and would take a place from mail that does.
 */
async function paceByDomain(
  client: Connection,
  { projectId, settings }: LeaseTerms,
  decisions: readonly Decision[],
  now: number,
): Promise<Decision[]> {
  const perMinute = settings["email.domainPerMinute"];
  if (perMinute === null) return [...decisions];
  const leaving = decisions.flatMap(({ to }) => (to === null ? [] : [to]));
  const deferred = new Map<Recipient, Decision>();
  const byDomain = Map.groupBy(leaving, ({ domain }) => domain);
  // Always in the same order, so that two transactions that lock several paces never wait for each other.
  for (const domain of [...byDomain.keys()].sort()) {
    const theirs = byDomain.get(domain) ?? [];
    const pace = await lockPace(client, projectId, domain);
    const { granted, nextAt, intervalUs } = takePermits(pace.nextAt, now, perMinute, theirs.length);
    const later = theirs.slice(granted);
    const { dueAt, spreadUntil } = spreadOut(
      Math.max(pace.spreadUntil, nextAt),
      now,
      intervalUs,
      later.length,
    );
    await setPace(client, {
      projectId,
      domain,
      nextAt,
      spreadUntil: later.length > 0 ? spreadUntil : pace.spreadUntil,
    });
    for (const [i, to] of later.entries()) deferred.set(to, decided(to, "waiting", null, dueAt[i] ?? now));
  }
  return decisions.map((decision) =>
    decision.to === null ? decision : (deferred.get(decision.to) ?? decision),
  );
}

const EVENTS: Readonly<Partial<Record<SendStep["status"], DeliveryReport["event"]>>> = {
  capped: "frequency_capped",
  suppressed: "failed",
  failed: "failed",
};

/** Writes the decisions, in the transaction that locked and checked all they depend on. */
async function write(
  client: Connection,
  { projectId, leaseOwner, settings, period }: LeaseTerms & { period: number },
  campaignId: string,
  decisions: readonly Decision[],
  now: number,
): Promise<void> {
  const since = now - settings["email.capHours"] * HOUR_MS;
  const changes = decisions.flatMap(({ to }): AddressChange[] =>
    to === null
      ? []
      : [
          {
            lane: to.addressLane,
            addressKey: to.addressKey,
            projectId,
            onTheWay: 1,
            acceptedAt: null,
            bouncedAt: null,
            since,
          },
        ],
  );
  if (changes.length > 0) await changeAddresses(client, changes);
  const steps = decisions.map(({ send, step, to }): SendStep => {
    const leaves = to !== null;
    return {
      lane: send.lane,
      userKey: send.userKey,
      campaignId,
      projectId,
      ...step,
      leaseOwner: leaves ? leaseOwner : null,
      leasedUntil: leaves ? now + LEASE_MS : null,
      addressLane: to?.addressLane ?? null,
      addressKey: to?.addressKey ?? null,
      period,
    };
  });
  await moveSends(client, steps);
  const events = decisions.flatMap(({ send: { lane, userKey }, step }) => {
    const event = EVENTS[step.status];
    return event === undefined
      ? []
      : [{ lane, userKey, campaignId, projectId, event, at: now, period: null }];
  });
  const leaving = decisions.flatMap(({ send: { lane, userKey }, to }) =>
    to === null ? [] : [{ lane, userKey, campaignId, projectId }],
  );
  // An event raises a counter: all deliveries are locked before that, in their order.
  if (events.length > 0 && leaving.length > 0) await lockDeliveries(client, [...events, ...leaving]);
  if (events.length > 0) await recordDeliveryEvents(client, events);
  if (leaving.length > 0) await markSending(client, leaving);
}

/** Adds the addresses to sends. Decides about the sends of users without one: they wait for a confirmation, or have failed. */
function addressed(
  sends: readonly DueSend[],
  projectId: string,
  now: number,
): { recipients: Recipient[]; lost: Decision[] } {
  const recipients: Recipient[] = [];
  const lost: Decision[] = [];
  for (const send of sends) {
    // A publishable key changed the address after this message was queued, so the confirmation was for the former address.
    if (send.addressGivenAt !== null) {
      const isOver = send.once && now - send.queuedAt >= CONFIRMED_WITHIN_MS;
      lost.push(
        isOver
          ? decided(send, "failed", NEVER_CONFIRMED)
          : decided(send, "waiting", UNCONFIRMED, now + UNCONFIRMED_MS),
      );
      continue;
    }
    const to = parseAddress(send.traits?.email);
    if (to === null) {
      lost.push(decided(send, "failed", "the user is gone, or has no valid email address any more"));
      continue;
    }
    const { lane, addressKey } = addressRef(projectId, to.address);
    recipients.push({ ...send, ...to, addressLane: lane, addressKey });
  }
  return { recipients, lost };
}

const beginBatch = resource((app) =>
  createBatch<Beginning, Begun>({
    laneOf: (row) => row.lane,
    userOf: (row) => row.userKey,
    run: (rows) => beginSends(app.database.hotPool, rows),
  }),
);

/**
 * Records the attempt of a leased message, before its first byte leaves; without an ordinal it must not leave.
 * @param contentVersion the version of the content that the message was written from
 */
export async function beginSend(app: App, leased: LeasedSend, contentVersion: number): Promise<Begun> {
  const { lane, userKey, campaignId, projectId, leaseOwner } = leased;
  const now = app.clock();
  return app.get(beginBatch).add({ lane, userKey, campaignId, projectId, leaseOwner, now, contentVersion });
}

/**
 * Leases messages of a campaign that may leave now, and decides about those that may not. The transaction that leases also checks
 * the campaign's status, suppression, cap and pace.
 * @returns the messages, and how many sends were decided about: 0 means that nothing is due, or the pace allows nothing
 */
export async function leaseSends(
  app: App,
  terms: LeaseTerms,
  campaignId: string,
): Promise<{ leased: LeasedSend[]; looked: number }> {
  const { projectId, settings } = terms;
  const now = app.clock();
  const periodOf = await activePeriods(app, projectId);
  const period = periodOf(now);
  return inTransaction(app.database.hotPool, async (client) => {
    const perMinute = settings["email.perMinute"];
    const pace = perMinute === null ? null : await lockPace(client, projectId, "");
    const free =
      perMinute === null || pace === null
        ? LEASED_AT_ONCE
        : takePermits(pace.nextAt, now, perMinute, LEASED_AT_ONCE).granted;
    if (free === 0) return { leased: [], looked: 0 };
    const sends = await lockDueSends(client, { projectId, campaignId, now, limit: free });
    if (sends.length === 0) return { leased: [], looked: 0 };
    const { recipients, lost } = addressed(sends, projectId, now);
    const byAddress = await decideByAddress(client, terms, recipients, now);
    const decisions = [...lost, ...(await paceByDomain(client, terms, byAddress, now))];
    await write(client, { ...terms, period }, campaignId, decisions, now);
    const leaving = decisions.flatMap(({ to }) => (to === null ? [] : [to]));
    if (perMinute !== null && pace !== null) {
      const { nextAt } = takePermits(pace.nextAt, now, perMinute, leaving.length);
      await setPace(client, { projectId, domain: "", nextAt, spreadUntil: pace.spreadUntil });
    }
    const lease = { campaignId, projectId, leaseOwner: terms.leaseOwner, leasedUntil: now + LEASE_MS };
    return { leased: leaving.map((to): LeasedSend => ({ ...to, ...lease })), looked: sends.length };
  });
}

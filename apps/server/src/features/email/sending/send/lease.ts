import { type DeliveryRef, deliveryRef } from "../../../../domain/ids.ts";
import { createBatch } from "../../../../platform/db/batch/batch.ts";
import { type Connection, inTransaction } from "../../../../platform/db/db.ts";
import type { Lease } from "../../../../platform/outbound/channel.ts";
import { type App, resource } from "../../../../platform/runtime.ts";
import { HOUR_MS } from "../../../../platform/time/clock.ts";
import type { Purpose } from "../../../campaigns/authoring/rules.ts";
import { choicesOf } from "../../../consent/choices/public.ts";
import { ZONE_TRAIT } from "../../../content/template/template.pure.ts";
import { activePeriods } from "../../../counting/usage/public.ts";
import {
  type FactsAt,
  gatesAt,
  gatesBefore,
  type Judge,
  reasonAt,
  stopOf,
} from "../../../deliveries/gates/list.ts";
import {
  type DeliveryReport,
  followMessages,
  lockDeliveries,
  markSending,
  recordDeliveryEvents,
} from "../../../deliveries/public.ts";
import { NO_PRESSURE } from "../../../timing/pressure.pure.ts";
import { lockPressures, OUT_OF_PATIENCE, postponedAt, type TimingFacts } from "../../../timing/public.ts";
import { clockNamed, readerClock } from "../../../timing/reader-clock.pure.ts";
import {
  type AddressChange,
  type Addressee,
  addressRef,
  changeAddresses,
  lockAddresses,
} from "../../addresses/public.ts";
import { parseAddress } from "../../addresses/rules.ts";
import { IN_FLIGHT_MS } from "../gates/cap.ts";
import { emailGates } from "../gates/email-gates.ts";
import { suppressionGate } from "../gates/suppression.ts";
import type { SendingSettings } from "../open-sender.ts";
import { LEASE_MS, spreadOut, takePermits } from "../rules.ts";
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

/** A send and its address, which has a lane of its own. */
type Recipient = DueSend & { address: string; domain: string; addressLane: number; addressKey: string };

/** A message that only this process may send, while its lease is valid. */
export type LeasedSend = Recipient & Lease & DeliveryRef;

/** The project, purpose, lease owner and limits under which messages are leased. */
export type LeaseTerms = {
  projectId: string;
  purpose: Purpose;
  leaseOwner: string;
  settings: SendingSettings;
};

/** Under which name the pace of a project's mail is kept, beside those of the domains of recipients. */
const PACES: Readonly<Record<Purpose, string>> = { marketing: "", transactional: "(transactional)" };

/** A send and what is to happen to it. */
type Decision = {
  send: DueSend;
  step: Pick<SendStep, "status" | "dueAt" | "reason" | "postponedBy">;
  to: Recipient | null;
};

const waiting = (send: DueSend, dueAt: number): Decision => ({
  send,
  step: { status: "waiting", dueAt, reason: null, postponedBy: null },
  to: null,
});

const sending = (to: Recipient): Decision => ({
  send: to,
  step: { status: "sending", dueAt: null, reason: null, postponedBy: null },
  to,
});

/** What is kept as the reason of a mail of a step whose user has left the journey. */
export const LEFT_JOURNEY = "the user has left the journey";

const withdrawn = (send: DueSend, reason: string): Decision => ({
  send,
  step: { status: "withdrawn", dueAt: null, reason, postponedBy: null },
  to: null,
});

const GATES = gatesAt(emailGates, "lease");
/** Those before the first one that needs to know what is kept of the address. */
const EARLY_GATES = gatesAt(gatesBefore(emailGates, suppressionGate), "lease");
/** A due message with what the gates judge it by. */
type Judged = FactsAt<typeof emailGates, "lease"> & TimingFacts & { send: DueSend };

/** The status of a mail that ends at a gate, by what a census counts its user as; any other has failed. */
const ENDINGS: Readonly<Record<string, SendStep["status"]>> = {
  capped: "capped",
  suppressed: "suppressed",
  not_subscribed: "suppressed",
};

/** What becomes of a message that stops at a gate: it waits, or ends. */
function stopped(judged: Judged, gate: Judge<Judged>): Decision {
  const postponed = postponedAt(gate, judged);
  const reason = gate.remark?.(judged) ?? null;
  const ending = ENDINGS[gate.bucket ?? reasonAt(gate, judged) ?? ""] ?? "failed";
  const step =
    postponed === null
      ? { status: ending, dueAt: null, reason, postponedBy: null }
      : postponed === "withdrawn"
        ? { status: "withdrawn" as const, dueAt: null, reason: OUT_OF_PATIENCE, postponedBy: null }
        : { status: "waiting" as const, dueAt: postponed.until, reason, postponedBy: postponed.by };
  return { send: judged.send, step, to: null };
}

/** A message before anything is read of its address. */
function judgedOf(send: DueSend, settings: SendingSettings, now: number): Judged {
  const email = send.requestedFor ?? send.traits?.email;
  const unread = {
    topic: null,
    choice: null,
    isSuppressed: false,
    acceptedAt: [],
    onTheWay: 0,
    pressure: NO_PRESSURE,
    waiting: null,
  };
  const reader = readerClock(send.traits?.[ZONE_TRAIT], clockNamed(settings["time.zone"]));
  return { ...send, ...unread, send, email, to: parseAddress(email), settings, now, reader };
}

function recipientOf({ send, to }: Judged, projectId: string): Recipient {
  if (to === null) throw new Error("The gates let a message through that has no address.");
  const { lane, addressKey } = addressRef(projectId, to.address);
  return { ...send, ...to, addressLane: lane, addressKey };
}

/** Decides about each message by the gates of email: first without its address, and where that decides, once the address is locked. */
async function decideByGates(
  client: Connection,
  { projectId, purpose, settings }: LeaseTerms,
  campaignId: string,
  due: readonly DueSend[],
  now: number,
): Promise<Decision[]> {
  const sends = due.filter(({ hasLeft }) => !hasLeft);
  const over = due.filter(({ hasLeft }) => hasLeft).map((send) => withdrawn(send, LEFT_JOURNEY));
  const judged = sends.map((send) => judgedOf(send, settings, now));
  const early = judged.map((each) => stopOf(EARLY_GATES, each));
  const addressed = judged.flatMap((each, at) =>
    early[at] === null ? [{ judged: each, to: recipientOf(each, projectId) }] : [],
  );
  const [first] = sends;
  if (first === undefined) return over;
  // All are of one campaign, and so of one topic.
  const { topic, timing } = first;
  const refOf = (send: DueSend): DeliveryRef => deliveryRef({ ...send, campaignId, projectId });
  const pressures = await lockPressures(
    client,
    { projectId, channel: "email", timing, topic, settings, now },
    addressed.map(({ to }) => ({ ...refOf(to), queuedAt: to.queuedAt })),
  );
  const since = now - settings["email.capHours"] * HOUR_MS;
  const addressees = new Map<string, Addressee>();
  for (const { addressLane: lane, addressKey, address } of addressed.map(({ to }) => to))
    addressees.set(addressKey, { lane, addressKey, projectId, address, since, now });
  const locked = addressees.size === 0 ? [] : await lockAddresses(client, [...addressees.values()]);
  const known = new Map(
    locked.map(({ address_key, is_suppressed, is_receipts_stopped, accepted_at, on_the_way }) => [
      address_key,
      {
        stopped: { campaigns: is_suppressed, receipts: is_receipts_stopped },
        seen: { acceptedAt: accepted_at, onTheWay: on_the_way },
      },
    ]),
  );
  const choices = await choicesOf(client, topic, [...addressees.values()]);
  const late = addressed.map(({ judged: each, to }): Decision => {
    const address = known.get(to.addressKey);
    if (address === undefined) return waiting(to, now + IN_FLIGHT_MS);
    const isSuppressed = address.stopped[purpose === "transactional" ? "receipts" : "campaigns"];
    const choice = choices.get(to.addressKey) ?? null;
    const pressure = pressures(refOf(to));
    const read = { ...each, ...address.seen, isSuppressed, topic, choice, pressure };
    const stop = stopOf(GATES, read);
    if (stop !== null) return stopped(read, stop);
    // The next message to the same address in this lease must count this one as in flight.
    address.seen.onTheWay++;
    return sending(to);
  });
  return [...over, ...judged.flatMap((each, at) => (early[at] ? [stopped(each, early[at])] : [])), ...late];
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
    for (const [i, to] of later.entries()) deferred.set(to, waiting(to, dueAt[i] ?? now));
  }
  return decisions.map((decision) =>
    decision.to === null ? decision : (deferred.get(decision.to) ?? decision),
  );
}

const EVENTS: Readonly<Partial<Record<SendStep["status"], DeliveryReport["event"]>>> = {
  capped: "frequency_capped",
  withdrawn: "withdrawn",
  suppressed: "failed",
  failed: "failed",
};

/** Writes the decisions, in the transaction that locked and checked all they depend on. */
async function write(
  client: Connection,
  { projectId, purpose, leaseOwner, settings, period }: LeaseTerms & { period: number },
  campaignId: string,
  decisions: readonly Decision[],
  now: number,
): Promise<void> {
  const since = now - settings["email.capHours"] * HOUR_MS;
  const refOf = (send: DueSend): DeliveryRef => deliveryRef({ ...send, campaignId, projectId });
  // What is in flight counts for the cap, and receipts do not.
  const changes = decisions.flatMap(({ to }): AddressChange[] =>
    to === null || purpose === "transactional"
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
      ...refOf(send),
      ...step,
      leaseOwner: leaves ? leaseOwner : null,
      leasedUntil: leaves ? now + LEASE_MS : null,
      addressLane: to?.addressLane ?? null,
      addressKey: to?.addressKey ?? null,
      period,
    };
  });
  await moveSends(client, steps);
  const events = decisions.flatMap(({ send, step }) => {
    const event = EVENTS[step.status];
    return event === undefined ? [] : [{ ...refOf(send), event, at: now, period: null }];
  });
  const leaving = decisions.flatMap(({ send, to }) => (to === null ? [] : [refOf(send)]));
  // An event raises a counter: all deliveries are locked before that, in their order.
  if (events.length > 0 && leaving.length > 0) await lockDeliveries(client, [...events, ...leaving]);
  if (events.length > 0) await recordDeliveryEvents(client, events);
  if (leaving.length > 0) await markSending(client, leaving);
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
  const { leaseOwner } = leased;
  return app.get(beginBatch).add({ ...deliveryRef(leased), leaseOwner, now: app.clock(), contentVersion });
}

type Leasing = { leased: LeasedSend[]; looked: number };
const NOTHING_DUE: Leasing & { over: DeliveryRef[] } = { leased: [], looked: 0, over: [] };

/**
 * Leases messages of a campaign that may leave now, and decides about those that may not. The transaction that leases also checks
 * the campaign's status, suppression, cap and pace.
 * @returns the messages, and how many sends were decided about: 0 means that nothing is due, or the pace allows nothing
 */
export async function leaseSends(app: App, terms: LeaseTerms, campaignId: string): Promise<Leasing> {
  const { projectId, settings } = terms;
  const now = app.clock();
  const periodOf = await activePeriods(app, projectId);
  const period = periodOf(now);
  const { over, ...looked } = await inTransaction(app.database.hotPool, async (client) => {
    const perMinute = settings["email.perMinute"];
    const paced = PACES[terms.purpose];
    const pace = perMinute === null ? null : await lockPace(client, projectId, paced);
    const free =
      perMinute === null || pace === null
        ? LEASED_AT_ONCE
        : takePermits(pace.nextAt, now, perMinute, LEASED_AT_ONCE).granted;
    if (free === 0) return NOTHING_DUE;
    const sends = await lockDueSends(client, { projectId, campaignId, now, limit: free });
    if (sends.length === 0) return NOTHING_DUE;
    const byGates = await decideByGates(client, terms, campaignId, sends, now);
    const decisions = await paceByDomain(client, terms, byGates, now);
    await write(client, { ...terms, period }, campaignId, decisions, now);
    const leaving = decisions.flatMap(({ to }) => (to === null ? [] : [to]));
    if (perMinute !== null && pace !== null) {
      const { nextAt } = takePermits(pace.nextAt, now, perMinute, leaving.length);
      await setPace(client, { projectId, domain: paced, nextAt, spreadUntil: pace.spreadUntil });
    }
    const lease = { campaignId, projectId, leaseOwner: terms.leaseOwner, leasedUntil: now + LEASE_MS };
    return {
      leased: leaving.map((to): LeasedSend => ({ ...to, ...lease })),
      looked: sends.length,
      over: decisions.flatMap(({ send, step }) =>
        EVENTS[step.status] === undefined ? [] : [deliveryRef({ ...send, campaignId, projectId })],
      ),
    };
  });
  await followMessages(app, over);
  return looked;
}

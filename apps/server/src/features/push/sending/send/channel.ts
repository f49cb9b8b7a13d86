import { allEnded } from "../../../../platform/outbound/all-ended.ts";
import type { ChannelTurn } from "../../../../platform/outbound/channel.ts";
import { outbound } from "../../../../platform/outbound/outbound.ts";
import type { App } from "../../../../platform/runtime.ts";
import { derivedKey } from "../../../../platform/uuid.ts";
import { pushPayload } from "../../../content/push/payload.pure.ts";
import { servingOf } from "../../../counting/usage/public.ts";
import { pushPausedBecause } from "../../../counting/usage/rules.ts";
import { setSendingFault } from "../../../deliveries/public.ts";
import { reportRefusals } from "../../credentials/public.ts";
import { pushClients } from "../../providers/public.ts";
import type { PushClient } from "../../providers/reply.pure.ts";
import { localPushes } from "../local.ts";
import { attemptId, slotId, targetId } from "../record-ids.ts";
import {
  type AttemptReply,
  afterReply,
  BARRED,
  EXPIRED,
  HANDOVER_MS,
  RESERVATION_MS,
  type SlotTransition,
  STOPPED,
  TOO_LARGE,
} from "../rules.ts";
import { credentialBreaker, usedWay, verdictOf, wayKey } from "./breaker.ts";
import { createGate } from "./gate.ts";
import { type LeasedSlot, leaseSlots } from "./lease.ts";
import { findLostAttemptsAcrossProjects } from "./outcome-store.ts";
import { recordOutcome, slotOutcome } from "./outcomes.ts";
import { providerBackoffs } from "./provider-backoffs.ts";
import { type DuePushCampaign, findDueAcrossProjects } from "./send-store.ts";
import type { StandingMark } from "./standings.ts";

/** Pushes that are leased ahead of those in flight. */
const READY = 400;
/** Outcomes that may wait to be recorded: more than one statement takes, so that the next one never has to wait for sends. */
const UNRECORDED = 1_000;

/** The payload for the provider, or that it is larger than the provider allows. */
type Payload = ReturnType<typeof pushPayload>;

/** Builds the payload of a leased slot. */
function payloadOf({ slot, platform, content, ordinal, generation }: LeasedSlot): Payload {
  return pushPayload(
    platform,
    {
      version: 1,
      targetId: targetId(slot.slotKey, generation),
      attemptId: attemptId(slot.slotKey, ordinal),
      installationId: slot.installationId,
      bindingGeneration: slot.bindingGeneration,
      content,
      test: slot.isTest,
    },
    slot.replacementKey ?? slotId(slot.slotKey),
  );
}

/** Hands a push over to its provider, and backs off from the provider where its reply asks for that. */
async function handOver(
  app: App,
  leased: LeasedSlot,
  written: Payload,
  local: PushClient | null,
): Promise<AttemptReply> {
  if ("fault" in written) return TOO_LARGE;
  const { slot, captured, credential, token, ordinal, state, targetExpiresAt: expiresAt } = leased;
  const client = local ?? app.get(pushClients).clientFor(credential);
  const id = derivedKey(attemptId(slot.slotKey, ordinal));
  const { replacementKey } = slot;
  const reply = await client.send(
    { id, token, payload: written.payload, expiresAt, replacementKey, slotId: slotId(slot.slotKey) },
    { freshAuth: state.authRefreshRevision === captured.credentialRevision },
  );
  app.get(providerBackoffs).learn(leased, reply);
  return reply;
}

/** Whether the credential of a push was refused since the push was reserved. A test leaves all the same: it tries the credential out. */
const isBarred = (app: App, { credential, leasedUntil, slot }: LeasedSlot, isLocal: boolean): boolean =>
  !slot.isTest &&
  app
    .get(credentialBreaker)
    .bars(wayKey(usedWay(app, credential, isLocal)), leasedUntil - RESERVATION_MS, app.clock());

/** What a reply says about the credential, where that was not known when the push was reserved. */
function standingMark(
  app: App,
  { credential, projectId }: LeasedSlot,
  reply: AttemptReply,
  step: SlotTransition,
  address: string,
): StandingMark | null {
  const verdict = verdictOf(reply, step);
  if (verdict === null) return null;
  const at = app.clock();
  const bars = app.get(credentialBreaker).learn(wayKey({ credential, address }), verdict, at);
  const { id, revision, acceptedBy, refusedAt } = credential;
  const mark = { id, projectId, revision, address, at };
  if (verdict === "accepted")
    return acceptedBy === address && refusedAt === null ? null : { ...mark, kind: "accepted" };
  const code = "code" in reply ? reply.code : "";
  return { ...mark, kind: "refused", code: code.slice(0, 128), isCertain: verdict === "refused", bars };
}

/** Records the outcome of a push. */
async function recordReply(
  app: App,
  leased: LeasedSlot,
  reply: AttemptReply,
  isLocal: boolean,
): Promise<void> {
  const { slot, state, captured, ordinal, generation, projectId, campaignId, leaseOwner } = leased;
  const now = app.clock();
  const way = usedWay(app, leased.credential, isLocal);
  const isProven =
    leased.credential.acceptedBy === way.address || app.get(credentialBreaker).isProven(wayKey(way));
  const step = afterReply(state, reply, { now, chance: Math.random(), captured, isProven });
  const standing = standingMark(app, leased, reply, step, way.address);
  const { lane, userKey, occasion, slotKey, installationLane, installationKey } = slot;
  const attempted = {
    lane,
    userKey,
    campaignId,
    occasion,
    projectId,
    slotKey,
    ordinal,
    generation,
    leaseOwner,
  };
  const { tokenRevision, credentialId, credentialRevision } = captured;
  const device = { lane: installationLane, installationKey, tokenRevision, credentialId, credentialRevision };
  await recordOutcome(app, slotOutcome(attempted, reply, step, now, device, standing));
}

function turnOf(
  app: App,
  projectId: string,
  local: PushClient | null,
): ChannelTurn<DuePushCampaign, LeasedSlot, Payload, AttemptReply> {
  const mayLeave = createGate(app, projectId);
  const backoffs = app.get(providerBackoffs);
  const isLocal = local !== null;
  return {
    inFlight: app.config.limits.pushesUnderWay,
    leaseAhead: READY,
    recordBehind: UNRECORDED,
    sendMs: HANDOVER_MS,
    finishesLeased: true,
    lease: ({ queueId: campaignId, tests }, leaseOwner) =>
      leaseSlots(app, { projectId, leaseOwner, backOffUntil: backoffs.until }, { campaignId, tests }),
    prepare: async (leased) => payloadOf(leased),
    // The attempt was recorded together with the lease.
    begin: async (leased) =>
      (await mayLeave(leased)) && !isBarred(app, leased, isLocal) ? leased.ordinal : "refused",
    send: (leased, payload) => handOver(app, leased, payload, local),
    faultOf: () => null,
    record: (leased, _ordinal, reply) => recordReply(app, leased, reply, isLocal),
    release(leased, _ordinal, why) {
      const reply = why === "late" ? EXPIRED : isBarred(app, leased, isLocal) ? BARRED : STOPPED;
      return recordReply(app, leased, reply, isLocal);
    },
    revoke: (leased) => recordReply(app, leased, STOPPED, isLocal),
  };
}

/** Campaign push and its tests. Many pushes are in flight at once; each checks its campaign before it leaves. */
export const pushChannel = outbound({
  name: "push",
  findDue: (app, look) => findDueAcrossProjects(app.database.kysely, look),
  pauseReason: async (app, projectId) => pushPausedBecause(await servingOf(app, projectId)),
  async open(app, projectId) {
    const local = await app.ask(localPushes)(app, projectId);
    return turnOf(app, projectId, local);
  },
  // The error itself may name things of other projects, so only the server's log has it.
  queueFault:
    "The pushes of this campaign cannot be reserved. It is tried again; the log of the server says more.",
  reportFault: ({ database: { kysely }, clock }, projectId, campaignIds, fault) =>
    fault === null
      ? reportRefusals(kysely, projectId, { campaignIds }, clock())
      : setSendingFault(kysely, projectId, campaignIds, fault, clock()),
  findLost: (app, reaping) => findLostAttemptsAcrossProjects(app.database.hotPool, reaping),
  async recordLost(app, _projectId, lost) {
    const now = app.clock();
    await allEnded(
      lost.map(({ isTest, credentialId, credentialRevision, tokenRevision, ...attempt }) => {
        const slot = { ...attempt, isTest, attempts: attempt.ordinal, repair: null };
        const captured = { fingerprint: "", credentialId, credentialRevision, tokenRevision };
        const reply = { kind: "unknown", code: "connection_lost" } as const;
        const step = afterReply(slot, reply, { now, chance: Math.random(), captured, isProven: false });
        return recordOutcome(app, slotOutcome(attempt, null, step, now, null));
      }),
    );
  },
});

/** Sends a project's pushes that are due, until none is. */
export const sendPushesNow = pushChannel.sendNow;

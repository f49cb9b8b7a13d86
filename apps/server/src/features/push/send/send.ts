import { allEnded, Claims } from "../../../platform/claims.ts";
import { isUnreachable } from "../../../platform/db/db.ts";
import { derivedKey } from "../../../platform/ids.ts";
import { processes } from "../../../platform/processes.ts";
import { projectLoop } from "../../../platform/project-loop.ts";
import type { App } from "../../../platform/runtime.ts";
import { pushPayload } from "../../notices/payload.ts";
import { pushClients } from "../../providers/public.ts";
import type { PushClient } from "../../providers/reply.ts";
import type { UsableCredential } from "../../push-credentials/public.ts";
import { servingOf } from "../../usage/public.ts";
import { noteFailure } from "../fault-store.ts";
import { localPushes } from "../local.ts";
import { attemptId, slotId, targetId } from "../record-ids.ts";
import { EXPIRED, type Reply, SEND_MS, STOPPED, settle, TOO_LARGE } from "../rules.ts";
import { campaignsAway, providerKey, providersAway } from "./away.ts";
import { type Claimed, claimSlots } from "./claim.ts";
import { createGate } from "./gate.ts";
import { outcomeOf, recordOutcome } from "./outcomes.ts";
import { type DueCampaign, findDueAcrossProjects } from "./send-store.ts";

/** How long one turn of a project sends before its campaigns are looked for again. */
const TURN_MS = 5_000;
/** Pushes that are kept ready beside those that are under way. */
const READY = 400;
/** Outcomes that are being written; more than one statement carries, so that there is always a next one. */
const UNWRITTEN = 1_000;
/** Hands a push over; what cannot be sent any more, or is too large, never leaves. */
async function handOver(app: App, claimed: Claimed, local: PushClient | null): Promise<Reply> {
  const { slot, captured, credential, platform, content, token, ordinal, generation } = claimed;
  const isOver = app.clock() > claimed.validUntil - SEND_MS || !app.get(processes).ownsLease(claimed.fence);
  if (isOver || slot.environment === null) return EXPIRED;
  const id = slotId(slot.slotKey);
  const attempt = attemptId(slot.slotKey, ordinal);
  const written = pushPayload(
    platform,
    {
      version: 1,
      targetId: targetId(slot.slotKey, generation),
      attemptId: attempt,
      installationId: slot.installationId,
      bindingGeneration: slot.bindingGeneration,
      content,
      test: slot.isTest,
    },
    slot.replacementKey ?? id,
  );
  if ("fault" in written) return TOO_LARGE;
  const away = app.get(providersAway);
  const provider = providerKey(credential);
  const client = local ?? app.get(pushClients).of(credential);
  const reply = await client.send(
    {
      ...{ id: derivedKey(attempt), token, payload: written.payload, expiresAt: claimed.targetExpiresAt },
      ...{ replacementKey: slot.replacementKey, slotId: id },
    },
    { freshAuth: claimed.state.authRefreshRevision === captured.credentialRevision },
  );
  if (reply.kind === "blocked") away.leaveAlone(provider, reply.retryAfterMs);
  else if (reply.kind === "rejected" && reply.retryAfterMs !== undefined)
    away.leaveAlone(provider, reply.retryAfterMs);
  else if (reply.kind === "accepted") away.isBack(provider);
  return reply;
}

/** Writes down what came of a push. */
async function writeDown(app: App, claimed: Claimed, reply: Reply): Promise<void> {
  const { slot, state, captured, ordinal, generation, projectId, campaignId, fence } = claimed;
  const now = app.clock();
  const step = settle(state, reply, { now, chance: Math.random(), captured });
  const { lane, userKey, slotKey, installationLane, installationKey } = slot;
  await recordOutcome(
    app,
    outcomeOf(
      { lane, userKey, slotKey, campaignId, projectId, ordinal, generation, fence },
      reply,
      step,
      now,
      { lane: installationLane, installationKey, tokenRevision: captured.tokenRevision },
    ),
  );
}

/**
 * Sends what is due of a project's campaigns and tests, until nothing is or its time is over. Says whether there was anything
 * to do.
 */
async function sendProject(
  app: App,
  projectId: string,
  campaigns: readonly DueCampaign[],
  signal: AbortSignal,
): Promise<boolean> {
  const until = performance.now() + TURN_MS;
  const broken = app.get(campaignsAway);
  const due = campaigns.filter(({ campaignId }) => broken.until(campaignId) <= app.clock());
  const local = await app.ask(localPushes)(app, projectId);
  const away = app.get(providersAway);
  const awayUntil = (credential: UsableCredential): number => away.until(providerKey(credential));
  let didSomething = false;
  const claims = new Claims<Claimed>(async () => {
    for (let next = due.shift(); next !== undefined; next = due.shift()) {
      if (signal.aborted || performance.now() > until) return null;
      // Whoever closes serving does not wait for the end of a turn: what is due waits.
      if ((await servingOf(app, projectId)).serving !== "ok") return null;
      const { campaignId } = next;
      const claimant = { projectId, fence: app.get(processes).leaseOwner(), awayUntil };
      const { claimed, looked } = await claimSlots(app, claimant, next).catch(async (cause: unknown) => {
        // A database that is away is not this campaign's fault.
        if (isUnreachable(cause)) throw cause;
        app.log.error(
          { err: cause, projectId, campaignId },
          "a campaign cannot be sent; it will be tried again",
        );
        broken.leaveAlone(campaignId);
        const now = app.clock();
        await noteFailure(app.database.kysely, { projectId, campaignId, what: "sending", now, until: now });
        return { claimed: [], looked: 0 };
      });
      // One campaign after the other gets its turn.
      if (looked > 0) {
        due.push(next);
        broken.isBack(campaignId);
      }
      didSomething ||= looked > 0;
      if (claimed.length > 0) return claimed;
    }
    return null;
  }, READY);

  const mayLeave = createGate(app, projectId);
  const unwritten = new Set<Promise<void>>();
  async function work(): Promise<void> {
    for (let next = await claims.take(); next !== null; next = await claims.take()) {
      const reply = (await mayLeave(next)) ? await handOver(app, next, local) : STOPPED;
      const written = writeDown(app, next, reply);
      unwritten.add(written);
      written.then(
        () => unwritten.delete(written),
        // It is looked at in the end: what could not be written is given up with its reservation.
        () => claims.close(),
      );
      const [oldest] = unwritten;
      if (unwritten.size > UNWRITTEN) await oldest;
    }
  }
  const hands = Array.from({ length: app.config.limits.pushesUnderWay }, work);
  await Promise.allSettled(hands);
  await allEnded([...hands, ...unwritten]);
  return didSomething;
}

/** Sends campaign push: every project whose slots are due. */
export const sendLoop = projectLoop({
  name: "send push",
  find: (app) => findDueAcrossProjects(app.database.kysely, app.clock()),
  turn: sendProject,
});

import { beginningOf } from "@tidings/client/text";
import { type DeliveryRef, deliveryRef, type InstallationRef } from "../../../../domain/ids.ts";
import { createBatch } from "../../../../platform/db/batch/batch.ts";
import { inTransaction } from "../../../../platform/db/db.ts";
import { addPatiently } from "../../../../platform/db/transactions/add-patiently.ts";
import { type App, resource } from "../../../../platform/runtime.ts";
import { wakeAfterDelta } from "../../../counting/rollups/public.ts";
import {
  type DeliveryReport,
  followMessages,
  lockDeliveries,
  recordDeliveryEvents,
} from "../../../deliveries/public.ts";
import { type EndedToken, endTokens } from "../../../users/devices/public.ts";
import { reportRefusals } from "../../credentials/public.ts";
import { pushOutcomes } from "../metrics.ts";
import { repairColumns } from "../repair-columns.ts";
import type { AttemptReply, SlotTransition } from "../rules.ts";
import { recordEndings } from "./endings.ts";
import { type SlotAttemptOutcome, writeOutcomes } from "./outcome-store.ts";
import { markStandings, type ProvenApp, type StandingMark } from "./standings.ts";

/** The attempt that an outcome belongs to. */
export type Attempted = DeliveryRef & {
  slotKey: string;
  ordinal: number;
  generation: number;
  leaseOwner: string;
};

/** The device and credential of an attempt. */
export type AttemptedWay = InstallationRef & {
  tokenRevision: number;
  credentialId: string;
  credentialRevision: number;
};

/** An outcome, and what it says about token and credential. */
export type SlotOutcome = DeliveryRef &
  SlotAttemptOutcome & {
    isTest: boolean;
    /** The token that is of no use. */
    endedToken: EndedToken | null;
    standing: StandingMark | null;
  };

const MAX_TEXT = 128;
const short = (text: string | undefined): string | null =>
  text === undefined || text === "" ? null : beginningOf(text.replaceAll("\0", ""), MAX_TEXT);

/** The outcome to record for a reply; null stands for a reply that never comes. */
export function slotOutcome(
  attempted: Attempted,
  reply: AttemptReply | null,
  { submission, state, reason, at, slot, endsToken }: SlotTransition,
  now: number,
  way: AttemptedWay | null,
  standing: StandingMark | null = null,
): SlotOutcome {
  const { lane: userLane, userKey, projectId } = attempted;
  const code = reply === null || reply.kind === "accepted" ? null : short(reply.code);
  return {
    ...attempted,
    kind: reply?.kind ?? "unknown",
    submission,
    observedAt: now,
    providerId: reply?.kind === "accepted" ? short(reply.providerId) : null,
    code,
    retryAfterMs:
      reply !== null && (reply.kind === "rejected" || reply.kind === "blocked")
        ? (reply.retryAfterMs ?? null)
        : null,
    state,
    reason,
    at,
    submissionsUsed: slot.submissionsUsed,
    possibleSubmissions: slot.possibleSubmissions,
    blocks: slot.blocks,
    uncertain: slot.uncertain,
    authRefreshRevision: slot.authRefreshRevision,
    submissionNotBefore: slot.submissionNotBefore,
    ...repairColumns(slot.repair),
    isTest: slot.isTest,
    endedToken:
      endsToken === null || way === null
        ? null
        : { ...way, ...endsToken, userLane, userKey, projectId, code: code ?? "", at: now },
    standing,
  };
}

/** Records the outcomes of a batch in one transaction: slots, deliveries, tokens, credentials, in the order in which all lock them. */
async function record(app: App, outcomes: readonly SlotOutcome[]): Promise<boolean[]> {
  let proven: ProvenApp[] = [];
  const written = await inTransaction(
    app.database.hotPool,
    async (client) => {
      const moved = await writeOutcomes(client, outcomes);
      const ended = new Set(moved.map(({ slotKey }) => slotKey));
      const valid = outcomes.filter(({ slotKey }) => ended.has(slotKey));
      const sent = valid.filter(({ isTest, state }) => !isTest && state === "accepted");
      const events = sent.map((outcome): DeliveryReport => {
        // A push alone does not make its user active.
        return { ...deliveryRef(outcome), event: "sent", at: outcome.observedAt, period: null };
      });
      const closed = valid.filter(({ isTest, state }) => !isTest && state === "closed");
      // An event raises a counter: all deliveries are locked before that, in their order.
      if (events.length > 0 && closed.length > 0)
        await lockDeliveries(client, [...sent, ...closed].map(deliveryRef));
      if (events.length > 0) await recordDeliveryEvents(client, events);
      await recordEndings(
        client,
        closed.map((outcome) => ({ ...outcome, at: outcome.observedAt, event: "failed" as const })),
      );
      const unusable = valid.flatMap(({ endedToken }) => endedToken ?? []);
      if (unusable.length > 0) await endTokens(client, unusable);
      const standings = valid.flatMap(({ standing }) => standing ?? []);
      proven = standings.length === 0 ? [] : await markStandings(client, standings);
      return ended;
    },
    "brief",
  );
  wakeAfterDelta(app);
  const left = outcomes.filter(
    ({ isTest, slotKey, state }) =>
      written.has(slotKey) && !isTest && (state === "accepted" || state === "closed"),
  );
  await followMessages(app, left.map(deliveryRef));
  for (const { projectId, appId } of proven)
    await reportRefusals(app.database.kysely, projectId, { appId }, app.clock());
  const count = app.get(pushOutcomes);
  for (const { slotKey, kind } of outcomes) if (written.has(slotKey)) count(kind);
  return outcomes.map(({ slotKey }) => written.has(slotKey));
}

const outcomeBatch = resource((app) =>
  createBatch<SlotOutcome, boolean>({
    laneOf: (row) => row.lane,
    keyOf: (row) => row.slotKey,
    userOf: (row) => row.userKey,
    run: (rows) => record(app, rows),
  }),
);

/**
 * Records an outcome, by group commit; false where the slot has another reservation by now. Where the database stays unreachable, the
 * outcome is recorded as unknown at the end of the reservation.
 */
export const recordOutcome = (app: App, outcome: SlotOutcome): Promise<boolean> =>
  addPatiently(app.get(outcomeBatch), outcome, app.log);

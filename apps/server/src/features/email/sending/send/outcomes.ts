import { deliveryRef } from "../../../../domain/ids.ts";
import { HOUR_MS } from "../../../../platform/clock.ts";
import { addPatiently } from "../../../../platform/db/add-patiently.ts";
import { createBatch } from "../../../../platform/db/batch.ts";
import { type Connection, inTransaction } from "../../../../platform/db/db.ts";
import { type App, resource } from "../../../../platform/runtime.ts";
import { wakeAfterDelta } from "../../../counting/rollups/public.ts";
import { activePeriodsByProject, type PeriodOf } from "../../../counting/usage/public.ts";
import { type DeliveryReport, recordDeliveryEvents } from "../../../deliveries/public.ts";
import { changeAddresses } from "../../addresses/public.ts";
import { emailOutcomes } from "../metrics.ts";
import { type AttemptOutcome, type EndedSend, writeOutcomes } from "./outcome-store.ts";

/** An outcome with what it makes of the delivery. `capHours` is the window of the project's cap. */
export type Outcome = AttemptOutcome & {
  capHours: number;
  /** The address does not exist. */
  bounced: boolean;
  /** Nobody will report the delivery: acceptance is the last that is heard of it. */
  acceptedIsDelivered: boolean;
};

const keyOf = (row: { userKey: string; campaignId: string }): string => row.userKey + row.campaignId;

/** What an outcome reports of its delivery. An unknown one reports nothing: the delivery stays on its way. */
function eventsOf(outcome: Outcome, periodOf: PeriodOf | undefined): DeliveryReport[] {
  const { at } = outcome;
  const report = (event: DeliveryReport["event"], isActive = false): DeliveryReport => ({
    ...deliveryRef(outcome),
    ...{ event, at },
    period: isActive ? (periodOf?.(at) ?? null) : null,
  });
  switch (outcome.status) {
    case "accepted":
      return [report("sent", true), ...(outcome.acceptedIsDelivered ? [report("delivered")] : [])];
    case "failed":
      return [report(outcome.bounced ? "bounced" : "failed")];
    case "waiting":
      return [report("retryable")];
    case "unknown":
      return [];
  }
}

/**
 * Records outcomes; answers, by the key under which each came, the sends that they ended. What is not found is looked for once
 * more: its user may have been erased while the statement waited.
 */
async function endSends(
  client: Connection,
  outcomes: readonly Outcome[],
): Promise<ReadonlyMap<string, EndedSend>> {
  const ended = new Map<string, EndedSend>();
  for (let left = outcomes, tries = 1; left.length > 0 && tries <= 2; tries++) {
    for (const send of await writeOutcomes(client, left))
      ended.set(keyOf({ ...send, userKey: send.cameAs }), send);
    left = left.filter((outcome) => !ended.has(keyOf(outcome)));
  }
  return ended;
}

/** One transaction for outcomes that came in together: ledger, addresses, deliveries, in the order of locks. */
async function record(app: App, outcomes: readonly Outcome[]): Promise<boolean[]> {
  // Only of those that need it: an organization that cannot be read holds up nobody else's outcomes.
  const periods = await activePeriodsByProject(
    app,
    outcomes.filter(({ status }) => status === "accepted").map(({ projectId }) => projectId),
  );
  const written = await inTransaction(
    app.database.hotPool,
    async (client) => {
      const ended = await endSends(client, outcomes);
      const valid = outcomes.flatMap((outcome): Outcome[] => {
        const send = ended.get(keyOf(outcome));
        return send === undefined ? [] : [{ ...outcome, userKey: send.userKey }];
      });
      const changes = outcomes.flatMap((outcome) => {
        const send = ended.get(keyOf(outcome));
        if (send === undefined) return [];
        // An attempt that had been given up was taken off, and counted as taken, then. That its address does not exist is news.
        const wasGivenUp = send.before === "unknown";
        if (wasGivenUp && !outcome.bounced) return [];
        const isTaken = outcome.status === "accepted" || outcome.status === "unknown";
        return [
          {
            ...{ lane: send.addressLane, addressKey: send.addressKey, projectId: outcome.projectId },
            ...{ onTheWay: wasGivenUp ? 0 : -1, acceptedAt: isTaken ? outcome.at : null },
            bouncedAt: outcome.bounced ? outcome.at : null,
            since: outcome.at - outcome.capHours * HOUR_MS,
          },
        ];
      });
      if (changes.length > 0) await changeAddresses(client, changes);
      const events = valid.flatMap((outcome) => eventsOf(outcome, periods.get(outcome.projectId)));
      if (events.length > 0) await recordDeliveryEvents(client, events);
      return ended;
    },
    "brief",
  );
  wakeAfterDelta(app);
  const count = app.get(emailOutcomes);
  for (const outcome of outcomes)
    if (outcome.ordinal !== null && written.has(keyOf(outcome))) count(outcome.kind);
  return outcomes.map((outcome) => written.has(keyOf(outcome)));
}

const outcomeBatch = resource((app) =>
  createBatch<Outcome, boolean>({
    laneOf: (row) => row.lane,
    keyOf,
    userOf: (row) => row.userKey,
    run: (rows) => record(app, rows),
  }),
);

/**
 * Records an outcome, with those of other messages that come in at the same time. Where the database stays unreachable, this process
 * forgets the attempt, and it is given up as unknown.
 */
export const recordOutcome = (app: App, outcome: Outcome): Promise<boolean> =>
  addPatiently(app.get(outcomeBatch), outcome, app.log);

import { deliveryRef, deliveryText } from "../../../../domain/ids.ts";
import { createBatch } from "../../../../platform/db/batch/batch.ts";
import { type Connection, inTransaction } from "../../../../platform/db/db.ts";
import { addPatiently } from "../../../../platform/db/transactions/add-patiently.ts";
import { type App, resource } from "../../../../platform/runtime.ts";
import { HOUR_MS } from "../../../../platform/time/clock.ts";
import { wakeAfterDelta } from "../../../counting/rollups/public.ts";
import { activePeriodsByProject, type PeriodOf } from "../../../counting/usage/public.ts";
import { type DeliveryReport, followMessages, recordDeliveryEvents } from "../../../deliveries/public.ts";
import { changeAddresses, countFailures, type MailFailure } from "../../addresses/public.ts";
import { emailOutcomes } from "../metrics.ts";
import { type EndedSend, type SendAttemptOutcome, writeOutcomes } from "./outcome-store.ts";

/** An outcome, and what it says about the delivery. `capHours` is the window of the project's cap. */
export type SendOutcome = SendAttemptOutcome & {
  capHours: number;
  /** Whether the mail counts for the cap of its address; receipts do not. */
  countsForCap: boolean;
  /** The address does not exist. */
  bounced: boolean;
  /** No provider reports deliveries of this project, so acceptance counts as delivery. */
  acceptedIsDelivered: boolean;
  /** The mail is given up, and its address did not take it for a reason that passes. */
  failed: boolean;
};

/** The events of its delivery that an outcome causes. An unknown outcome causes none: the delivery stays in flight. */
function eventsOf(outcome: SendOutcome, periodOf: PeriodOf | undefined): DeliveryReport[] {
  const { at } = outcome;
  const report = (event: DeliveryReport["event"], isActive = false): DeliveryReport => ({
    ...deliveryRef(outcome),
    event,
    at,
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
 * Records outcomes; answers the sends that they ended, by the key that each outcome named. Tries outcomes without a send once more:
 * the user may have been erased while the statement waited for the lock.
 */
async function endSends(
  client: Connection,
  outcomes: readonly SendOutcome[],
): Promise<ReadonlyMap<string, EndedSend>> {
  const ended = new Map<string, EndedSend>();
  for (let left = outcomes, tries = 1; left.length > 0 && tries <= 2; tries++) {
    for (const send of await writeOutcomes(client, left))
      ended.set(deliveryText({ ...send, userKey: send.cameAs }), send);
    left = left.filter((outcome) => !ended.has(deliveryText(outcome)));
  }
  return ended;
}

/** The address that did not take a mail for a reason that passes, of a mail that is given up. */
function failureOf(outcome: SendOutcome, ended: ReadonlyMap<string, EndedSend>): MailFailure[] {
  const send = outcome.failed ? ended.get(deliveryText(outcome)) : undefined;
  if (send === undefined) return [];
  const { projectId, at } = outcome;
  return [{ lane: send.addressLane, addressKey: send.addressKey, projectId, at, leftAt: at }];
}

/** Records the outcomes of a batch in one transaction: ledger, addresses, deliveries, in the order in which all lock them. */
async function record(app: App, outcomes: readonly SendOutcome[]): Promise<boolean[]> {
  // Read periods only for accepted messages, so that an organization that cannot be read delays no other outcomes.
  const periods = await activePeriodsByProject(
    app,
    outcomes.filter(({ status }) => status === "accepted").map(({ projectId }) => projectId),
  );
  const { ended: written, left } = await inTransaction(
    app.database.hotPool,
    async (client) => {
      const ended = await endSends(client, outcomes);
      const valid = outcomes.flatMap((outcome): SendOutcome[] => {
        const send = ended.get(deliveryText(outcome));
        return send === undefined ? [] : [{ ...outcome, userKey: send.userKey }];
      });
      const changes = outcomes.flatMap((outcome) => {
        const send = ended.get(deliveryText(outcome));
        if (send === undefined) return [];
        // Reaping has already taken an unknown message off the messages in flight and counted it as accepted. Only a bounce is new.
        // Receipts are not counted while they are in flight.
        const isCounted = send.before !== "unknown" && outcome.countsForCap;
        // One statement locks all addresses, in the order of their keys: also those of which a failure is counted below.
        if (!isCounted && !outcome.bounced && !outcome.failed) return [];
        const isTaken = outcome.status === "accepted" || outcome.status === "unknown";
        return [
          {
            lane: send.addressLane,
            addressKey: send.addressKey,
            projectId: outcome.projectId,
            onTheWay: isCounted ? -1 : 0,
            acceptedAt: isTaken && outcome.countsForCap ? outcome.at : null,
            bouncedAt: outcome.bounced ? outcome.at : null,
            since: outcome.at - outcome.capHours * HOUR_MS,
          },
        ];
      });
      if (changes.length > 0) await changeAddresses(client, changes);
      const failures = valid.flatMap((outcome) => failureOf(outcome, ended));
      if (failures.length > 0) await countFailures(client, failures);
      const events = valid.flatMap((outcome) => eventsOf(outcome, periods.get(outcome.projectId)));
      if (events.length > 0) await recordDeliveryEvents(client, events);
      const left = valid.filter(({ status }) => status === "accepted" || status === "failed");
      return { ended, left };
    },
    "brief",
  );
  wakeAfterDelta(app);
  await followMessages(app, left.map(deliveryRef));
  const count = app.get(emailOutcomes);
  for (const outcome of outcomes)
    if (outcome.ordinal !== null && written.has(deliveryText(outcome))) count(outcome.kind);
  return outcomes.map((outcome) => written.has(deliveryText(outcome)));
}

const outcomeBatch = resource((app) =>
  createBatch<SendOutcome, boolean>({
    laneOf: (row) => row.lane,
    keyOf: deliveryText,
    userOf: (row) => row.userKey,
    run: (rows) => record(app, rows),
  }),
);

/**
 * Records an outcome, by group commit. Where the database stays unreachable, this process stops trying, and the attempt is reaped as
 * unknown.
 */
export const recordOutcome = (app: App, outcome: SendOutcome): Promise<boolean> =>
  addPatiently(app.get(outcomeBatch), outcome, app.log);

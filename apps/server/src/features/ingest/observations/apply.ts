import type { InstallationRef } from "../../../domain/ids.ts";
import type { Connection } from "../../../platform/db/db.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { newUuid } from "../../../platform/uuid.ts";
import { NO_SHAPE } from "../../counting/rollups/rules.ts";
import { type DeliveryReport, recordDeliveryEvents } from "../../deliveries/public.ts";
import { parseAttemptId, parseTargetId, recordReceipts } from "../../push/sending/public.ts";
import { recordEventsWithin, tooManyNames } from "../tracking/public.ts";
import { type Read, refuseObservation } from "./read.ts";
import { piecesOf } from "./rules.ts";
import type { Command } from "./schema.ts";
import {
  type Binding,
  findSent,
  insertEngagements,
  insertObservations,
  lockUserDeliveries,
  type ReportedPush,
  type Sent,
} from "./store.ts";

/** The installation and user that report, and the current instant (epoch ms). `ref` is the key of the installation. */
export type ReportingDevice = {
  binding: Binding;
  ref: InstallationRef;
  installationId: string;
  externalId: string;
  now: number;
  /** The current period of active users. */
  period: number;
  /** Whether an event counts only from the secret key, so that it is ignored here. */
  isServerEvent: (event: string) => boolean;
  /** How many different event names a user may have. */
  maxNames: number;
};

/** A new command, and its index in the request. */
export type Fresh = Read & { index: number };

type AboutPush = Exclude<Command, { kind: "event" }>;
type Observation = Fresh & { observationId: string; order: number; sent: Sent | null };

const isAboutPush = (command: Command): command is AboutPush => command.kind !== "event";

/** The push that a command names. @throws ApiError conflict where its ids are invalid, or of two pushes */
function nameOf(
  { binding, ref }: ReportingDevice,
  { index }: Fresh,
  { targetId, attemptId }: AboutPush,
): ReportedPush {
  const [target, attempt] = [parseTargetId(targetId), parseAttemptId(attemptId)];
  if (target === null || attempt === null || target.slotKey !== attempt.slotKey)
    throw refuseObservation(
      `commands[${index}].targetId and attemptId are not of a push that was sent to this installation`,
    );
  return {
    ...binding,
    installationKey: ref.installationKey,
    slotKey: target.slotKey,
    generation: target.number,
    ordinal: attempt.number,
  };
}

/** The pushes that commands are about, by index in the request. @throws ApiError conflict for one not sent to this installation */
async function findPushes(
  client: Connection,
  reporter: ReportingDevice,
  fresh: readonly Fresh[],
): Promise<ReadonlyMap<number, Sent>> {
  const about = fresh.flatMap((each) =>
    isAboutPush(each.command) ? [{ ...each, command: each.command }] : [],
  );
  if (about.length === 0) return new Map();
  const names = about.map((each) => nameOf(reporter, each, each.command));
  const pushes = await findSent(client, names);
  const found = new Map(pushes.map((push) => [push.ord, push]));
  const sent = new Map<number, Sent>();
  for (const [position, { index, command }] of about.entries()) {
    const push = found.get(position + 1);
    if (push === undefined)
      throw refuseObservation(
        `commands[${index}].targetId and attemptId are not of a push that was sent to this installation`,
      );
    if (command.kind === "action" && !push.actionIds.includes(command.actionId))
      throw refuseObservation(`commands[${index}].actionId is not among the actions of that push`);
    sent.set(index, push);
  }
  return sent;
}

async function keep(
  client: Connection,
  reporter: ReportingDevice,
  fresh: readonly Fresh[],
): Promise<Observation[]> {
  const { binding, installationId, now } = reporter;
  const pushes = await findPushes(client, reporter, fresh);
  const observations = fresh.map((each) => ({
    ...each,
    observationId: newUuid(now),
    sent: pushes.get(each.index) ?? null,
  }));
  const orders = await insertObservations(
    client,
    observations.map(({ observationId, id, sequence, digest, command, json, sent }) => ({
      ...binding,
      id: observationId,
      sequence,
      commandId: id,
      digest,
      kind: command.kind,
      command: json,
      installationId,
      at: now,
      campaignId: sent?.campaignId ?? null,
      slotKey: sent?.slotKey ?? null,
      isTest: sent?.isTest ?? false,
    })),
  );
  return observations.map((each, index) => ({ ...each, order: orders[index]?.order ?? 0 }));
}

const EVENTS = {
  receipt: ["delivered"],
  tap: ["opened", "clicked"],
  action: ["clicked"],
} as const satisfies Record<AboutPush["kind"], readonly DeliveryReport["event"][]>;

/**
 * The events of its delivery that a command proves. A push that arrived was sent, which may not be recorded yet. These events do not
 * make the user active.
 */
function eventsOf({ binding, now: at }: ReportingDevice, { command, sent }: Observation): DeliveryReport[] {
  if (sent === null || sent.isTest || !isAboutPush(command)) return [];
  const { lane, userKey, projectId } = binding;
  const report = {
    lane,
    userKey,
    projectId,
    campaignId: sent.campaignId,
    occasion: sent.occasion,
    at,
    period: null,
  };
  const left = { ...report, event: "sent" } as const;
  const became = EVENTS[command.kind].map((event) => ({ ...report, event }));
  return sent.isKnownSent ? became : [left, ...became];
}

async function applyAboutPushes(
  client: Connection,
  reporter: ReportingDevice,
  piece: readonly Observation[],
): Promise<void> {
  const { lane, userKey, projectId } = reporter.binding;
  const engagements = piece.flatMap(({ command, sent, observationId, order }) =>
    sent === null || sent.isTest || command.kind === "receipt"
      ? []
      : [
          {
            lane,
            userKey,
            projectId,
            campaignId: sent.campaignId,
            occasion: sent.occasion,
            slotKey: sent.slotKey,
            id: observationId,
            at: reporter.now,
            engagedOrder: order,
          },
        ],
  );
  if (engagements.length > 0) await insertEngagements(client, engagements);
  const events = piece.flatMap((each) => eventsOf(reporter, each));
  if (events.length > 0) await recordDeliveryEvents(client, events);
}

async function applyEvents(
  client: Connection,
  reporter: ReportingDevice,
  piece: readonly Observation[],
): Promise<void> {
  const { binding, externalId, now } = reporter;
  const { lane, userKey, projectId } = binding;
  const events = piece.flatMap(({ command, index }) =>
    isAboutPush(command) || reporter.isServerEvent(command.event)
      ? []
      : [
          {
            index,
            lane,
            userKey,
            projectId,
            externalId,
            eventId: command.eventId,
            name: command.event,
            ts: now,
            props: command.props?.json ?? null,
            shape: command.props?.shape ?? NO_SHAPE,
          },
        ],
  );
  if (events.length === 0) return;
  const recorded = await recordEventsWithin(client, events, {
    activePeriod: reporter.period,
    now,
    maxNames: reporter.maxNames,
  });
  const refused = events[recorded.indexOf("refused")];
  if (refused !== undefined)
    throw new ApiError("invalid_request", `commands[${refused.index}].${tooManyNames(reporter.maxNames)}`);
  const conflicting = events[recorded.indexOf("conflict")];
  if (conflicting !== undefined)
    throw refuseObservation(`commands[${conflicting.index}].eventId was used for another event of this user`);
}

/**
 * Stores commands, and applies them in their order. Needs the lock on the installation.
 * @throws ApiError conflict for a push that was not sent to the installation, a button it has not, or an event id in use
 */
export async function apply(
  client: Connection,
  reporter: ReportingDevice,
  fresh: readonly Fresh[],
): Promise<void> {
  const { lane, userKey, projectId } = reporter.binding;
  const observations = await keep(client, reporter, fresh);
  const arrived = observations.flatMap(({ sent }) =>
    sent === null ? [] : [{ lane, userKey, projectId, slotKey: sent.slotKey, at: reporter.now }],
  );
  if (arrived.length > 0) await recordReceipts(client, arrived);
  const pieces = piecesOf(observations);
  if (pieces.length > 1) await lockUserDeliveries(client, { lane, userKey, projectId });
  for (const piece of pieces) {
    const isOfEvents = piece[0]?.command.kind === "event";
    await (isOfEvents ? applyEvents : applyAboutPushes)(client, reporter, piece);
  }
}

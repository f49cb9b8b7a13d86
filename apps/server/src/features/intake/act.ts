import { hash } from "node:crypto";
import { userRef } from "../../domain/ids.ts";
import { isProven } from "../../platform/http/admission/perimeter.ts";
import type { Ctx } from "../../platform/http/contract/endpoint.ts";
import { DAY_MS } from "../../platform/time/clock.ts";
import { newUuid } from "../../platform/uuid.ts";
import { NO_SHAPE, shapeOf } from "../counting/rollups/rules.ts";
import type { PeriodOf } from "../counting/usage/public.ts";
import { isServerEvent, recordEvent } from "../ingest/tracking/public.ts";
import { eventsKeptFor } from "../users/events/public.ts";
import { EVENTS_DAYS } from "../users/events/settings.pure.ts";
import { mergeUser, TooManyTraits } from "../users/profiles/public.ts";
import { traitChangesOf, withoutServerTraits } from "../users/profiles/rules.ts";
import type { CallAct, Remark } from "./calls/read-call.pure.ts";
import type { IntakeReason } from "./schema.ts";

const NO_TRAITS: ReadonlySet<string> = new Set();
/** A longer id of an occurrence is kept as its digest. */
const MOST_EVENT_ID = 128;

const remark = (reason: IntakeReason, names: readonly string[] = []): Remark[] => [{ reason, names }];

async function mergeTraits(
  ctx: Ctx,
  { userId, traits, json, createdAt, at, userHash }: Extract<CallAct, { kind: "user" }>,
  periodOf: PeriodOf,
): Promise<Remark[]> {
  const proves = (): boolean => isProven(ctx, { userId, userHash }, {}, ctx.now);
  if (ctx.perimeter?.requiresProof === true && !proves()) return remark("unidentified");
  const isServer = ctx.keyKind === "secret";
  const closed = isServer ? NO_TRAITS : (ctx.perimeter?.serverTraits ?? NO_TRAITS);
  const { changes, ignored } = withoutServerTraits(traitChangesOf(json, traits), closed);
  // A call from before the current period is history: the user is neither seen nor active for it.
  const period = periodOf(ctx.now);
  const first = isServer && createdAt !== null && createdAt <= ctx.now ? createdAt : null;
  const seen =
    periodOf(at) === period
      ? { firstSeenAt: first, period }
      : { firstSeenAt: Math.min(first ?? at, at), period: null };
  try {
    const kept = await mergeUser({ ...ctx, isProven: proves }, { userId, changes, ...seen });
    const all = [...ignored, ...kept];
    return all.length === 0 ? [] : remark("server_traits", all);
  } catch (cause) {
    if (cause instanceof TooManyTraits) return remark("too_many_traits", changes.names);
    throw cause;
  }
}

/** The id under which an occurrence is kept that has this one at its sender. */
export const keptEventId = (messageId: string): string =>
  messageId.length <= MOST_EVENT_ID ? messageId : hash("sha256", messageId, "base64url");

async function record(
  ctx: Ctx,
  { userId, name, props, json, messageId, at }: Extract<CallAct, { kind: "event" }>,
): Promise<Remark[]> {
  const { app, projectId, now } = ctx;
  if (isServerEvent(ctx, name)) return remark("server_event", [name]);
  // Most calls are of now, and wait for nothing here.
  const keptDays =
    now - at > EVENTS_DAYS.least * DAY_MS ? await eventsKeptFor(app, projectId, now - at) : null;
  if (keptDays !== null && now - at > keptDays * DAY_MS) return remark("too_old", [name]);
  const recorded = await recordEvent(app, {
    ...userRef(projectId, userId),
    projectId,
    externalId: userId,
    name,
    props: props === null ? null : json,
    shape: props === null ? NO_SHAPE : shapeOf(props),
    ts: at,
    receivedAt: now,
    eventId: messageId === null ? newUuid(now) : keptEventId(messageId),
  });
  if (recorded === "refused") return remark("event_names", [name]);
  return recorded === "conflict" ? remark("event_id", [name]) : [];
}

/**
 * Does what a call has the house do, with what the key of the request may; resolves once it is committed. Answers further remarks on the call.
 * @param periodOf the periods of active users of the project
 * @throws where it could not be written: the sender has to send it again
 */
export const act = (ctx: Ctx, call: CallAct, periodOf: PeriodOf): Promise<Remark[]> =>
  call.kind === "user" ? mergeTraits(ctx, call, periodOf) : record(ctx, call);

import { hash } from "node:crypto";
import { visitorIdOf } from "../../domain/visitors.pure.ts";
import { isProven } from "../../platform/http/admission/perimeter.ts";
import type { Ctx } from "../../platform/http/contract/endpoint.ts";
import { DAY_MS } from "../../platform/time/clock.ts";
import { newUuid } from "../../platform/uuid.ts";
import { NO_SHAPE, shapeOf } from "../counting/rollups/rules.ts";
import type { PeriodOf } from "../counting/usage/public.ts";
import { isServerEvent, recordEvent } from "../ingest/tracking/public.ts";
import { eventsKeptFor } from "../users/events/public.ts";
import { EVENTS_DAYS } from "../users/events/settings.pure.ts";
import {
  actAs,
  linkedUser,
  mustBeProven,
  type Person,
  personOfUser,
  visitorMerging,
} from "../users/identities/public.ts";
import { findUser, mergeUser, TooManyTraits } from "../users/profiles/public.ts";
import { NO_TRAIT_CHANGES, traitChangesOf, withoutServerTraits } from "../users/profiles/rules.ts";
import type { CallAct, Remark } from "./calls/read-call.pure.ts";
import { isRefusal } from "./reasons.pure.ts";
import type { IntakeReason } from "./schema.ts";

const NO_TRAITS: ReadonlySet<string> = new Set();
/** A longer id of an occurrence is kept as its digest. */
const MOST_EVENT_ID = 128;

const remark = (reason: IntakeReason, names: readonly string[] = []): Remark[] => [{ reason, names }];

/** What calls are done by. `periodOf`: the periods of active users of the project; `inTurn` does few things at the same time. */
export type Acting = { periodOf: PeriodOf; inTurn: <T>(act: () => Promise<T>) => Promise<T> };

/** Whether a call proves its user, where that is demanded. */
const provesUser = (ctx: Ctx, userId: string, userHash: string | undefined): boolean =>
  ctx.perimeter?.requiresProof !== true || isProven(ctx, { userId, userHash }, {}, ctx.now);

async function mergeTraits(
  ctx: Ctx,
  person: Person,
  { userId, traits, json, createdAt, at, userHash }: Extract<CallAct, { kind: "user" }>,
  periodOf: PeriodOf,
): Promise<Remark[]> {
  if (mustBeProven(ctx, person)) return remark("unidentified");
  const proves = (): boolean => isProven(ctx, { userId: userId ?? null, userHash }, {}, ctx.now);
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
    const kept = await mergeUser({ ...ctx, isProven: proves }, { person, changes, ...seen });
    const all = [...ignored, ...kept];
    return all.length === 0 ? [] : remark("server_traits", all);
  } catch (cause) {
    if (cause instanceof TooManyTraits) return remark("too_many_traits", changes.names);
    throw cause;
  }
}

/** Makes the visitor of a call the user of it, whom the call proves where that is demanded. */
async function join(
  ctx: Ctx,
  { userId, anonymousId }: { userId: string; anonymousId: string },
  { inTurn }: Acting,
): Promise<Remark[]> {
  const { app, projectId } = ctx;
  const [visitor, user] = [
    personOfUser(projectId, visitorIdOf(anonymousId)),
    personOfUser(projectId, userId),
  ];
  const known = await linkedUser(app, visitor);
  if (known === null) await inTurn(() => app.ask(visitorMerging)(ctx, { anonymousId, user }));
  // Most browsers say so again and again; another request may have been faster.
  const joined = known ?? (await linkedUser(app, visitor));
  return joined === null || joined.userKey === user.userKey ? [] : remark("other_user");
}

async function identify(
  ctx: Ctx,
  call: Extract<CallAct, { kind: "user" }>,
  acting: Acting,
): Promise<Remark[]> {
  const { userId, anonymousId, userHash } = call;
  if (userId !== undefined && !provesUser(ctx, userId, userHash)) return remark("unidentified");
  const named = userId === undefined ? { anonymousId } : { userId };
  const remarks = await actAs(ctx.app, ctx.projectId, named, (person) =>
    mergeTraits(ctx, person, call, acting.periodOf),
  );
  const isTaken = !remarks.some(({ reason }) => isRefusal(reason));
  if (!isTaken || userId === undefined || anonymousId === undefined) return remarks;
  return [...remarks, ...(await join(ctx, { userId, anonymousId }, acting))];
}

/** Makes a visitor a user, where an alias names one: any other id in it stays apart. */
async function alias(
  ctx: Ctx,
  { userId, anonymousId, isItsVisitor, userHash }: Extract<CallAct, { kind: "join" }>,
  acting: Acting,
): Promise<Remark[]> {
  const { app, db, projectId, now } = ctx;
  const visitor = personOfUser(projectId, visitorIdOf(anonymousId));
  const isVisitor =
    isItsVisitor ||
    (await linkedUser(app, visitor)) !== null ||
    (await findUser(db, projectId, visitor)) !== null;
  if (!isVisitor) return remark("two_users");
  if (!provesUser(ctx, userId, userHash)) return remark("unidentified");
  const person = personOfUser(projectId, userId);
  const period = acting.periodOf(now);
  await mergeUser(ctx, { person, changes: NO_TRAIT_CHANGES, firstSeenAt: null, period });
  const remarks = await join(ctx, { userId, anonymousId }, acting);
  return remarks.length === 0 ? [] : remark("two_users");
}

/** The id under which an occurrence is kept that has this one at its sender. */
export const keptEventId = (messageId: string): string =>
  messageId.length <= MOST_EVENT_ID ? messageId : hash("sha256", messageId, "base64url");

async function record(
  ctx: Ctx,
  { userId, anonymousId, name, props, json, messageId, at }: Extract<CallAct, { kind: "event" }>,
): Promise<Remark[]> {
  const { app, projectId, now } = ctx;
  if (isServerEvent(ctx, name)) return remark("server_event", [name]);
  // Most calls are of now, and wait for nothing here.
  const keptDays =
    now - at > EVENTS_DAYS.least * DAY_MS ? await eventsKeptFor(app, projectId, now - at) : null;
  if (keptDays !== null && now - at > keptDays * DAY_MS) return remark("too_old", [name]);
  const event = {
    name,
    props: props === null ? null : json,
    shape: props === null ? NO_SHAPE : shapeOf(props),
    ts: at,
    receivedAt: now,
    eventId: messageId === null ? newUuid(now) : keptEventId(messageId),
  };
  const recorded = await actAs(app, projectId, { userId, anonymousId }, (person) =>
    recordEvent(app, { ...event, ...person }),
  );
  if (recorded === "refused") return remark("event_names", [name]);
  return recorded === "conflict" ? remark("event_id", [name]) : [];
}

/**
 * Does what a call has the house do, with what the key of the request may; resolves once it is committed. Answers further remarks on the call.
 * @throws where it could not be written: the sender has to send it again
 */
export function act(ctx: Ctx, call: CallAct, acting: Acting): Promise<Remark[]> {
  switch (call.kind) {
    case "user":
      return identify(ctx, call, acting);
    case "join":
      return alias(ctx, call, acting);
    case "event":
      return record(ctx, call);
  }
}

import { UTC, type Zone } from "../../../platform/time/zone.ts";
import type { Fields } from "../../intake/calls/fit.pure.ts";
import { callInstant, happenedAt, reportedBy } from "../../intake/calls/instant.pure.ts";
import { type CallAct, callReader, hasId, type Remark } from "../../intake/calls/read-call.pure.ts";
import { textOfReason } from "../../intake/reasons.pure.ts";
import { EVENTS_DAYS } from "../../users/events/settings.pure.ts";
import { traitChangesOf } from "../../users/profiles/rules.ts";
import type { ImportMapping, LineFault, MappedLine } from "../schema.ts";
import { MAX_JSON_BYTES } from "./cells.pure.ts";
import type { Compiling } from "./compiling.pure.ts";
import type { FileShape } from "./file-shape.pure.ts";
import { MappingFault } from "./fit.pure.ts";
import { ageFault, type KindReader } from "./lines.pure.ts";
import { readLineAddress } from "./subjects.pure.ts";

const DAY_MS = 86_400_000;

/** The calls that a file of a kind passes over: what they say belongs to a file of the other kind. */
const PASSED_OVER: Readonly<Record<string, readonly unknown[]>> = {
  users: ["track", "page", "screen"],
  events: ["identify", "group", "alias"],
};
const NOTHING: MappedLine = { kind: "suppressions", stop: null };

const SINGLE = ["userId", "email", "firstSeenAt", "event", "ts", "eventId"] as const;

/** The zone of calls: their times name one. @throws MappingFault where a mapping gives a field of calls another meaning than it has */
export function assertCalls(mapping: ImportMapping, shape: FileShape): Zone {
  const fail = (field: string): never => {
    throw new MappingFault(
      `mapping.${field} cannot be changed: each line is a call, which says what it means.`,
    );
  };
  for (const field of SINGLE)
    if (mapping[field] !== undefined && !shape[field]?.includes(mapping[field])) fail(field);
  for (const field of ["traits", "props"] as const) {
    const named = mapping[field] ?? [];
    if (named === "rest" || named.some(({ column, as }) => as !== "*" || !shape.spread?.includes(column)))
      fail(field);
  }
  if ((mapping.suppressed ?? []).length > 0) fail("suppressed");
  return UTC;
}

/** Where in a call stands what a reason is about. */
const FIELDS: Readonly<Record<string, string>> = {
  no_user: "userId",
  user_id: "userId",
  event_name: "event",
  two_users: "previousId",
  left_out: "integrations",
  unknown_call: "type",
};
/** What is changed of a call that has just been sent refuses a line of a file, which people can mend. */
const CHANGES: Readonly<Record<string, LineFault>> = {
  clock: {
    field: "timestamp",
    rule: "time",
    text: `timestamp is not a time of the past ${EVENTS_DAYS.most} days that can be read.`,
  },
  trimmed: {
    field: "traits",
    rule: "too_large",
    text: `The traits come to more than ${MAX_JSON_BYTES} bytes as JSON.`,
  },
};

const OF_A_VISITOR: LineFault = {
  field: "anonymousId",
  rule: "visitor",
  text: "It is of a visitor: of an archive only what users did is brought in, because its visitors never sign in any more.",
};

function faultOf({ reason, names: [name = ""] }: Remark, fields: Fields): LineFault {
  if (reason === "no_user" && hasId(fields, "anonymousId")) return OF_A_VISITOR;
  const field = reason === "malformed" ? name : (FIELDS[reason] ?? "");
  return CHANGES[reason] ?? { field, rule: reason, text: textOfReason(reason) };
}

/** Reads the calls that libraries of Segment sent, as the intake would have taken them. */
export function callsReader(compiling: Compiling): KindReader {
  const { kind, now, parseAddress } = compiling;
  const passedOver = PASSED_OVER[kind] ?? [];
  const read = callReader({
    timeOf: (call) => {
      const reported = reportedBy(call, null);
      const { at, isDoubted } = happenedAt({ ...reported, now, mostAgeMs: EVENTS_DAYS.most * DAY_MS });
      // A line that says no time did not happen now.
      return { at, isDoubted: isDoubted || callInstant(reported.at) === null };
    },
    keepsPages: true,
    // An archive is history: none of its visitors signs in any more, and it must not join those of now with users.
    keepsVisitors: false,
    beside: {},
  });

  function userLine(
    userId: string,
    { traits, createdAt, at }: Extract<CallAct, { kind: "user" }>,
    faults: LineFault[],
  ) {
    const address = readLineAddress(parseAddress, "traits.email", traits.email, faults);
    if (faults.length > 0) return null;
    const { email: _, ...others } = traits;
    const brought = address === null ? others : { email: address.written, ...others };
    return {
      kind: "users" as const,
      user: { id: userId },
      traits: traitChangesOf(JSON.stringify(brought), brought).set,
      firstSeenAt: createdAt === null || createdAt > now ? at : Math.min(createdAt, at),
      stop: null,
    };
  }

  function eventLine(
    userId: string,
    { name, props, json, messageId, at }: Extract<CallAct, { kind: "event" }>,
    faults: LineFault[],
  ) {
    const tooOld = ageFault("timestamp", at, compiling);
    if (tooOld === null)
      return {
        kind: "events" as const,
        user: { id: userId },
        name,
        ts: at,
        eventId: messageId,
        props: props && json,
        traits: null,
      };
    faults.push(tooOld);
    return null;
  }

  return (fields, faults) => {
    if (passedOver.includes(fields.type)) return NOTHING;
    const { act, remarks } = read(fields);
    for (const remark of remarks) {
      // What is left out of an event is named in it.
      if (remark.reason === "trimmed" && act?.kind === "event") continue;
      faults.push(faultOf(remark, fields));
    }
    if (faults.length > 0) return null;
    // What is about no user is a fault above.
    if (act?.userId === undefined || act.kind === "join") return NOTHING;
    return act.kind === "user" ? userLine(act.userId, act, faults) : eventLine(act.userId, act, faults);
  };
}

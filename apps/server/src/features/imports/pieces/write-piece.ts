import type { UserRef } from "../../../domain/ids.ts";
import type { Connection } from "../../../platform/db/db.ts";
import type { App } from "../../../platform/runtime.ts";
import { bringStops, findBroughtStops } from "../../email/addresses/public.ts";
import {
  bringEvents,
  EVENT_ID_CONFLICT,
  findBroughtEvents,
  tooManyNames,
} from "../../ingest/tracking/public.ts";
import { type Brought, bringUsers, findBrought } from "../../users/profiles/public.ts";
import type { LineFault } from "../schema.ts";
import type { Judged, LineOutcome } from "./judge.ts";

type Bringing = { projectId: string; now: number };

/** The order in which every statement locks users; lines of one user stay as the file has them. */
const byKey = (one: UserRef, other: UserRef): number =>
  one.userKey < other.userKey ? -1 : one.userKey > other.userKey ? 1 : 0;

const fault = (rule: string, text: string): readonly LineFault[] => [{ field: "", rule, text }];

/** The outcome of a line of which several parts were written: a refusal counts first, then that something changed. */
function decide(piece: Judged, places: readonly number[], outcome: LineOutcome): void {
  for (const place of places) {
    const before = piece.outcomes[place] ?? "known";
    if (typeof before === "object") continue;
    piece.outcomes[place] = outcome === "known" ? before : outcome;
  }
}

const excessFault = (app: App, excess: "bytes" | "keys") =>
  fault(
    "too_many_traits",
    excess === "bytes"
      ? `the user would have more than ${app.config.limits.userTraitBytes} bytes of traits`
      : `the user would have more than ${app.config.limits.userTraitKeys} traits`,
  );

const userOutcome = (app: App, brought: Brought): LineOutcome =>
  brought === "bytes" || brought === "keys" ? excessFault(app, brought) : brought;

/** Writes what a piece brings, in a transaction, as it is locked everywhere: events and users before addresses. */
export async function writePiece(
  app: App,
  client: Connection,
  piece: Judged,
  { projectId, now }: Bringing,
): Promise<void> {
  const { users, stops, events } = piece;
  if (events.length > 0) {
    const ordered = events.toSorted((a, b) => byKey(a.event, b.event));
    const recorded = await bringEvents(
      app,
      client,
      ordered.map(({ event }) => event),
      now,
    );
    for (const [index, { places }] of ordered.entries()) {
      const outcome = recorded[index];
      if (outcome === "refused")
        decide(piece, places, fault("event_names", tooManyNames(app.config.limits.userEventNames)));
      else if (outcome === "conflict") decide(piece, places, fault("event_id", EVENT_ID_CONFLICT));
      else decide(piece, places, outcome === "known" ? "known" : "written");
    }
  }
  if (users.length > 0) {
    const ordered = users.toSorted((a, b) => byKey(a.user, b.user));
    const brought = await bringUsers(
      app,
      client,
      ordered.map(({ user }) => user),
      { projectId, now },
    );
    for (const [index, { places }] of ordered.entries())
      decide(piece, places, userOutcome(app, brought[index] ?? "known"));
  }
  if (stops.length > 0) {
    const changed = await bringStops(
      client,
      stops.map(({ stop }) => stop),
    );
    decideStops(piece, changed);
  }
}

function decideStops(piece: Judged, changed: readonly { ord: number }[]): void {
  const ords = new Set(changed.map(({ ord }) => ord));
  for (const [index, { places }] of piece.stops.entries())
    decide(piece, places, ords.has(index + 1) ? "written" : "known");
}

/** Finds what a piece would change, and writes nothing. What a user may have in all (traits, event names) is not judged. */
export async function tryPiece(
  client: Connection,
  piece: Judged,
  { projectId, now }: Bringing,
): Promise<void> {
  const { users, stops, events } = piece;
  if (events.length > 0) {
    const found = await findBroughtEvents(
      client,
      events.map(({ event }) => event),
    );
    for (const [index, { places }] of events.entries()) {
      const outcome = found[index] ?? "written";
      decide(piece, places, outcome === "conflict" ? fault("event_id", EVENT_ID_CONFLICT) : outcome);
    }
  }
  if (users.length > 0) {
    const known = await findBrought(
      client,
      users.map(({ user }) => user),
      { projectId, now },
    );
    for (const [index, { places }] of users.entries())
      decide(piece, places, known[index] === true ? "known" : "written");
  }
  if (stops.length > 0)
    decideStops(
      piece,
      await findBroughtStops(
        client,
        stops.map(({ stop }) => stop),
      ),
    );
}

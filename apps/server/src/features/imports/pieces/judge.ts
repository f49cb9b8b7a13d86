import { hash } from "node:crypto";
import { setImmediate as othersTurn } from "node:timers/promises";
import { userRef } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { NO_SHAPE, shapeOf } from "../../counting/rollups/rules.ts";
import { addressRef, type BroughtStop } from "../../email/addresses/public.ts";
import type { NewEvent } from "../../ingest/tracking/public.ts";
import { keptEventId } from "../../intake/public.ts";
import { type BroughtUser, findUsersByAddress } from "../../users/profiles/public.ts";
import type { LineReader } from "../mapping/compile.pure.ts";
import type { FileRecord, ImportOptions, LineFault, MappedLine, MappedStop, MappedUser } from "../schema.ts";

/** What came of a line: it changed something, it is so already, or why it was not taken. */
export type LineOutcome = "written" | "known" | readonly LineFault[];

/** What lines bring, with the places of these lines in the piece. Users, addresses and events are there once each, but for events of one id. */
export type Judged = {
  outcomes: (LineOutcome | null)[];
  lines: readonly number[];
  users: { user: BroughtUser; places: number[] }[];
  stops: { stop: BroughtStop; places: number[] }[];
  events: { event: NewEvent; places: [number] }[];
};

/** What a piece is judged by. `by` is logged as the author of stops; `now` (epoch ms) is when the piece is read. */
export type Judging = {
  projectId: string;
  readLine: LineReader;
  options: ImportOptions;
  /** The column of addresses, which refusals name. */
  addressColumn: string;
  by: string;
  now: number;
};

/** Lines that are judged before requests of this process get their turn: about a millisecond. */
const LINES_AT_ONCE = 50;

/** The users that lines name by their addresses, as far as each address is that of one user. */
async function usersByAddress(db: Db, projectId: string, lines: readonly (MappedLine | null)[]) {
  const addresses = lines.flatMap((line) =>
    line !== null && line.kind !== "suppressions" && "withAddress" in line.user
      ? line.user.withAddress.toLowerCase()
      : [],
  );
  return addresses.length === 0
    ? new Map<string, readonly string[]>()
    : findUsersByAddress(db, projectId, [...new Set(addresses)]);
}

/** The later one of two traits of a name counts. */
const mergedTraits = (before: string, after: string): string =>
  JSON.stringify({
    ...(JSON.parse(before) as Record<string, unknown>),
    ...(JSON.parse(after) as Record<string, unknown>),
  });

const earlier = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);

/** An id for an event that has none: the same file brings the same ids. */
function eventIdOf(
  { name, ts, props }: Extract<MappedLine, { kind: "events" }>,
  externalId: string,
  line: number | null,
): string {
  return hash("sha256", JSON.stringify([externalId, name, ts, props, line]), "base64url");
}

/** Gathers what the lines of a piece bring. */
function gatherer({ projectId, options, addressColumn, by, now }: Judging, piece: Judged) {
  const users = new Map<string, Judged["users"][number]>();
  const stops = new Map<string, Judged["stops"][number]>();

  function addUser(user: BroughtUser, place: number): void {
    const known = users.get(user.externalId);
    if (known === undefined) {
      const added = { user, places: [place] };
      users.set(user.externalId, added);
      piece.users.push(added);
      return;
    }
    known.places.push(place);
    known.user = {
      ...user,
      traits: mergedTraits(known.user.traits, user.traits),
      firstSeenAt: earlier(known.user.firstSeenAt, user.firstSeenAt),
    };
  }

  function addStop({ address, reason, at }: MappedStop, place: number): void {
    const ref = addressRef(projectId, address);
    const stop = { ...ref, projectId, address, reason, at: Math.min(at ?? now, now), by, now };
    const known = stops.get(ref.addressKey);
    if (known === undefined) {
      const added = { stop, places: [place] };
      stops.set(ref.addressKey, added);
      piece.stops.push(added);
      return;
    }
    known.places.push(place);
    // Recipients may undo their own unsubscribing, so that any other reason replaces it.
    if (known.stop.reason === "unsubscribed" && reason !== "unsubscribed") known.stop = stop;
  }

  function idOf(user: MappedUser, found: ReadonlyMap<string, readonly string[]>): string | LineFault {
    if ("id" in user) return user.id;
    const ids = found.get(user.withAddress.toLowerCase()) ?? [];
    if (ids.length === 1 && ids[0] !== undefined) return ids[0];
    return ids.length === 0
      ? { field: addressColumn, rule: "no_user", text: "no user has this address" }
      : { field: addressColumn, rule: "two_users", text: "more than one user has this address" };
  }

  function addEvent(event: Extract<MappedLine, { kind: "events" }>, externalId: string, place: number): void {
    const { name, ts, eventId, props, traits } = event;
    const line = options.same === "line" ? (piece.lines[place] ?? null) : null;
    const shape = props === null ? NO_SHAPE : shapeOf(JSON.parse(props) as Record<string, unknown>);
    const ref = userRef(projectId, externalId);
    const id = eventId === null ? eventIdOf(event, externalId, line) : keptEventId(eventId);
    piece.events.push({
      event: { ...ref, projectId, externalId, eventId: id, name, props, shape, ts },
      places: [place],
    });
    if (traits !== null) addUser({ ...ref, externalId, traits, firstSeenAt: ts }, place);
  }

  function add(read: MappedLine, place: number, found: ReadonlyMap<string, readonly string[]>): void {
    if (read.kind === "suppressions") {
      if (read.stop === null) piece.outcomes[place] = "known";
      else addStop(read.stop, place);
      return;
    }
    if (read.kind === "users" && read.stop !== null) addStop(read.stop, place);
    const externalId = idOf(read.user, found);
    if (typeof externalId !== "string") piece.outcomes[place] = [externalId];
    else if (read.kind === "events") addEvent(read, externalId, place);
    else
      addUser(
        {
          ...userRef(projectId, externalId),
          externalId,
          traits: read.traits,
          firstSeenAt: read.firstSeenAt,
        },
        place,
      );
  }

  return { add, addStop };
}

/** Judges the lines of a piece. Lines whose outcome follows from what is stored have none yet. */
export async function judgeLines(db: Db, records: readonly FileRecord[], judging: Judging): Promise<Judged> {
  const piece: Judged = {
    outcomes: records.map(() => null),
    lines: records.map(({ line }) => line),
    users: [],
    stops: [],
    events: [],
  };
  const read: ReturnType<LineReader>[] = [];
  for (const [place, record] of records.entries()) {
    if (place % LINES_AT_ONCE === 0) await othersTurn();
    const line = judging.readLine(record);
    if ("faults" in line) piece.outcomes[place] = line.faults;
    read.push(line);
  }
  const lines = read.map((line) => ("read" in line ? line.read : null));
  const found = await usersByAddress(db, judging.projectId, lines);
  const gather = gatherer(judging, piece);
  for (const [place, line] of read.entries()) {
    if (place % LINES_AT_ONCE === 0) await othersTurn();
    if ("read" in line) gather.add(line.read, place, found);
    // An address that left gets no mail, also where the rest of the line is not taken.
    else if (line.stop !== undefined) gather.addStop(line.stop, place);
  }
  return piece;
}

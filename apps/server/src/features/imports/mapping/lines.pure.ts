import { eventName } from "../../../domain/fields.ts";
import { EventId } from "../../users/events/schema.ts";
import { EVENTS_DAYS } from "../../users/events/settings.pure.ts";
import type { LineFault, MappedLine, MappedStop } from "../schema.ts";
import { isStorable, isYes } from "./cells.pure.ts";
import { isNothing } from "./columns.pure.ts";
import {
  addressCondition,
  addressReader,
  type Compiling,
  columnsFor,
  type Fields,
  instantReader,
  partsOf,
} from "./compiling.pure.ts";
import { faultAt } from "./parts.pure.ts";
import { columnLike } from "./presets.pure.ts";
import { stopReader } from "./stops.pure.ts";
import { idText, type LineAddress, readLineAddress, userReader } from "./subjects.pure.ts";

/** Reads what a line means; where `faults` say why it means nothing, null, or what it says all the same of an address that gets no mail. */
export type KindReader = (fields: Fields, faults: LineFault[]) => MappedLine | LineRefused | null;

/** A line that is refused. Its address gets no mail, where the file says so. */
export type LineRefused = { kind: "refused"; stop: MappedStop };

const DAY_MS = 86_400_000;

const userOf = ({ mapping, options, line, read, isTrimmed }: Compiling) =>
  userReader(mapping, options.id ?? "column", read, { elseEmail: line.elseEmail === true, isTrimmed });

/** Reads the address that came among the traits, where no column is mapped to it. */
function traitAddressReader({ mapping: { email, traits }, read, parseAddress }: Compiling) {
  const named =
    traits === "rest" || email !== undefined ? undefined : traits?.find(({ as }) => as === "email");
  const cell = named && read(named.column);
  const field = named?.column ?? "email";
  return (fields: Fields, ofObjects: unknown, faults: LineFault[]): LineAddress | null =>
    readLineAddress(parseAddress, field, cell === undefined ? ofObjects : cell(fields), faults);
}

/** Reads lines of a file of users. */
export function usersReader(compiling: Compiling): KindReader {
  const { mapping, read, zone, now, shape, format } = compiling;
  const addressOf = addressReader(compiling);
  const traitsOf = partsOf("traits", compiling);
  const traitAddressOf = traitAddressReader(compiling);
  const firstSeen =
    mapping.firstSeenAt === undefined
      ? () => null
      : instantReader(columnsFor(mapping.firstSeenAt, shape?.firstSeenAt, format.columns), compiling);
  const stopOf = stopReader(mapping.suppressed ?? [], read, zone, now);
  const readUser = userOf(compiling);
  return (fields, faults) => {
    const mapped = addressOf(fields, faults);
    const user = readUser(fields, mapped, faults);
    const { json, email } = traitsOf(fields, faults, mapped?.written);
    const address = mapped ?? traitAddressOf(fields, email, faults);
    const firstSeenAt = firstSeen(fields, faults);
    const why = address && stopOf(fields);
    const stop = address && why && { address: address.address, reason: why.reason, at: why.at };
    if (user === null || faults.length > 0) return stop && { kind: "refused", stop };
    return { kind: "users", user, traits: json, firstSeenAt, stop };
  };
}

/** Reads a text of an event that has a schema of its own; null where there is none, or one of which the faults tell. */
function textReader(column: string | undefined, schema: typeof eventName, { read, isTrimmed }: Compiling) {
  if (column === undefined) return () => null;
  const cell = read(column);
  return (fields: Fields, faults: LineFault[]): string | null => {
    const value = cell(fields);
    if (isNothing(value)) return null;
    const text = idText(value, isTrimmed);
    const parsed = schema.safeParse(text);
    if (text !== null && parsed.success && isStorable(text)) return text;
    const ends =
      text === null
        ? "is neither a text nor a whole number"
        : parsed.success
          ? "has a NUL character or half of a surrogate pair, which cannot be stored"
          : (parsed.error.issues[0]?.message ?? "cannot be read");
    faults.push(faultAt(column, "text", ends));
    return null;
  };
}

/** What is wrong with the age of an event of an instant (epoch milliseconds), as a fault of its column. */
export function ageFault(column: string, ts: number, { now, keptDays }: Compiling): LineFault | null {
  if (ts < now - EVENTS_DAYS.most * DAY_MS)
    return faultAt(column, "too_old", `is more than ${EVENTS_DAYS.most} days ago`);
  if (keptDays === null || ts >= now - keptDays * DAY_MS) return null;
  return faultAt(column, "too_old", `is more than ${keptDays} days ago, and events are kept for that long`);
}

/** Whether a name is that of an event of the tool itself. */
function isOwnEvent(name: string, { line: { ownEvents } }: Compiling): boolean {
  return ownEvents !== undefined && name.startsWith(ownEvents.prefix) && !ownEvents.but.includes(name);
}

/** Reads lines of a file of events. */
export function eventsReader(compiling: Compiling): KindReader {
  const { mapping, shape, format } = compiling;
  const { event = "", ts = "" } = mapping;
  const nameOf = textReader(event, eventName, compiling);
  const eventIdOf = textReader(mapping.eventId, EventId, compiling);
  const addressOf = addressReader(compiling);
  const readUser = userOf(compiling);
  const instantOf = instantReader(columnsFor(ts, shape?.ts, format.columns), compiling);
  const propsOf = partsOf("props", compiling);
  const traitsOf = partsOf("traits", compiling);
  return (fields, faults) => {
    const name = nameOf(fields, faults);
    if (name !== null && isOwnEvent(name, compiling)) {
      faults.push(faultAt(event, "left_out", `is ${name}, which is left out`));
      return null;
    }
    if (name === null && faults.length === 0)
      faults.push(faultAt(event, "missing", "is empty: the line names no event"));
    const before = faults.length;
    const at = instantOf(fields, faults);
    if (at === null && faults.length === before)
      faults.push(faultAt(ts, "missing", "is empty: the line does not say when"));
    const tooOld = at === null ? null : ageFault(ts, at, compiling);
    if (tooOld !== null) faults.push(tooOld);
    const user = readUser(fields, addressOf(fields, faults), faults);
    const eventId = eventIdOf(fields, faults);
    const { json: props } = propsOf(fields, faults);
    const { json: traits } = traitsOf(fields, faults);
    if (name === null || at === null || user === null || faults.length > 0) return null;
    const given = (json: string) => (json === "{}" ? null : json);
    return { kind: "events", user, name, ts: at, eventId, props: given(props), traits: given(traits) };
  };
}

/** Reads lines of a file of addresses that get no mail. */
export function suppressionsReader(compiling: Compiling): KindReader {
  const { mapping, read, zone, now } = compiling;
  const { email = "" } = mapping;
  const addressOf = addressReader(compiling);
  const stopOf = stopReader(mapping.suppressed ?? [], read, zone, now);
  // Where lines are about other things than addresses, one without an address is about nothing that could get mail.
  const isAlwaysAddress = addressCondition(compiling) === null;
  return (fields, faults) => {
    const why = stopOf(fields);
    if (why === null) return { kind: "suppressions", stop: null };
    const address = addressOf(fields, faults);
    if (address !== null)
      return { kind: "suppressions", stop: { address: address.address, reason: why.reason, at: why.at } };
    if (faults.length > 0) return null;
    if (!isAlwaysAddress) return { kind: "suppressions", stop: null };
    faults.push(faultAt(email, "missing", "is empty: the line names no address"));
    return null;
  };
}

/** Reads whether a line is passed over, and why. */
export function skipReader({
  line: { skips },
  read,
  format,
}: Compiling): (fields: Fields) => LineFault | null {
  const column = skips && columnLike(format.columns, skips.column);
  if (!skips || !column) return () => null;
  const cell = read(column);
  return (fields) => (isYes(cell(fields)) ? { field: column, rule: "left_out", text: skips.text } : null);
}

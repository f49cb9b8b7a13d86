import { anonymousId, eventName, externalUserId, storedUserId } from "../../../domain/fields.ts";
import { MIN_EPOCH_MS } from "../../../platform/http/contract/instants.ts";
import type { Named } from "../../users/identities/schema.ts";
import { CALLS, type CallType, type IntakeReason } from "../schema.ts";
import { type Fields, type Fitted, fitted, fittedGroup, gapsOf, withoutGaps } from "./fit.pure.ts";
import { callInstant } from "./instant.pure.ts";
import { pageProps } from "./page.pure.ts";

/** Why a call is not taken, or what of it is changed. `names`: the events, traits or properties concerned. */
export type Remark = { reason: IntakeReason; names: readonly string[] };

/**
 * What a call has the house do, for the user or the visitor whom it names; traits may name both, who are one person from then on. Instants are
 * epoch milliseconds.
 */
export type CallAct =
  | (Named & {
      kind: "user";
      /** At most 4,096 bytes as compact JSON; null takes a trait away. */
      traits: Fields;
      /** The same as compact JSON. */
      json: string;
      /** When the sender's product saw the user first, where the call says it. */
      createdAt: number | null;
      at: number;
      /** The proof of the user, where the call has one. */
      userHash: string | undefined;
    })
  | (Named & {
      kind: "event";
      name: string;
      /** At most 4,096 bytes as compact JSON; null for none. */
      props: Fields | null;
      /** The same as compact JSON. */
      json: string;
      /** The sender's id of the occurrence; null where it has none. */
      messageId: string | null;
      at: number;
    })
  | {
      kind: "join";
      userId: string;
      /** The visitor, or what is taken for one. */
      anonymousId: string;
      /** Whether the call itself says that this is its visitor. */
      isItsVisitor: boolean;
      userHash: string | undefined;
    };

/** A call as it is understood. `act` is null where it changes nothing; a call without a remark is taken all the same. */
export type ReadCall = {
  call: CallType | "unknown";
  library: string;
  act: CallAct | null;
  remarks: readonly Remark[];
};

/** When a call happened (epoch milliseconds); `isDoubted` where the call says something else that cannot be so. */
export type CallInstant = { at: number; isDoubted: boolean };

/** What calls are read by. */
export type CallReading = {
  timeOf: (call: Fields) => CallInstant;
  /** Whether pages and screens become events. */
  keepsPages: boolean;
  /** Whether visitors who are not signed in are kept, and become users. */
  keepsVisitors: boolean;
  /** What the body says beside its calls, of all of them. */
  beside: Fields;
};

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const NOTHING: Fields = {};
const objectOr = (value: unknown): Fields => (isObject(value) ? value : NOTHING);

const MOST_LIBRARY = 64;
const NOT_PRINTABLE = /[^\x20-\x7e]/g;

/** What a library calls itself. */
function libraryOf(context: Fields): string {
  const { name } = objectOr(context.library);
  const clean = typeof name === "string" ? name.slice(0, MOST_LIBRARY).replace(NOT_PRINTABLE, "").trim() : "";
  return clean === "" ? "unknown" : clean;
}

const isNone = (value: unknown): boolean => value === null || value === "";

/** A trait, a property or an object of them, where it is there; null for something else in its place. */
const fieldsOf = (value: unknown): Fields | null =>
  value === undefined || isNone(value) ? NOTHING : isObject(value) ? value : null;

/** An id as a text. Libraries take numbers too. */
const idText = (value: unknown): unknown => (Number.isSafeInteger(value) ? String(value) : value);

const refused = (reason: IntakeReason, ...names: string[]): Refusal => ({ refusal: { reason, names } });
type Refusal = { refusal: Remark };
type Understood = { act: CallAct | null; remarks?: readonly Remark[] };
type Identified = { named: Named; remarks: readonly Remark[] };

/** A refusal with the event that is lost by it. */
const about = ({ event }: Fields, { refusal }: Refusal): Refusal =>
  typeof event === "string" ? refused(refusal.reason, event) : { refusal };

/** Whether a call says an id, right or wrong. A number that cannot be kept stands as `undefined`. */
export const hasId = (call: Fields, field: "userId" | "anonymousId"): boolean =>
  field in call && !isNone(call[field]);

/**
 * Whom a call is about, or why there is no one. Libraries go on to send the visitor's id beside the user's: what a user does is the user's, and
 * only an identify says that they are one.
 */
function personOf(call: Fields, type: CallType, keepsVisitors: boolean): Identified | Refusal {
  const visitor =
    keepsVisitors && hasId(call, "anonymousId") ? anonymousId.safeParse(idText(call.anonymousId)) : null;
  if (hasId(call, "userId")) {
    const user = externalUserId.safeParse(idText(call.userId));
    if (!user.success) return refused("user_id");
    const named = { userId: user.data };
    if (type !== "identify" || visitor === null) return { named, remarks: [] };
    return visitor.success
      ? { named: { ...named, anonymousId: visitor.data }, remarks: [] }
      : { named, remarks: [{ reason: "visitor_left_out", names: [] }] };
  }
  if (visitor === null) return refused("no_user");
  return visitor.success ? { named: { anonymousId: visitor.data }, remarks: [] } : refused("visitor_id");
}

/** Whether the sender wants the call to come here (`integrations` of the Segment specification). */
function isMeantForUs(integrations: Fields): boolean {
  const { All: all = true, Tidings: own = all } = integrations;
  return own !== false;
}

const remarksOn = (trimmed: readonly string[], gaps: readonly string[]): Remark[] => [
  ...(trimmed.length > 0 ? [{ reason: "trimmed" as const, names: trimmed }] : []),
  ...(gaps.length > 0 ? [{ reason: "number" as const, names: gaps }] : []),
];

type Whole = {
  call: Fields;
  context: Fields;
  named: Named;
  at: number;
};

/** An instant since which a product may know its users; null for none. Libraries write the year 1, or 1970, for what they do not know. */
function sinceOf(value: unknown): number | null {
  const since = callInstant(value);
  return since !== null && since >= MIN_EPOCH_MS ? since : null;
}

/** Has an object fit, and says what was left out of it. */
function fittedWith(
  given: Fields,
  fit: (fields: Fields) => Fitted,
): Pick<Fitted, "fields" | "json"> & { remarks: Remark[] } {
  const gaps = gapsOf(given);
  const { fields, json, trimmed } = fit(gaps.length === 0 ? given : withoutGaps(given));
  return { fields, json, remarks: remarksOn(trimmed, gaps) };
}

const fittedTraits = (traits: Fields): Fitted => fitted(traits, null);
const fittedProps = (props: Fields): Fitted => fitted(props, "$trimmed");

const proofOf = ({ userHash }: Fields): string | undefined =>
  typeof userHash === "string" ? userHash : undefined;

function userAct({ context, named, at }: Whole, given: Fields, fit: (fields: Fields) => Fitted): Understood {
  const { fields: traits, json, remarks } = fittedWith(given, fit);
  return {
    act: {
      kind: "user",
      ...named,
      traits,
      json,
      createdAt: sinceOf(traits.createdAt),
      at,
      userHash: proofOf(context),
    },
    remarks,
  };
}

function eventAct({ call, named, at }: Whole, name: string, given: Fields): Understood {
  const { fields, json, remarks } = fittedWith(given, fittedProps);
  const messageId = idText(call.messageId);
  return {
    act: {
      kind: "event",
      ...named,
      name,
      props: json === "{}" ? null : fields,
      json,
      messageId: typeof messageId === "string" && messageId !== "" ? messageId : null,
      at,
    },
    remarks,
  };
}

function identify(whole: Whole): Understood | Refusal {
  const [own, inContext] = [fieldsOf(whole.call.traits), fieldsOf(whole.context.traits)];
  return own === null || inContext === null
    ? refused("malformed", "traits")
    : userAct(whole, { ...inContext, ...own }, fittedTraits);
}

function group(whole: Whole): Understood | Refusal {
  const id = idText(whole.call.groupId);
  const traits = fieldsOf(whole.call.traits);
  if (!storedUserId.safeParse(id).success || typeof id !== "string") return refused("malformed", "groupId");
  if (traits === null) return refused("malformed", "traits");
  // The largest of the group's traits are left out, and not the group itself.
  return userAct(whole, traits, (given) => fittedGroup(id, given));
}

function track(whole: Whole): Understood | Refusal {
  const { event, properties } = whole.call;
  const name = eventName.safeParse(event);
  if (!name.success || name.data.trim() === "")
    return refused("event_name", typeof event === "string" ? event : "");
  const props = fieldsOf(properties);
  return props === null ? refused("malformed", name.data) : eventAct(whole, name.data, props);
}

const seen =
  (event: "page" | "screen", keepsPages: boolean) =>
  (whole: Whole): Understood | Refusal => {
    const { name, category, properties } = whole.call;
    const props = fieldsOf(properties);
    if (props === null) return refused("malformed", event);
    if (!keepsPages) return refused("pages_ignored");
    const page = objectOr(whole.context.page);
    return eventAct(whole, event, pageProps({ name, category, properties: props, page }));
  };

/** Another id of a user, which may be that of the visitor whom they were. */
const alias =
  (keepsVisitors: boolean) =>
  ({ call, context, named: { userId } }: Whole): Understood | Refusal => {
    if (userId === undefined) return refused("no_user");
    const previous = idText(call.previousId);
    if (previous === userId) return { act: null };
    const visitor = keepsVisitors ? anonymousId.safeParse(previous) : null;
    if (visitor?.success !== true) return refused("two_users");
    const isItsVisitor = idText(call.anonymousId) === visitor.data;
    return {
      act: { kind: "join", userId, anonymousId: visitor.data, isItsVisitor, userHash: proofOf(context) },
    };
  };

type CallReaders = Readonly<Record<CallType, (whole: Whole) => Understood | Refusal>>;

function readersOf({ keepsPages, keepsVisitors }: CallReading): CallReaders {
  return {
    identify,
    track,
    group,
    alias: alias(keepsVisitors),
    page: seen("page", keepsPages),
    screen: seen("screen", keepsPages),
  };
}

/** The context of a call, with what the one beside it has for all of them. */
function contextOf(call: Fields, ofAll: Fields): Fields {
  const own = objectOr(call.context);
  if (ofAll === NOTHING || own === ofAll) return own;
  return own === NOTHING ? ofAll : { ...ofAll, ...own };
}

/** A reader of the calls of one body, as the Segment specification has them. */
export function callReader(reading: CallReading): (given: unknown) => ReadCall {
  const { timeOf, keepsVisitors, beside } = reading;
  const readers = readersOf(reading);
  const contextOfAll = objectOr(beside.context);

  function understand(call: Fields, type: CallType, context: Fields): Understood | Refusal {
    if (!isMeantForUs(objectOr(call.integrations ?? beside.integrations))) return refused("left_out");
    const person = personOf(call, type, keepsVisitors);
    if ("refusal" in person) return about(call, person);
    const { at, isDoubted } = timeOf(call);
    const understood = readers[type]({ call, context, named: person.named, at });
    if ("refusal" in understood) return understood;
    const remarks = [...person.remarks, ...(understood.remarks ?? [])];
    if (isDoubted) remarks.push({ reason: "clock", names: [] });
    return { ...understood, remarks };
  }

  return (given) => {
    const call = objectOr(given);
    const context = contextOf(call, contextOfAll);
    const library = libraryOf(context);
    const type = CALLS.find((name) => name === call.type);
    if (type === undefined) {
      const reason = isObject(given) ? "unknown_call" : "malformed";
      return { call: "unknown", library, act: null, remarks: [{ reason, names: [] }] };
    }
    const understood = understand(call, type, context);
    return "refusal" in understood
      ? { call: type, library, act: null, remarks: [understood.refusal] }
      : { call: type, library, act: understood.act, remarks: understood.remarks ?? [] };
  };
}

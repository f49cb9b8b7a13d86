import { nearestNames } from "../../../../platform/text/nearest-name.ts";
import { canonical } from "../rules.ts";
import {
  type AudienceExpression,
  type AudienceNode,
  COUNT_OPERATORS,
  DEEDS_BY_CHANNEL,
  type Diagnostic,
  type EventCount,
  type EventNode,
  type FieldNode,
  MAX_CAMPAIGNS,
  MAX_CHILDREN,
  MAX_EVENT_COUNT,
  MAX_EVENT_LENGTH,
  MAX_KEY_LENGTH,
  MAX_WHERE,
  MESSAGE_CHANNELS,
  MESSAGE_DEEDS,
  type MessageChannel,
  type MessageDeed,
  type MessageNode,
  type PropertyRef,
  type TraitRef,
  USER_FIELDS,
  type UserFieldRef,
  type WhereNode,
} from "../schema.ts";
import { type DiagnosticCode, Faults, type Path } from "./diagnostics.pure.ts";
import {
  isObject,
  type JsonFields,
  own,
  readComparison,
  readTextValue,
  readWindow,
  refuseOtherKeys,
} from "./parse-value.pure.ts";

/** Kinds of nodes. */
export const NODE_KINDS = ["all", "any", "not", "field", "event", "message"] as const;
const KIND_ALIASES: Readonly<Record<string, string>> = {
  and: "all",
  or: "any",
  trait: "field",
  condition: "field",
  performed: "event",
  campaign: "message",
  email: "message",
  push: "message",
};
/** What can be done with messages, as other products write it. */
const DEED_ALIASES: Readonly<Record<string, MessageDeed>> = {
  sent: "received",
  delivered: "received",
  shown: "received",
  viewed: "received",
  exposed: "received",
  read: "opened",
  open: "opened",
  click: "clicked",
  tapped: "clicked",
  closed: "dismissed",
};
const CHANNEL_ALIASES: Readonly<Record<string, MessageChannel>> = {
  web: "web_inapp",
  in_app: "web_inapp",
  inapp: "web_inapp",
  mail: "email",
  mobile: "push",
};
const CAMPAIGN_ID = /^cmp_[0-9a-f-]{36}$/;
/** What the id of a user is called elsewhere, in small letters. */
const ID_ALIASES = ["externalid", "external_id", "externaluserid", "userid", "user_id", "uid"];

const unknownKind = (
  input: JsonFields,
  what: string,
  kinds: readonly string[],
  path: Path,
  faults: Faults,
) => {
  const kind = own(input, "kind");
  const alias =
    typeof kind === "string" && Object.hasOwn(KIND_ALIASES, kind) ? KIND_ALIASES[kind] : undefined;
  const close =
    alias !== undefined && kinds.includes(alias)
      ? [alias]
      : typeof kind === "string"
        ? nearestNames(kind, kinds)
        : [];
  const at = kind === undefined ? path : [...path, "kind"];
  return faults.add("unknown_kind", at, `The kind of ${what} must be one of ${kinds.join(", ")}.`, close);
};

/** Reads the members of a list that may be neither empty nor too long. */
function readList<Member>(
  value: unknown,
  at: Path,
  faults: Faults,
  rule: { max: number; empty: DiagnosticCode },
  read: (member: unknown, path: Path) => Member | undefined,
): Member[] | undefined {
  if (!Array.isArray(value)) return faults.add("invalid_value", at, "This must be a list.");
  if (value.length === 0) return faults.add(rule.empty, at, "This must have at least one member.");
  if (value.length > rule.max)
    return faults.add("too_many_items", at, `This must have at most ${rule.max} members.`);
  const members: Member[] = [];
  for (const [index, member] of value.entries()) {
    const found = read(member, [...at, index]);
    if (found !== undefined) members.push(found);
  }
  return members;
}

const readKey = (input: JsonFields, path: Path, faults: Faults): string | undefined => {
  refuseOtherKeys(input, ["kind", "key"], path, faults);
  return readTextValue(own(input, "key"), [...path, "key"], faults, MAX_KEY_LENGTH, 1);
};

function readUserField(input: JsonFields, path: Path, faults: Faults): UserFieldRef | undefined {
  refuseOtherKeys(input, ["kind", "field"], path, faults);
  const given = own(input, "field");
  const field = USER_FIELDS.find((known) => known === given);
  if (field !== undefined) return { kind: "user", field };
  const close =
    typeof given !== "string"
      ? []
      : ID_ALIASES.includes(given.toLowerCase())
        ? ["id"]
        : nearestNames(given, USER_FIELDS);
  const message = `field must be one of ${USER_FIELDS.join(", ")}; anything else is a trait.`;
  return faults.add("unknown_field", [...path, "field"], message, close);
}

/** Reads the field of a field node: an event_property in the `where` of an event node, else a trait, or the id or a time of the user. */
function readFieldRef(input: unknown, path: Path, faults: Faults, inWhere: boolean) {
  if (!isObject(input))
    return faults.add("invalid_value", path, "This must be an object that names a trait or a field.");
  const kind = own(input, "kind");
  const isProperty = kind === "event_property";
  if (isProperty !== inWhere && (isProperty || kind === "trait" || kind === "user")) {
    const message = inWhere
      ? "A condition of where looks at an event_property."
      : "An event_property can only be asked for in the where of an event node.";
    return faults.add("field_not_allowed", [...path, "kind"], message);
  }
  if (kind === "user") return readUserField(input, path, faults);
  if (kind !== "trait" && !isProperty)
    return unknownKind(input, "a field", inWhere ? ["event_property"] : ["trait", "user"], path, faults);
  const key = readKey(input, path, faults);
  return key === undefined ? undefined : ({ kind, key } as TraitRef | PropertyRef);
}

function readField(input: JsonFields, path: Path, faults: Faults): FieldNode | undefined {
  refuseOtherKeys(input, ["kind", "field", "op", "value"], path, faults);
  const field = readFieldRef(own(input, "field"), [...path, "field"], faults, false);
  const comparison = readComparison(input, path, faults, field);
  if (field === undefined || field.kind === "event_property" || comparison === undefined) return undefined;
  return { kind: "field", field, ...comparison };
}

function readWhere(input: unknown, path: Path, depth: number, faults: Faults): WhereNode | undefined {
  if (!faults.enter(path, depth)) return undefined;
  if (!isObject(input)) return faults.add("invalid_node", path, "A condition must be an object with a kind.");
  if (own(input, "kind") !== "field") return unknownKind(input, "a condition", ["field"], path, faults);
  refuseOtherKeys(input, ["kind", "field", "op", "value"], path, faults);
  const field = readFieldRef(own(input, "field"), [...path, "field"], faults, true);
  const comparison = readComparison(input, path, faults, field);
  if (field?.kind !== "event_property" || comparison === undefined) return undefined;
  return { kind: "field", field, ...comparison };
}

function readCount(input: unknown, path: Path, faults: Faults): EventCount | undefined {
  if (!isObject(input))
    return faults.add("invalid_count", path, 'This must be a count, such as {"op":"gte","value":3}.');
  refuseOtherKeys(input, ["op", "value"], path, faults);
  const [given, value] = [own(input, "op"), own(input, "value")];
  const op = COUNT_OPERATORS.find((known) => known === given);
  if (op === undefined) {
    const close = typeof given === "string" ? nearestNames(given, COUNT_OPERATORS) : [];
    const message = `op must be one of ${COUNT_OPERATORS.join(", ")}.`;
    return faults.add("unknown_operator", [...path, "op"], message, close);
  }
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_EVENT_COUNT)
    return { op, value };
  return faults.add(
    "invalid_count",
    [...path, "value"],
    `value must be a whole number from 0 to ${MAX_EVENT_COUNT}.`,
  );
}

/** Reads a part that may be left out: null where it is. */
const readOptional = <Part>(
  input: JsonFields,
  key: string,
  path: Path,
  read: (value: unknown, at: Path) => Part | undefined,
): Part | null | undefined => (Object.hasOwn(input, key) ? read(input[key], [...path, key]) : null);

/** At least once: what a condition without a count asks for. */
const ONCE: EventCount = { op: "gte", value: 1 };

function readEvent(input: JsonFields, path: Path, depth: number, faults: Faults): EventNode | undefined {
  refuseOtherKeys(input, ["kind", "event", "count", "window", "where"], path, faults);
  const event = readTextValue(own(input, "event"), [...path, "event"], faults, MAX_EVENT_LENGTH, 1);
  const count = readOptional(input, "count", path, (value, at) => readCount(value, at, faults));
  const window = readOptional(input, "window", path, (value, at) => readWindow(value, at, faults));
  const where = readOptional(input, "where", path, (value, at) =>
    readList(value, at, faults, { max: MAX_WHERE, empty: "empty_list" }, (member, place) =>
      readWhere(member, place, depth, faults),
    ),
  );
  if (event === undefined || count === undefined) return undefined;
  if (window === undefined || where === undefined) return undefined;
  return {
    kind: "event",
    event,
    count: count ?? ONCE,
    ...(window === null ? {} : { window }),
    ...(where === null ? {} : { where }),
  };
}

/** Reads one of some names; one that is another word for it is suggested. */
function readName<Name extends string>(
  value: unknown,
  at: Path,
  faults: Faults,
  { names, aliases }: { names: readonly Name[]; aliases: Readonly<Record<string, Name>> },
): Name | undefined {
  const found = names.find((known) => known === value);
  if (found !== undefined) return found;
  const alias = typeof value === "string" && Object.hasOwn(aliases, value) ? aliases[value] : undefined;
  const near = typeof value === "string" ? nearestNames(value, names) : [];
  const key = at.at(-1);
  return faults.add(
    "invalid_value",
    at,
    `${key} must be one of ${names.join(", ")}.`,
    alias === undefined ? near : [alias],
  );
}

function readCampaignId(value: unknown, at: Path, faults: Faults): string | undefined {
  if (typeof value === "string" && CAMPAIGN_ID.test(value)) return value;
  return faults.add("invalid_value", at, "This must be the id of a campaign, such as cmp_….");
}

function readMessage(input: JsonFields, path: Path, faults: Faults): MessageNode | undefined {
  refuseOtherKeys(input, ["kind", "did", "campaigns", "channel", "count", "window"], path, faults);
  const did = Object.hasOwn(input, "did")
    ? readName(input.did, [...path, "did"], faults, { names: MESSAGE_DEEDS, aliases: DEED_ALIASES })
    : faults.add("missing_key", path, `A message node needs did: one of ${MESSAGE_DEEDS.join(", ")}.`);
  const campaigns = readOptional(input, "campaigns", path, (value, at) =>
    readList(value, at, faults, { max: MAX_CAMPAIGNS, empty: "empty_list" }, (member, place) =>
      readCampaignId(member, place, faults),
    ),
  );
  const channel = readOptional(input, "channel", path, (value, at) =>
    readName(value, at, faults, { names: MESSAGE_CHANNELS, aliases: CHANNEL_ALIASES }),
  );
  const count = readOptional(input, "count", path, (value, at) => readCount(value, at, faults));
  const window = readOptional(input, "window", path, (value, at) => readWindow(value, at, faults));
  if (did === undefined || campaigns === undefined || channel === undefined) return undefined;
  if (count === undefined || window === undefined) return undefined;
  const deeds: readonly MessageDeed[] = channel === null ? MESSAGE_DEEDS : DEEDS_BY_CHANNEL[channel];
  if (!deeds.includes(did))
    return faults.add(
      "invalid_value",
      [...path, "did"],
      `Messages of ${channel} are only ${deeds.join(", ")}.`,
    );
  return {
    kind: "message",
    did,
    ...(campaigns === null ? {} : { campaigns }),
    ...(channel === null ? {} : { channel }),
    count: count ?? ONCE,
    ...(window === null ? {} : { window }),
  };
}

function readNode(input: unknown, path: Path, depth: number, faults: Faults): AudienceNode | undefined {
  if (!faults.enter(path, depth)) return undefined;
  if (!isObject(input)) return faults.add("invalid_node", path, "A node must be an object with a kind.");
  const kind = own(input, "kind");
  switch (kind) {
    case "all":
    case "any": {
      refuseOtherKeys(input, ["kind", "children"], path, faults);
      const rule = { max: MAX_CHILDREN, empty: "empty_group" as const };
      const children = readList(own(input, "children"), [...path, "children"], faults, rule, (child, at) =>
        readNode(child, at, depth + 1, faults),
      );
      return children === undefined ? undefined : { kind, children };
    }
    case "not": {
      refuseOtherKeys(input, ["kind", "child"], path, faults);
      const child = readNode(own(input, "child"), [...path, "child"], depth + 1, faults);
      return child === undefined ? undefined : { kind, child };
    }
    case "field":
      return readField(input, path, faults);
    case "event":
      return readEvent(input, path, depth, faults);
    case "message":
      return readMessage(input, path, faults);
    default:
      return unknownKind(input, "a node", NODE_KINDS, path, faults);
  }
}

export type Parsed =
  | { ok: true; expression: AudienceExpression }
  | { ok: false; diagnostics: readonly Diagnostic[] };

/**
 * Reads an expression of a request: answers its canonical form, or everything that is wrong with it, up to `MAX_DIAGNOSTICS`. Takes any
 * value and never throws.
 */
export function parseExpression(input: unknown): Parsed {
  const faults = new Faults();
  if (!isObject(input)) {
    faults.add("invalid_expression", [], 'An expression must be an object: {"version":1,"root":…}.');
    return { ok: false, diagnostics: faults.found };
  }
  refuseOtherKeys(input, ["version", "root"], [], faults);
  if (own(input, "version") !== 1) faults.add("unsupported_version", ["version"], "version must be 1.");
  const root = readNode(own(input, "root"), ["root"], 1, faults);
  if (root === undefined || faults.found.length > 0) return { ok: false, diagnostics: faults.found };
  return { ok: true, expression: canonical({ version: 1, root }) };
}

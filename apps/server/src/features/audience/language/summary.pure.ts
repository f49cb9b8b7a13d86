import { counted, cutAfter } from "@tidings/client/text";
import type {
  AudienceNode,
  EventCount,
  EventNode,
  FieldRef,
  MessageChannel,
  MessageNode,
  OperatorComparison,
  TraitValue,
  UserField,
  Window,
} from "./schema.ts";

const SHOWN_LENGTH = 80;
const SHOWN_MEMBERS = 5;

const quote = (value: TraitValue): string =>
  JSON.stringify(typeof value === "string" ? cutAfter(value, SHOWN_LENGTH) : value);
/** A name: unquoted if it is one plain word, else in quotes. */
const nameOf = (name: string): string => (/^[\w$.:-]+$/.test(name) ? name : quote(name));

function members(values: readonly (string | number)[], shown: (member: string | number) => string): string {
  const first = values.slice(0, SHOWN_MEMBERS).map(shown).join(", ");
  const more = values.length - SHOWN_MEMBERS;
  return more > 0 ? `${first} and ${more} more` : first;
}

function lengthOf({ amount, unit }: Window): string {
  return amount === 1 ? unit.slice(0, -1) : `${amount} ${unit}`;
}

/** A comparison in words: `is "pro"`. */
function predicate(comparison: OperatorComparison): string {
  switch (comparison.op) {
    case "eq":
      return `is ${quote(comparison.value)}`;
    case "neq":
      return `is not ${quote(comparison.value)}`;
    case "in":
      return `is one of ${members(comparison.value, quote)}`;
    case "not_in":
      return `is none of ${members(comparison.value, quote)}`;
    case "contains":
      return `contains ${quote(comparison.value)}`;
    case "starts_with":
      return `starts with ${quote(comparison.value)}`;
    case "ends_with":
      return `ends with ${quote(comparison.value)}`;
    case "gt":
      return `is more than ${comparison.value}`;
    case "gte":
      return `is at least ${comparison.value}`;
    case "lt":
      return `is less than ${comparison.value}`;
    case "lte":
      return `is at most ${comparison.value}`;
    case "exists":
      return "exists";
    case "not_exists":
      return "does not exist";
    case "before":
      return `is before ${comparison.value}`;
    case "after":
      return `is after ${comparison.value}`;
    case "within_last":
      return `is within the last ${lengthOf(comparison.value)}`;
    case "not_within_last":
      return `is not within the last ${lengthOf(comparison.value)}`;
    case "within_next":
      return `is within the next ${lengthOf(comparison.value)}`;
    case "not_within_next":
      return `is not within the next ${lengthOf(comparison.value)}`;
  }
}

const USER_SUBJECTS: Readonly<Record<UserField, string>> = {
  id: "user id",
  firstSeenAt: "first seen",
  lastSeenAt: "last seen",
};

function subject(ref: FieldRef): string {
  if (ref.kind === "user") return USER_SUBJECTS[ref.field];
  return `${ref.kind === "trait" ? "trait" : "property"} ${nameOf(ref.key)}`;
}

/** The words of each count; "at least once" needs none. */
const COUNTS: Readonly<Record<EventCount["op"], string>> = {
  eq: "exactly",
  neq: "not exactly",
  gt: "more than",
  gte: "at least",
  lt: "fewer than",
  lte: "at most",
};

/** How often, in words; nothing for "at least once". */
function timesOf({ op, value }: EventCount, what: string): string {
  return op === "gte" && value === 1 ? "" : ` ${COUNTS[op]} ${counted(value, what)}`;
}

const during = (window: Window | undefined): string =>
  window === undefined ? "" : ` in the last ${lengthOf(window)}`;

function performed({ event, count, window, where }: EventNode): string {
  const conditions = (where ?? []).map((node) => `${subject(node.field)} ${predicate(node)}`);
  // Always in parentheses: an "and" inside the event must not read like one of the tree.
  const having = conditions.length === 0 ? "" : ` where (${conditions.join(" and ")})`;
  return `performed ${nameOf(event)}${timesOf(count, "time")}${during(window)}${having}`;
}

/** How messages of a channel come. */
const BY_CHANNEL: Readonly<Record<MessageChannel, string>> = {
  web_inapp: " in the page",
  email: " by email",
  push: " by push",
};

function didWith({ did, campaigns, channel, count, window }: MessageNode): string {
  const often = timesOf(count, "message") || " a message";
  const from = campaigns === undefined ? "" : ` of ${members(campaigns, String)}`;
  return `${did}${often}${from}${channel === undefined ? "" : BY_CHANNEL[channel]}${during(window)}`;
}

/** A group whose own word differs needs parentheses inside another; one with a single child is that child. */
function within(node: AudienceNode, word: "all" | "any"): string {
  const isMixed = (node.kind === "all" || node.kind === "any") && node.children.length > 1;
  if (isMixed && node.kind !== word) return `(${summarize(node)})`;
  const [only] = node.kind === "all" || node.kind === "any" ? node.children : [];
  return only !== undefined && !isMixed ? within(only, word) : summarize(node);
}

/** An expression in words; for people, never parsed. */
export function summarize(node: AudienceNode): string {
  switch (node.kind) {
    case "all":
    case "any": {
      const { kind } = node;
      return node.children.map((child) => within(child, kind)).join(kind === "all" ? " and " : " or ");
    }
    case "not":
      return `not (${summarize(node.child)})`;
    case "field":
      return `${subject(node.field)} ${predicate(node)}`;
    case "event":
      return performed(node);
    case "message":
      return didWith(node);
  }
}

import type { Answer } from "@tidings/client";
import { isObject, type Json } from "./plain.ts";

type Capabilities = Answer<"getAudienceCapabilities">["capabilities"];
type Run = Answer<"listAgentRuns">["runs"][number];

/**
 * The publishable key of a page, which is public, brings names of events and traits. Names that fewer users have, or fewer than one in so many of
 * those that have the most frequent name, are left out.
 */
const LEAST_USERS = 20;
const ONE_IN = 100;
const MAX_NAME = 64;
/** A name as programs have them: at most three words, without what a sentence needs. */
const NAME = /^[\p{L}\p{N}$][\p{L}\p{N}_$.:/-]*(?: [\p{L}\p{N}_$.:/-]+){0,2}$/u;

const isName = (name: string): boolean => name.length <= MAX_NAME && NAME.test(name);

const leastOf = (counted: readonly { users: number }[]): number =>
  Math.max(LEAST_USERS, ...counted.map(({ users }) => users / ONE_IN));

/**
 * What a model is shown of the traits and events of a project: names that many users have, how many, and of which type. Never the value of
 * a trait; `leftOut` counts the names that are not shown.
 */
export function shownCapabilities({ expression, lifecycleFields, traits, events }: Capabilities): Json {
  const leastTraits = leastOf(traits);
  const leastEvents = leastOf(events);
  const shownTraits = traits.filter(({ key, users }) => users >= leastTraits && isName(key));
  const shownEvents = events.filter(({ name, users }) => users >= leastEvents && isName(name));
  return {
    expression,
    lifecycleFields,
    traits: shownTraits.map(({ key, types, users }) => ({ key, types, users })),
    events: shownEvents.map(({ name, users, occurrences, lastSeenAt, properties }) => ({
      name,
      users,
      occurrences,
      lastSeenAt,
      properties: properties.filter(({ key }) => isName(key)).map(({ key, types }) => ({ key, types })),
    })),
    leftOut: { traits: traits.length - shownTraits.length, events: events.length - shownEvents.length },
  };
}

/** Kinds of runs that the service writes itself about what people and it have done. */
const OF_SERVICE = ["approval", "guardrail", "launch", "warning"];
const ACTIONS = ["nothing", "update", "pause", "end", "launch"];

/** The shares that a change set, without its names and texts. */
function weightsOf(mutation: unknown): Json[] {
  const variants: unknown = isObject(mutation) ? mutation.variants : null;
  return (Array.isArray(variants) ? variants : []).flatMap((each) =>
    isObject(each) && typeof each.id === "string" && /^var_[0-9a-f-]{36}$/.test(each.id)
      ? [{ id: each.id, ...(typeof each.weight === "number" && { weight: each.weight }) }]
      : [],
  );
}

/**
 * What a model is shown of an earlier run: when, and what was decided. Whole only where the service wrote it; a run with a key may say
 * anything, so of its decision the action and the weights are shown, and no text of it.
 */
export function shownRun(run: Run): Json {
  const { kind, createdAt, rationale, output, writtenBy } = run;
  if (OF_SERVICE.includes(kind) && writtenBy === "tidings") return { kind, createdAt, rationale, output };
  const decision = isObject(output) && isObject(output.decision) ? output.decision : {};
  const action = ACTIONS.find((each) => each === decision.action) ?? null;
  return { kind: isName(kind) ? kind : "other", createdAt, action, variants: weightsOf(decision.mutation) };
}

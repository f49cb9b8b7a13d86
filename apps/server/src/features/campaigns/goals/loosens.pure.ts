import canonicalize from "canonicalize";
import { isListed } from "../../access/perimeter/hosts.pure.ts";
import { GUARDRAILS, type Guardrails, readGuardrails } from "./guardrails.pure.ts";
import { isCoveredBy } from "./phrases.pure.ts";
import type { Goal } from "./schema.ts";

/** What of a goal says what its campaigns and agents may do. */
export type GoalTerms = Pick<
  Goal,
  "guardrails" | "approvalMode" | "targetEvent" | "attributionDays" | "holdoutPercent" | "status"
>;

/** The terms of a goal that was not made yet: it allows agents nothing. */
export const NO_TERMS: GoalTerms = {
  guardrails: null,
  approvalMode: "require_human",
  targetEvent: null,
  attributionDays: 7,
  holdoutPercent: 0,
  status: "active",
};

/** Whether two values are the same JSON, in whatever order of keys. */
const isSame = (one: unknown, other: unknown): boolean => canonicalize(one) === canonicalize(other);

/** Whether a limit that there was allows more than before; `after` is undefined where it was taken away. */
type Loosens<Value> = (before: Value, after: Value | undefined, now: number) => boolean;

const most: Loosens<number> = (before, after) => after === undefined || after > before;
const least: Loosens<number> = (before, after) => after === undefined || after < before;

/** How each limit becomes looser. A further guardrail has to say it here; what is asked of none of these is looser by any change. */
const LOOSENS: { readonly [Key in keyof Guardrails]?: Loosens<NonNullable<Guardrails[Key]>> } = {
  maxActiveCampaigns: most,
  maxUnsubscribeRate: most,
  maxComplaintRate: most,
  errorBudget: most,
  minConversionRate: least,
  minControlShare: least,
  // An instant that is over keeps nothing from beginning.
  quietUntil: (before, after, now) => before > now && least(before, after, now),
  forbiddenPhrases: (before, after = []) => before.some((phrase) => !isCoveredBy(phrase, after)),
  allowedHosts: (before, after) => after === undefined || after.some((host) => !isListed(before, host)),
};

/** Whether the guardrail of one name allows more than before. */
function limitLoosens(name: keyof Guardrails, before: Guardrails, after: Guardrails, now: number): boolean {
  const was = before[name];
  if (was === undefined) return false;
  // The value and the rule are of the same name, which the lookup forgets.
  const rule = LOOSENS[name] as Loosens<unknown> | undefined;
  return rule === undefined ? !isSame(was, after[name]) : rule(was, after[name], now);
}

/** Whether some guardrails allow more than others. `now` is epoch milliseconds. */
function guardrailsLoosen(before: Goal["guardrails"], after: Goal["guardrails"], now: number): boolean {
  const [was, is] = [before ?? {}, after ?? {}];
  if (isSame(was, is)) return false;
  const [read, written] = [readGuardrails(was), readGuardrails(is)];
  // A limit that cannot be read allows no launch at all, so that any other one is looser.
  if ("fault" in read || "fault" in written) return true;
  if (GUARDRAILS.some((name) => limitLoosens(name, read.limits, written.limits, now))) return true;
  // What Tidings does not enforce means something to those who wrote it: a further word is a further limit, another one may be any.
  const known: readonly string[] = GUARDRAILS;
  const free = Object.entries(was).filter(([name]) => !known.includes(name));
  return free.some(([name, value]) => !isSame(value, is[name] ?? null));
}

/** Whether a limit, or an agent that decides alone, goes by what is counted of the goal. */
const goesByCounts = ({ guardrails, approvalMode }: GoalTerms): boolean =>
  approvalMode === "auto" || ["minConversionRate", "errorBudget"].some((name) => name in (guardrails ?? {}));

/**
 * Whether a change of a goal allows its campaigns or agents more than before. What is counted (event, window) is no limit itself, but another
 * one moves what goes by it. A smaller holdout puts users in. `now` is epoch milliseconds.
 */
export function loosens(before: GoalTerms, after: GoalTerms, now: number): boolean {
  const isCountedOtherwise =
    before.targetEvent !== after.targetEvent || before.attributionDays !== after.attributionDays;
  return (
    (before.approvalMode !== "auto" && after.approvalMode === "auto") ||
    (before.status === "archived" && after.status === "active" && after.approvalMode === "auto") ||
    after.holdoutPercent < before.holdoutPercent ||
    (isCountedOtherwise && goesByCounts(before)) ||
    guardrailsLoosen(before.guardrails, after.guardrails, now)
  );
}

import type { Answer, Input } from "@tidings/client";
import type { Goal } from "../../platform/api-types.ts";
import { GUARDRAIL_KINDS, isGuardrail } from "../../ui/guardrails/kinds.ts";
import { fieldsOf, type GuardrailTexts, guardrailsFrom } from "./guardrails.ts";

export type EnforcedLimits = Answer<"getGoalLimits">;
export type GoalStatus = Goal["status"];
export type ApprovalMode = Goal["approvalMode"];

export const GOAL_STATUSES: readonly GoalStatus[] = ["active", "archived"];

/** A goal as a person writes it. `base` is the goal that it began with, as it was then; null for a new one. Numbers are as typed. */
export type GoalDraft = {
  name: string;
  description: string;
  targetEvent: string;
  approvalMode: ApprovalMode;
  attributionDays: string;
  holdoutPercent: string;
  guardrails: GuardrailTexts;
  base: Goal | null;
};

export const newGoalDraft = (): GoalDraft => ({
  name: "",
  description: "",
  targetEvent: "",
  approvalMode: "require_human",
  attributionDays: "7",
  holdoutPercent: "0",
  guardrails: fieldsOf(null),
  base: null,
});

export const draftFromGoal = (goal: Goal): GoalDraft => ({
  name: goal.name,
  description: goal.description ?? "",
  targetEvent: goal.targetEvent ?? "",
  approvalMode: goal.approvalMode,
  attributionDays: String(goal.attributionDays),
  holdoutPercent: String(goal.holdoutPercent),
  guardrails: fieldsOf(goal.guardrails),
  base: goal,
});

type NewBody = Input<"createGoal">["body"];
type Change = Input<"updateGoal">["body"];

/** A number as typed; a text that is none goes as it is, so that the server says what it has to be. */
function numberIn(text: string): number {
  const number = Number(text);
  return text.trim() === "" || Number.isNaN(number) ? (text as unknown as number) : number;
}

/** The fields of a goal that a draft says, as a request has them. */
function settingsOf(draft: GoalDraft): Required<Omit<NewBody, "guardrails">> {
  const { name, description, targetEvent, approvalMode } = draft;
  return {
    name,
    description: description || null,
    targetEvent: targetEvent.trim() || null,
    approvalMode,
    attributionDays: numberIn(draft.attributionDays),
    holdoutPercent: numberIn(draft.holdoutPercent),
  };
}

/** The request that makes a goal; null where the other keys of its guardrails cannot be read. */
export function goalBody(draft: GoalDraft): NewBody | null {
  const read = guardrailsFrom(draft.guardrails, null, null);
  if ("fault" in read) return null;
  const { guardrails } = read;
  return { ...settingsOf(draft), ...(guardrails !== null && { guardrails }) };
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Whether guardrails are the same, in whatever order they stand. */
const areSame = (one: Goal["guardrails"], other: Goal["guardrails"]): boolean => {
  const sorted = (limits: Goal["guardrails"]) => Object.entries(limits ?? {}).sort();
  return isSame(sorted(one), sorted(other)) && (one === null) === (other === null);
};

const emptyAsNull = (guardrails: Goal["guardrails"]): Goal["guardrails"] =>
  Object.keys(guardrails ?? {}).length === 0 ? null : guardrails;

/**
 * What a person changed of a goal since they began, to be changed in the goal as it is now; null where nothing differs, or where the
 * other keys of its guardrails cannot be read.
 */
export function goalPatch(draft: GoalDraft, now: Goal): Change | null {
  const base = draft.base ?? now;
  const read = guardrailsFrom(draft.guardrails, base.guardrails, now.guardrails);
  if ("fault" in read) return null;
  const before = settingsOf(draftFromGoal(base));
  const after = settingsOf(draft);
  const names = Object.keys(after) as (keyof typeof after)[];
  const fields = names.filter((name) => !isSame(before[name], after[name]));
  const change: Change = {
    ...Object.fromEntries(fields.map((name) => [name, after[name]])),
    ...(!areSame(read.guardrails, emptyAsNull(now.guardrails)) && { guardrails: read.guardrails }),
  };
  return Object.keys(change).length === 0 ? null : change;
}

/** What is written in a field of a goal's form, by its name or that of a limit. */
export function typedIn({ guardrails, ...fields }: GoalDraft, field: string): string {
  if (field === "others") return guardrails.others;
  const texts: Readonly<Record<string, unknown>> = { ...guardrails.limits, ...fields };
  return String(texts[field] ?? "");
}

/** Whether a field contains words, which are compared one by one; the others contain a number, an instant or a choice. */
export const isText = (field: string): boolean =>
  isGuardrail(field)
    ? GUARDRAIL_KINDS[field] === "phrases"
    : ["name", "description", "targetEvent", "others"].includes(field);

/** Fields that another person has changed since a person began, and that the person has changed as well, to something else. */
export function overlapOf(draft: GoalDraft, now: Goal): string[] {
  const { base } = draft;
  if (base === null) return [];
  const [was, theirs] = [draftFromGoal(base), draftFromGoal(now)];
  const names = [
    "name",
    "description",
    "targetEvent",
    "approvalMode",
    "attributionDays",
    "holdoutPercent",
  ] as const;
  const isBoth = (before: unknown, now: unknown, mine: unknown): boolean =>
    before !== now && before !== mine && now !== mine;
  const fields: string[] = names.filter((name) => isBoth(was[name], theirs[name], draft[name]));
  const limits = Object.entries(draft.guardrails.limits).flatMap(([key, text]) => {
    const limitsOf = ({ guardrails }: GoalDraft): string | undefined =>
      (guardrails.limits as Readonly<Record<string, string>>)[key];
    return isBoth(limitsOf(was), limitsOf(theirs), text) ? [key] : [];
  });
  const isOthers = isBoth(was.guardrails.others, theirs.guardrails.others, draft.guardrails.others);
  return [...fields, ...limits, ...(isOthers ? ["others"] : [])];
}

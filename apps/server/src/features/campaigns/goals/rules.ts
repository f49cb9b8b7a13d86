import type { Goal } from "./schema.ts";

type Briefly = Partial<Omit<Goal, "id" | "revision" | "createdAt">>;

/** What the audit log says of a goal that was made: what is set of it. */
export function brieflyOf({ id: _, createdAt: __, status: ___, revision: ____, ...set }: Goal): Briefly {
  const { description, targetEvent, guardrails, ...always } = set;
  return {
    ...always,
    ...(description !== null && { description }),
    ...(targetEvent !== null && { targetEvent }),
    ...(guardrails !== null && { guardrails }),
  };
}

/** The guardrails of one side of which the other one has no equal. */
function differing(one: Goal["guardrails"], other: Goal["guardrails"]): Record<string, unknown> {
  const differs = ([name, value]: [string, unknown]): boolean =>
    JSON.stringify(value) !== JSON.stringify(other?.[name]);
  return Object.fromEntries(Object.entries(one ?? {}).filter(differs));
}

/** What differs between a goal and what became of it, for the audit log; null where nothing does. */
export function goalDifference(before: Goal, after: Goal): { before: Briefly; after: Briefly } | null {
  const names = [
    "name",
    "description",
    "targetEvent",
    "approvalMode",
    "attributionDays",
    "holdoutPercent",
  ] as const;
  const changed = [...names, "status" as const].filter((name) => before[name] !== after[name]);
  const pick = (goal: Goal, other: Goal): Briefly => {
    const limits = differing(goal.guardrails, other.guardrails);
    return {
      ...Object.fromEntries(changed.map((name) => [name, goal[name]])),
      ...(Object.keys(limits).length > 0 && { guardrails: limits }),
    };
  };
  const change = { before: pick(before, after), after: pick(after, before) };
  return Object.keys({ ...change.before, ...change.after }).length === 0 ? null : change;
}

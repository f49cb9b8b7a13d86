import { numberOf, percentOf } from "../../platform/figures.ts";
import { timeOf } from "../../platform/times.ts";
import { GUARDRAIL_KINDS, isGuardrail } from "./kinds.ts";
import { words } from "./words.ts";

/** What people call a limit of a goal. */
export const guardrailName = (key: string): string => (isGuardrail(key) ? words.names[key] : key);

/** What a limit allows and what there is now, as they stand beside each other. Of what is forbidden altogether there is none, or some. */
export function guardrailCells(
  key: string,
  { limit, observed }: { limit: number | null; observed: number | null },
  none?: string,
): [string, string] {
  const found = key === "forbiddenPhrases" || key === "allowedHosts" ? words.found[key] : null;
  if (found === null || observed === null)
    return [guardrailAmount(key, limit, none), guardrailAmount(key, observed)];
  return [found.none, observed === 0 ? found.none : found.some(observed)];
}

/** A limit or what there is, in the unit of the guardrail. @param none stands in place of null */
export function guardrailAmount(key: string, value: number | null, none: string = words.notCounted): string {
  if (value === null) return none;
  const kind = isGuardrail(key) ? GUARDRAIL_KINDS[key] : "count";
  if (kind === "instant") return timeOf(value);
  return kind === "percent" ? percentOf(value) : numberOf(value);
}

import { numberOf, percentOf } from "../../platform/figures.ts";
import { timeOf } from "../../platform/times.ts";
import { isGuardrail, KINDS } from "./kinds.ts";
import { words } from "./words.ts";

/** What people call a limit of a goal. */
export const guardrailName = (key: string): string => (isGuardrail(key) ? words.names[key] : key);

/** A limit or what there is, in the unit of the guardrail. @param none stands in place of null */
export function guardrailAmount(key: string, value: number | null, none: string = words.notCounted): string {
  if (value === null) return none;
  const kind = isGuardrail(key) ? KINDS[key] : "count";
  if (kind === "instant") return timeOf(value);
  return kind === "percent" ? percentOf(value) : numberOf(value);
}

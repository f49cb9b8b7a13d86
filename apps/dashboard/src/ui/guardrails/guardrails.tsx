import { numberOf, percentOf } from "../../platform/figures.ts";
import { timeOf } from "../../platform/times.ts";
import { Rows } from "../rows.tsx";
import { words } from "./words.ts";

type Reading = { key: string; limit: number | null; observed: number | null };

const RATES = [
  "maxUnsubscribeRate",
  "maxComplaintRate",
  "minConversionRate",
  "minControlShare",
  "errorBudget",
];

/** The name of a limit of a goal. */
export const guardrailName = (key: string): string => words.guardrails[key] ?? key;

/** A limit or what there is, in the unit of the guardrail. @param none stands in place of null */
export function guardrailAmount(key: string, value: number | null, none: string = words.notCounted): string {
  if (value === null) return none;
  if (key === "quietUntil") return timeOf(value);
  return RATES.includes(key) ? percentOf(value) : numberOf(value);
}

/** The limits of a goal and what there is now; nothing where it has none. */
export function Guardrails({ of }: { of: readonly Reading[] }) {
  if (of.length === 0) return null;
  return (
    <Rows
      heads={[words.guardrail, words.limit, words.now]}
      rows={of.map(({ key, limit, observed }) => ({
        id: key,
        cells: [
          guardrailName(key),
          guardrailAmount(key, limit, words.unreadable),
          guardrailAmount(key, observed),
        ],
      }))}
    />
  );
}

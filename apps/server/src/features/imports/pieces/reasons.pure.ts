import { MOST_REASONS, type RefusalReason } from "../schema.ts";
import type { Judged } from "./judge.ts";

/** What all reasons count as that are one too many. */
const OTHERS: Pick<RefusalReason, "reason" | "field" | "text"> = {
  reason: "others",
  field: "",
  text: "further reasons",
};

/** The reasons of an import with those of another piece, the most frequent first. Each line counts once for a reason. */
export function countReasons(
  before: readonly RefusalReason[],
  { outcomes, lines }: Pick<Judged, "outcomes" | "lines">,
): RefusalReason[] {
  const counts = new Map(before.map((each) => [`${each.reason} ${each.field}`, { ...each }]));
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome === null || typeof outcome === "string") continue;
    const line = lines[index] ?? 1;
    const kinds = new Map(outcome.map((fault) => [`${fault.rule} ${fault.field}`, fault]));
    for (const [key, { rule, field, text }] of kinds) {
      const isRoom = counts.has(key) || counts.size < MOST_REASONS - 1;
      const kind = isRoom ? { reason: rule, field, text } : OTHERS;
      const name = isRoom ? key : `${OTHERS.reason} ${OTHERS.field}`;
      const known = counts.get(name);
      if (known === undefined) counts.set(name, { ...kind, count: 1, firstLine: line });
      else known.count++;
    }
  }
  return [...counts.values()].sort((a, b) => b.count - a.count || a.firstLine - b.firstLine);
}

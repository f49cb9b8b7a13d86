import { Rows } from "../rows.tsx";
import { guardrailCells, guardrailName } from "./names.ts";
import { words } from "./words.ts";

type Reading = { key: string; limit: number | null; observed: number | null };

/** The limits of a goal and what there is now; nothing where it has none. */
export function Guardrails({ of }: { of: readonly Reading[] }) {
  if (of.length === 0) return null;
  return (
    <Rows
      heads={[words.guardrail, words.limit, words.now]}
      rows={of.map(({ key, limit, observed }) => ({
        id: key,
        cells: [guardrailName(key), ...guardrailCells(key, { limit, observed }, words.unreadable)],
      }))}
    />
  );
}

import { Rows } from "../lists/rows.tsx";
import { hasGuardrail } from "./kinds.ts";
import { guardrailCells, guardrailName } from "./names.ts";
import { words } from "./words.ts";

type Reading = { key: string; limit: number | null; observed: number | null };

type Props = { readings: readonly Reading[]; channel: Parameters<typeof hasGuardrail>[0] };

/** The limits of a goal that a campaign of a channel can reach, and what there is now; nothing where there are none. */
export function Guardrails({ readings, channel }: Props) {
  const own = readings.filter(({ key }) => hasGuardrail(channel, key));
  if (own.length === 0) return null;
  return (
    <Rows
      heads={[words.guardrail, words.limit, words.now]}
      rows={own.map(({ key, limit, observed }) => ({
        id: key,
        cells: [guardrailName(key), ...guardrailCells(key, { limit, observed }, words.unreadable)],
      }))}
    />
  );
}

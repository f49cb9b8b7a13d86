import { assess, type Facts } from "../launch/rules.ts";
import { MOST_COUNTED, MOST_NAMED } from "./schema.ts";

/** What is missing that only people can do about a draft, and that keeps nothing else from being done. */
const OF_PEOPLE = new Set(["manual", "approval"]);
/** What makes a launch pointless. */
const IS_OVER = new Set(["withdrawn", "expired"]);

/**
 * What a draft that announces changes waits for people to do: to allow that it launches by itself, or, where campaigns are launched by
 * people, to launch it once its changes are live. Null where it waits for something else.
 */
export function stepOf(facts: Facts): "approve" | "launch" | null {
  const { state, blockers } = assess(facts);
  if (state === "not_initial" || blockers.some(({ code }) => IS_OVER.has(code))) return null;
  if (facts.mode === "automatic") return facts.isApproved ? null : "approve";
  return blockers.every(({ code }) => OF_PEOPLE.has(code)) ? "launch" : null;
}

/** Things of one kind as the answer names them: how many, and the first few. */
export const kindOf = <Row, Item>(rows: readonly Row[], toItem: (row: Row) => Item, count = rows.length) => ({
  count: Math.min(count, MOST_COUNTED),
  items: rows.slice(0, MOST_NAMED).map(toItem),
});

/** What the last look at each campaign (by UUID) found, and when that was (epoch ms). */
export type SplitLooks = ReadonlyMap<string, { isBroken: boolean; lookedAt: number }>;

type Looking = { now: number; isLate: () => boolean; look: (id: string) => Promise<boolean> };

/**
 * Looks at campaigns one after the other, first at those that were never looked at, then at those whose look is the oldest, until it is
 * late; at one at least. The others keep what was found before, and campaigns that are not named any more are forgotten.
 */
export async function lookInTurn(
  ids: readonly string[],
  before: SplitLooks,
  { now, isLate, look }: Looking,
): Promise<SplitLooks> {
  const ageOf = (id: string): number => before.get(id)?.lookedAt ?? Number.NEGATIVE_INFINITY;
  const looks = new Map([...before].filter(([id]) => ids.includes(id)));
  for (const id of ids.toSorted((a, b) => (ageOf(a) === ageOf(b) ? 0 : ageOf(a) - ageOf(b)))) {
    looks.set(id, { isBroken: await look(id), lookedAt: now });
    if (isLate()) break;
  }
  return looks;
}

import type { ComparisonVerdict, Estimate } from "./compare.pure.ts";

/** What a rule that only claims what it knows would do with a campaign. `variantId` is the one to ship; `retire` are live and worse. */
export type Recommendation = {
  action: "blocked" | "ship" | "keep_control" | "continue";
  variantId: string | null;
  retire: string[];
};

/** A variant beside the control that users still get, with what its comparison says; null where it has none. */
export type Contender = {
  variantId: string;
  comparison: { relative: Pick<Estimate, "lower">; verdict: ComparisonVerdict } | null;
};

/** The first that applies: a broken split blocks, a better variant ships, all worse or similar keep the control, else it goes on. */
export function recommend(live: readonly Contender[], isSplitBroken: boolean): Recommendation {
  const verdictOf = ({ comparison }: Contender): ComparisonVerdict => comparison?.verdict ?? "undecided";
  const lowerOf = ({ comparison }: Contender): number => comparison?.relative.lower ?? -1;
  if (isSplitBroken) return { action: "blocked", variantId: null, retire: [] };
  const retire = live.filter((each) => verdictOf(each) === "worse").map(({ variantId }) => variantId);
  const [best] = live
    .filter((each) => verdictOf(each) === "better")
    .sort((a, b) => lowerOf(b) - lowerOf(a) || (a.variantId < b.variantId ? -1 : 1));
  if (best !== undefined) return { action: "ship", variantId: best.variantId, retire };
  const isOver = live.length > 0 && live.every((each) => ["worse", "similar"].includes(verdictOf(each)));
  return { action: isOver ? "keep_control" : "continue", variantId: null, retire };
}

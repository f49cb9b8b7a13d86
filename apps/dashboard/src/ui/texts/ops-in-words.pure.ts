import { type WordOp, wordOps } from "@tidings/client/word-ops";

type Ops = readonly WordOp[];

const without = (ops: Ops, left: WordOp["op"]): string =>
  ops.flatMap(({ op, words }) => (op === left ? [] : [words])).join("");

/** The text before and the one after. */
export const textsOf = (ops: Ops): [string, string] => [without(ops, "insert"), without(ops, "delete")];

/**
 * What becomes of each word of two texts, once both are written otherwise. Word by word that cannot be done: an id is several words, of
 * which some may stay while the others go.
 */
export function opsInWords(ops: Ops, written: (text: string) => string): Ops {
  const [before, after] = textsOf(ops);
  const [old, next] = [written(before), written(after)];
  return old === before && next === after ? ops : wordOps(old, next);
}

/** What happens to some words. */
export type WordOp = { op: "keep" | "delete" | "insert"; words: string };

/** Words with the white space that follows them, so that joined they are the text again. */
const wordsOf = (text: string): string[] => text.match(/\S+\s*|\s+/g) ?? [];

/** More than this many pairs of words are not compared: the whole text is then replaced. */
const MAX_PAIRS = 1_000_000;

/**
 * What becomes of each word between two texts: the longest common sequence of words stays (dynamic programming, as in Wagner and
 * Fischer 1974). What is kept or deleted, joined, is the text before; what is kept or inserted is the one after.
 */
export function wordOps(before: string, after: string): WordOp[] {
  const [a, b] = [wordsOf(before), wordsOf(after)];
  if (a.length * b.length > MAX_PAIRS) return merged([...a.map(deleted), ...b.map(inserted)]);
  // lengths[i][j]: the longest common sequence of what follows from word i and from word j.
  const lengths = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    const row = lengths[i] ?? [];
    for (let j = b.length - 1; j >= 0; j--)
      row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  }
  const ops: WordOp[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const [was, is] = [a[i], b[j]];
    if (was !== undefined && was === is) {
      ops.push({ op: "keep", words: was });
      i++;
      j++;
    } else if (was !== undefined && (is === undefined || at(i + 1, j) >= at(i, j + 1))) {
      ops.push(deleted(was));
      i++;
    } else if (is !== undefined) {
      ops.push(inserted(is));
      j++;
    }
  }
  return merged(ops);
}

const deleted = (words: string): WordOp => ({ op: "delete", words });
const inserted = (words: string): WordOp => ({ op: "insert", words });

/** The same with neighbours of one kind as one. */
function merged(ops: readonly WordOp[]): WordOp[] {
  const joined: WordOp[] = [];
  for (const { op, words } of ops) {
    const last = joined.at(-1);
    if (last?.op === op) last.words += words;
    else joined.push({ op, words });
  }
  return joined;
}

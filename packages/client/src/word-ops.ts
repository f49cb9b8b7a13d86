/** What happens to some words. */
export type WordOp = { op: "keep" | "delete" | "insert"; words: string };

/**
 * What counts as one word, whatever is in it: a personal field, and a link, which may have one in it. The dot that ends a sentence is no
 * part of the link.
 */
const WHOLE =
  /(\{\{[^{}]*\}\}|\b[a-z][a-z0-9+.-]{0,20}:\/\/(?:\{\{[^{}]*\}\}|[^\s<>()[\]"])+(?<![.,;:!?']))/iu;
const segmenter = new Intl.Segmenter("en", { granularity: "word" });

/** An underscore is a part of a word for Unicode, and a mark of its own in Markdown. */
const splitUnderscores = (word: string): string[] => word.split(/(_)/).filter((piece) => piece !== "");

/** The words of a text, its marks, emoji and white space each apart, so that joined they are the text again. */
const wordsOf = (text: string): string[] =>
  text
    .split(WHOLE)
    // What the pattern has found stands in every second place.
    .flatMap((part, index) =>
      index % 2 === 1
        ? [part]
        : Array.from(segmenter.segment(part), ({ segment }) => segment).flatMap(splitUnderscores),
    );

/** More than this many pairs of words are not compared: the whole of what differs is then replaced. */
const MAX_PAIRS = 4_000_000;

/** One word that stays is worth more than the marks and blanks around another one. */
const weightOf = (word: string): number => (/^[\s\p{P}]*$/u.test(word) ? 1 : 4);

/** How many words two texts have in common at their beginning. */
function commonLength(one: readonly string[], other: readonly string[]): number {
  const end = one.findIndex((word, index) => word !== other[index]);
  return end < 0 ? one.length : end;
}

/**
 * What becomes of each word between two texts: the heaviest common sequence of words stays (dynamic programming, as in Wagner and
 * Fischer 1974). What is kept or deleted, joined, is the text before; what is kept or inserted is the one after.
 */
export function wordOps(before: string, after: string): WordOp[] {
  const [a, b] = [wordsOf(before), wordsOf(after)];
  const head = commonLength(a, b);
  const tail = commonLength(a.slice(head).reverse(), b.slice(head).reverse());
  const middle = opsBetween(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  return withJoinedBlanks(
    movedForward([...a.slice(0, head).map(kept), ...middle, ...a.slice(a.length - tail, a.length).map(kept)]),
  );
}

/** Each word by a number, the same for the same word: numbers are compared much faster. */
function numbered(words: readonly string[], known: Map<string, number>): Uint32Array {
  return Uint32Array.from(words, (word) => {
    const number = known.get(word) ?? known.size;
    known.set(word, number);
    return number;
  });
}

/**
 * The weight of the heaviest common sequence of what follows from word i of `a` and from word j of `b`, at i * (b.length + 1) + j. Up to
 * MAX_PAIRS are computed while the event loop waits, so it is plain arithmetic on numbers: 4,000,000 take some 40 ms.
 */
function weightsOf(a: readonly string[], b: readonly string[]): Uint32Array {
  const width = b.length + 1;
  const weights = new Uint32Array((a.length + 1) * width);
  const known = new Map<string, number>();
  const [ofA, ofB] = [numbered(a, known), numbered(b, known)];
  for (let i = a.length - 1; i >= 0; i--) {
    const [word, weight] = [ofA[i], weightOf(a[i] ?? "")];
    for (let j = b.length - 1, at = i * width + j; j >= 0; j--, at--) {
      const down = weights[at + width] ?? 0;
      const right = weights[at + 1] ?? 0;
      const both = word === ofB[j] ? (weights[at + width + 1] ?? 0) + weight : 0;
      const heavier = Math.max(down, right);
      weights[at] = Math.max(both, heavier);
    }
  }
  return weights;
}

function opsBetween(a: readonly string[], b: readonly string[]): WordOp[] {
  if (a.length * b.length > MAX_PAIRS) return [...a.map(deleted), ...b.map(inserted)];
  const weights = weightsOf(a, b);
  const weightAt = (i: number, j: number): number =>
    i > a.length || j > b.length ? 0 : (weights[i * (b.length + 1) + j] ?? 0);
  const ops: WordOp[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const [was, is] = [a[i], b[j]];
    if (was !== undefined && was === is && weightAt(i, j) === weightAt(i + 1, j + 1) + weightOf(was)) {
      ops.push(kept(was));
      i++;
      j++;
    } else if (was !== undefined && (is === undefined || weightAt(i + 1, j) >= weightAt(i, j + 1))) {
      ops.push(deleted(was));
      i++;
    } else if (is !== undefined) {
      ops.push(inserted(is));
      j++;
    }
  }
  return ops;
}

const kept = (words: string): WordOp => ({ op: "keep", words });
const deleted = (words: string): WordOp => ({ op: "delete", words });
const inserted = (words: string): WordOp => ({ op: "insert", words });

/**
 * The same with words that only come, or only go, as late as they can: `"pro"` becomes `"pro", "team"` by `, "team"`, and not by
 * `", "team`, although both are as short.
 */
function movedForward(ops: readonly WordOp[]): WordOp[] {
  const moved = [...ops];
  for (let from = 0; from < moved.length; from++) {
    const op = moved[from]?.op;
    const isAlone = from === 0 || moved[from - 1]?.op === "keep";
    if (op === undefined || op === "keep" || !isAlone) continue;
    let to = from;
    while (moved[to]?.op === op) to++;
    for (; moved[to]?.op === "keep" && moved[from]?.words === moved[to]?.words; from++, to++) {
      const words = moved[to]?.words ?? "";
      moved[from] = kept(words);
      moved[to] = { op, words };
    }
    from = to;
  }
  return moved;
}

/** A stretch of a text that stays, and what takes the place of what after it. */
type Stretch = { keep: string; gone: string; come: string };

function stretchesOf(ops: readonly WordOp[]): Stretch[] {
  const stretches: Stretch[] = [];
  for (const { op, words } of ops) {
    const last = stretches.at(-1);
    if (op === "keep" && last !== undefined && last.gone === "" && last.come === "") last.keep += words;
    else if (op === "keep" || last === undefined)
      stretches.push({
        keep: op === "keep" ? words : "",
        gone: op === "delete" ? words : "",
        come: op === "insert" ? words : "",
      });
    else if (op === "delete") last.gone += words;
    else last.come += words;
  }
  return stretches;
}

const isReplaced = ({ gone, come }: Stretch): boolean => gone !== "" && come !== "";

/** The same with neighbours of one kind as one. A blank that stays between two replaced words is replaced with them: they are read as one. */
function withJoinedBlanks(ops: readonly WordOp[]): WordOp[] {
  const joined: Stretch[] = [];
  for (const stretch of stretchesOf(ops)) {
    const last = joined.at(-1);
    const isBlank = /^\s+$/.test(stretch.keep);
    if (last !== undefined && isBlank && isReplaced(last) && isReplaced(stretch)) {
      last.gone += stretch.keep + stretch.gone;
      last.come += stretch.keep + stretch.come;
    } else joined.push(stretch);
  }
  return joined.flatMap(({ keep, gone, come }) =>
    [kept(keep), deleted(gone), inserted(come)].filter(({ words }) => words !== ""),
  );
}

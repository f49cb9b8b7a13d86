const MAX_SUGGESTIONS = 3;
/** Longer names are not compared: a reader could not see a typing error in them. */
const MAX_LENGTH = 128;
/** Names that are compared letter by letter, those of the nearest length first. */
const MAX_COMPARED = 500;
/** With more edits than these it is another name, however long it is. */
const MAX_EDITS = 5;

// Some letters are longer in lower case.
/** A name without what people write differently: case, blanks, `_`, `.` and `-`. */
export const spelling = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[\s_.-]/g, "")
    .slice(0, MAX_LENGTH);

/** Three rows are enough: a swap of neighbours looks two rows back. Reused, so that a comparison makes no garbage. */
const rows = [new Uint8Array(MAX_LENGTH + 2), new Uint8Array(MAX_LENGTH + 2), new Uint8Array(MAX_LENGTH + 2)];

/**
 * Edits (insert, delete, replace, swap neighbours) between two texts of at most 128 characters; `limit` when there are that many
 * or more. Only the band of cells is filled in that fewer edits can reach, and it ends with the first row that is all beyond.
 */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let [before, last, row] = rows as [Uint8Array, Uint8Array, Uint8Array];
  for (let j = 0; j <= b.length; j++) last[j] = Math.min(j, limit);
  for (let i = 1; i <= a.length; i++) {
    const from = Math.max(1, i - limit + 1);
    const to = Math.min(b.length, i + limit - 1);
    row[from - 1] = from === 1 ? Math.min(i, limit) : limit;
    let least = row[from - 1] ?? limit;
    for (let j = from; j <= to; j++) {
      const replaced = (last[j - 1] ?? limit) + (a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1);
      let edits = Math.min(replaced, (last[j] ?? limit) + 1, (row[j - 1] ?? limit) + 1, limit);
      if (
        i > 1 &&
        j > 1 &&
        a.charCodeAt(i - 1) === b.charCodeAt(j - 2) &&
        a.charCodeAt(i - 2) === b.charCodeAt(j - 1)
      )
        edits = Math.min(edits, (before[j - 2] ?? limit) + 1);
      row[j] = edits;
      least = Math.min(least, edits);
    }
    // The next row looks one cell beyond this band.
    row[to + 1] = limit;
    if (least >= limit) return limit;
    [before, last, row] = [last, row, before];
  }
  return last[b.length] ?? limit;
}

/** The candidates whose length is nearest to that of a name, within `reach`, at most `MAX_COMPARED`. */
function ofNearLength(name: string, known: Iterable<string>, reach: number): string[] {
  const byDifference: string[][] = Array.from({ length: reach + 1 }, () => []);
  for (const candidate of known)
    if (candidate.length <= MAX_LENGTH && candidate !== name)
      byDifference[Math.abs(candidate.length - name.length)]?.push(candidate);
  return byDifference.flat().slice(0, MAX_COMPARED);
}

/**
 * The known names that may have been meant: the closest, at most 3, within about a third of the name's length and never more than
 * 4 edits; case, spaces and `_ . -` do not count. Takes a few milliseconds at most, however many names are known.
 */
export function nearestNames(name: string, known: Iterable<string>): string[] {
  if (name.length > MAX_LENGTH) return [];
  const wanted = spelling(name);
  const limit = Math.min(Math.max(2, Math.ceil(wanted.length / 3) + 1), MAX_EDITS);
  let least = limit;
  let close: string[] = [];
  // Separators that were added or left out change the length too.
  for (const candidate of ofNearLength(name, known, 3 * limit)) {
    const edits = distance(wanted, spelling(candidate), Math.min(least + 1, limit));
    if (edits >= limit || edits > least) continue;
    if (edits < least) close = [];
    least = edits;
    close.push(candidate);
  }
  return close.sort((a, b) => (a < b ? -1 : 1)).slice(0, MAX_SUGGESTIONS);
}

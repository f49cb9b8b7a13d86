/** Edits (insert, delete, replace, swap neighbours) between two texts; `limit` when there are that many or more. */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let edits = Math.min(replaced, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        edits = Math.min(edits, (before[j - 2] ?? 0) + 1);
      row.push(edits);
    }
    before = last;
    last = row;
  }
  return Math.min(last[b.length] ?? 0, limit);
}

const MAX_SUGGESTIONS = 3;
const MAX_LENGTH = 128;

const spelling = (name: string): string => name.toLowerCase().replaceAll(/[\s_.-]/g, "");

/** The known names that someone may have meant: the closest, at most 3, within edits of about a third of the length. */
export function nearest(name: string, known: Iterable<string>): string[] {
  if (name.length > MAX_LENGTH) return [];
  const wanted = spelling(name);
  const limit = Math.max(2, Math.ceil(wanted.length / 3) + 1);
  const close: { candidate: string; edits: number }[] = [];
  for (const candidate of known) {
    if (candidate.length > MAX_LENGTH) continue;
    const edits = distance(wanted, spelling(candidate), limit);
    if (edits < limit && candidate !== name) close.push({ candidate, edits });
  }
  const least = Math.min(...close.map(({ edits }) => edits));
  return close
    .filter(({ edits }) => edits === least)
    .sort((a, b) => (a.candidate < b.candidate ? -1 : 1))
    .slice(0, MAX_SUGGESTIONS)
    .map(({ candidate }) => candidate);
}

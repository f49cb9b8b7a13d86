/** Which entries of a list are answered: so many behind a place (null: from the beginning), after so many that are skipped. */
export type Stretch<Place> = { after: Place | null; offset: number; limit: number };

/**
 * A stretch of a list. `total`: how many entries there are in all, or among those looked at where these were not all (`searchedAll`).
 * `next`: the place behind which the list goes on; null at its end.
 */
export type Listed<Row, Place> = { rows: Row[]; total: number; searchedAll: boolean; next: Place | null };

/** Where a page is read: counted from the end of the list, whose rows are answered in the list's order all the same, or from its beginning. */
export type PageAt = { fromEnd: boolean; offset: number; limit: number };

/** A stretch of a list that an index has in its order, and whose number of entries is known. One in the farther half is counted from the end. */
export async function listByIndex<Row, Place>(
  { after, offset, limit }: Stretch<Place>,
  total: number,
  readPage: (at: PageAt) => Promise<Row[]>,
  placeOf: (row: Row) => Place,
): Promise<Listed<Row, Place>> {
  const left = Math.max(0, total - offset);
  const fromEnd = after === null && left < offset;
  const found = await readPage(
    fromEnd
      ? { fromEnd, offset: Math.max(0, left - limit), limit: Math.min(left, limit) }
      : { fromEnd, offset, limit: limit + 1 },
  );
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  const hasMore = fromEnd ? left > limit : found.length > limit;
  return { rows, total, searchedAll: true, next: hasMore && last !== undefined ? placeOf(last) : null };
}

/**
 * A stretch of a list whose entries have to be read for a filter. `end` is the last one that is looked at, null where all are: so a read ends,
 * however long the list is.
 */
export async function listByReading<Row, Place>(
  { offset, limit }: Stretch<Place>,
  end: Place | null,
  { readPage, count }: { readPage: (at: PageAt) => Promise<Row[]>; count: () => Promise<number> },
  placeOf: (row: Row) => Place,
): Promise<Listed<Row, Place>> {
  const rows = await readPage({ fromEnd: false, offset, limit });
  // A page that is not full is the last one, and says how many there are.
  const isLast = rows.length < limit && (rows.length > 0 || offset === 0);
  const total = isLast ? offset + rows.length : await count();
  const last = rows.at(-1);
  const next = last !== undefined && offset + rows.length < total ? placeOf(last) : end;
  return { rows, total, searchedAll: end === null, next };
}

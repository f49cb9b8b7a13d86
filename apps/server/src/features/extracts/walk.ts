/** Some rows of a list, and the place behind which the next ones are; null at the end. A page may have no rows and not be the last. */
export type RowPage<Row, Place> = { rows: readonly Row[]; next: Place | null };

/** All pages of a list, from a place on. */
export async function* walk<Row, Place>(
  read: (after: Place | null) => Promise<RowPage<Row, Place>>,
  start: Place | null = null,
): AsyncGenerator<readonly Row[]> {
  let after = start;
  do {
    const { rows, next } = await read(after);
    yield rows;
    after = next;
  } while (after !== null);
}

/** A variant that may be chosen, with its weight. */
export type Weighted = { id: string; weight: number };

/**
 * The variant of a user, chosen by weight with a point that depends on user and campaign alone. So a user gets the same variant until
 * the weights change; an existing delivery keeps its variant even then.
 * @param point a uniform number from 0 (included) to 1 (excluded)
 */
export function chooseVariant<V extends Weighted>(variants: readonly V[], point: number): V | null {
  const total = variants.reduce((sum, variant) => sum + variant.weight, 0);
  let rest = point * total;
  for (const variant of variants) {
    rest -= variant.weight;
    if (rest < 0) return variant;
  }
  return null;
}

/** How far a sweep over the users of an audience has come: the last user, and its lane; null before the first. */
export type Cursor = { lane: number; userKey: string } | null;

const LANES = 64;
const FIRST_USER = "00000000-0000-0000-0000-000000000000";

/**
 * The cursor after a page of at most `limit` users, or `end`. The first page covers all lanes, which is enough for most audiences;
 * after a full one, the sweep goes lane by lane.
 */
export function nextCursor(
  cursor: Cursor,
  found: readonly { lane: number; userKey: string }[],
  limit: number,
): Cursor | "end" {
  const last = found.at(-1);
  if (last !== undefined && found.length === limit) return { lane: last.lane, userKey: last.userKey };
  if (cursor === null || cursor.lane === LANES - 1) return "end";
  return { lane: cursor.lane + 1, userKey: FIRST_USER };
}

/** How near the ends of the bracket come, relative to where they are. */
const SMALLEST_STEP = 1e-12;
const MOST_STEPS = 200;

/**
 * The point between `a` and `b` at which `f` changes its sign; `f(a)` and `f(b)` have different signs. It needs about ten readings of `f`
 * where bisection needs fifty. Source: Chandrupatla 1997, "A new hybrid quadratic/bisection algorithm for finding the zero of a nonlinear
 * function without using derivatives".
 */
export function rootBetween(f: (x: number) => number, a: number, b: number): number {
  let [newest, opposite] = [b, a];
  let [atNewest, atOpposite] = [f(b), f(a)];
  let [before, atBefore] = [opposite, atOpposite];
  let part = 0.5;
  for (let step = 0; step < MOST_STEPS; step++) {
    const x = newest + part * (opposite - newest);
    const atX = f(x);
    const isSameSide = Math.sign(atX) === Math.sign(atNewest);
    [before, atBefore] = isSameSide ? [newest, atNewest] : [opposite, atOpposite];
    if (!isSameSide) [opposite, atOpposite] = [newest, atNewest];
    [newest, atNewest] = [x, atX];
    const width = Math.abs(opposite - newest);
    const nearest = Math.abs(atNewest) < Math.abs(atOpposite) ? newest : opposite;
    const smallest = SMALLEST_STEP * Math.max(Math.abs(nearest), Number.MIN_VALUE);
    if (width <= smallest || atNewest === 0) return atNewest === 0 ? newest : nearest;
    part = inverseQuadratic([newest, atNewest], [opposite, atOpposite], [before, atBefore]);
    const least = smallest / (2 * width);
    part = Math.min(Math.max(part, least), 1 - least);
  }
  return newest;
}

type Reading = readonly [x: number, y: number];

/** Where a curve through three readings crosses zero, as a part of the way from the first to the second; 0.5 where it cannot be trusted. */
function inverseQuadratic([x1, y1]: Reading, [x2, y2]: Reading, [x3, y3]: Reading): number {
  const xi = (x1 - x2) / (x3 - x2);
  const phi = (y1 - y2) / (y3 - y2);
  const isTrusted = phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi;
  if (!isTrusted) return 0.5;
  return (y1 / (y2 - y1)) * (y3 / (y2 - y3)) + (y1 / (y3 - y1)) * (y2 / (y3 - y2)) * ((x3 - x1) / (x2 - x1));
}

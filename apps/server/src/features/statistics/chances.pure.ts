/** What is believed about a variant: θ, the logarithm of its rate divided by the control's, taken as normal. */
export type Posterior = { mean: number; sd: number };

const PIECES = 400;
const NEGLIGIBLE = 1e-10;
/** Beyond so many standard deviations from its mean a normal distribution has less than one part in a hundred million. */
const REACH = 6;

/** The chance that a normal value is below `x` standard deviations. erf is good to 1e-7 here. Source: Abramowitz & Stegun 7.1.26. */
function normalBelow(x: number): number {
  const t = 1 / (1 + (0.3275911 * Math.abs(x)) / Math.SQRT2);
  const polynomial =
    t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const tail = (polynomial * Math.exp((-x * x) / 2)) / 2;
  return x < 0 ? tail : 1 - tail;
}

/** The chance of each arm to be the best one: the control first, then the variants in the order in which they were given. */
export function chancesOfBest(variants: readonly Posterior[]): number[] {
  const control = variants.reduce((chance, { mean, sd }) => chance * normalBelow(-mean / sd), 1);
  const others = variants.map(({ mean, sd }, best) => {
    const from = Math.max(0, mean - REACH * sd);
    const to = mean + REACH * sd;
    if (to <= from) return 0;
    const step = (to - from) / PIECES;
    let sum = 0;
    for (let piece = 0; piece <= PIECES; piece++) {
      const theta = from + piece * step;
      // Simpson's rule: 1 4 2 4 … 2 4 1.
      const factor = piece === 0 || piece === PIECES ? 1 : piece % 2 === 1 ? 4 : 2;
      let density = Math.exp(-((theta - mean) ** 2) / (2 * sd * sd)) / (sd * Math.sqrt(2 * Math.PI));
      for (const [index, other] of variants.entries()) {
        if (density < NEGLIGIBLE) break;
        if (index !== best) density *= normalBelow((theta - other.mean) / other.sd);
      }
      sum += factor * density;
    }
    return (sum * step) / 3;
  });
  return [control, ...others];
}

type Weighed = { weight: number };

/** Which share of users the weights give to a variant. */
export function variantShare({ weight }: Weighed, all: readonly Weighed[]): number {
  const sum = all.reduce((before, each) => before + each.weight, 0);
  return sum === 0 ? 0 : weight / sum;
}

import { type Epoch, epochsOfSameContent, epochsTogether, type VariantPair } from "./compare.pure.ts";

/** A variant as it is now. */
export type CurrentVariant = { variantId: string; isControl: boolean; weight: number };

/**
 * A variant and the control that it is compared with. `together`: the epochs in which both had weight with the contents of now, since
 * `since` (epoch milliseconds). `sinceEpoch`: the first epoch with these contents, which tells the comparison from those of other texts.
 */
export type Pairing = { pair: VariantPair; together: readonly Epoch[]; since: number; sinceEpoch: number };

/** The variants that had weight together with the control while both contents were what they are now. */
export function pairingsOf(epochs: readonly Epoch[], variants: readonly CurrentVariant[]): Pairing[] {
  const control = variants.find(({ isControl }) => isControl);
  if (control === undefined) return [];
  return variants
    .filter((variant) => variant !== control)
    .flatMap(({ variantId }) => {
      const pair = { arm: variantId, other: control.variantId };
      const [began] = epochsOfSameContent(epochs, [pair.arm, pair.other]);
      const together = epochsTogether(epochs, pair);
      const [first] = together;
      if (began === undefined || first === undefined) return [];
      return [{ pair, together, since: first.startedAt, sinceEpoch: began.epoch }];
    });
}

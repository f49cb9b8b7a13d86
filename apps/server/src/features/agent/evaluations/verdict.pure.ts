/** A variant before and after a change of weights. */
export type Reweighted = { variantId: string; isControl: boolean; before: number; after: number };

/** What a change of weights claims about a treatment. */
export type Claim = { variantId: string; is: "better" | "worse" };

/**
 * What a change of weights claims: who takes all users from a variant says that it is worse. Taking them from the control says that every
 * treatment which stays is better; what else goes with the control is part of that claim. Mere shares claim nothing.
 */
export function claimsOf(variants: readonly Reweighted[]): Claim[] {
  const retired = variants.filter(({ before, after }) => before > 0 && after === 0);
  const staying = variants.filter(({ after }) => after > 0);
  if (retired.some(({ isControl }) => isControl))
    return staying
      .filter(({ isControl }) => !isControl)
      .map(({ variantId }) => ({ variantId, is: "better" }));
  return retired.map(({ variantId }) => ({ variantId, is: "worse" }));
}

import { type Allocation, type Epoch, epochsOf, epochsOfSameContent } from "./compare.pure.ts";
import { type CurrentVariant, type Pairing, pairingsOf } from "./pairings.pure.ts";

/** The variants of a campaign, and what they had in its epochs. */
export type CampaignVariants = { variants: readonly CurrentVariant[]; allocations: readonly Allocation[] };

/**
 * What a change of a campaign takes from a variant: the epochs whose users count no more for it, and why. It may be none: then another
 * variant is the control, so that what was found is not said any more, while all users still count.
 */
export type VariantRestart = {
  variantId: string;
  because: "text" | "control_text" | "other_control";
  epochs: readonly number[];
};

type View = { epochs: readonly Epoch[]; pairings: readonly Pairing[]; control: string | undefined };

const viewOf = ({ variants, allocations }: CampaignVariants): View => {
  const epochs = epochsOf(allocations);
  const control = variants.find(({ isControl }) => isControl)?.variantId;
  return { epochs, pairings: pairingsOf(epochs, variants), control };
};

const pairingOf = ({ pairings }: View, variantId: string): Pairing | undefined =>
  pairings.find(({ pair }) => pair.arm === variantId);

const contentIn = ({ epochs }: View, variantId: string | undefined): string | undefined =>
  variantId === undefined ? undefined : epochs.at(-1)?.variants.get(variantId)?.contentDigest;

/** For which variants a change makes counting begin anew, by the rules that say since when they are compared. */
export function restartsOf(before: CampaignVariants, after: CampaignVariants): VariantRestart[] {
  const [was, is] = [viewOf(before), viewOf(after)];
  return before.variants.flatMap(({ variantId }): VariantRestart[] => {
    const ofText = epochsOfSameContent(was.epochs, [variantId]).map(({ epoch }) => epoch);
    if (contentIn(was, variantId) !== contentIn(is, variantId))
      return [{ variantId, because: "text", epochs: ofText }];
    const pairing = pairingOf(was, variantId);
    if (pairing === undefined) return [];
    // A variant that becomes the control is still compared, from the other side.
    if (is.control === variantId) return [];
    const kept = new Set(pairingOf(is, variantId)?.together.map(({ epoch }) => epoch));
    const epochs = pairing.together.map(({ epoch }) => epoch).filter((epoch) => !kept.has(epoch));
    if (is.control !== pairing.pair.other) return [{ variantId, because: "other_control", epochs }];
    return epochs.length === 0 ? [] : [{ variantId, because: "control_text", epochs }];
  });
}

import { hash } from "node:crypto";
import { chooseVariant, type Weighted } from "../rules.ts";

const TWO_TO_48 = 2 ** 48;

/**
 * The key by which variants and holdouts are drawn for a user. It stays that of the visitor whom they were when they first met campaigns, so that
 * signing in changes no variant.
 */
export const drawKeyOf = ({ userKey, drawnAs }: { userKey: string; drawnAs: string | null }): string =>
  drawnAs ?? userKey;

/** A user's point in 0..1 for a campaign or a goal: the first 48 bits of SHA-256(its UUID, the user's key of `drawKeyOf`). */
export function pointOf(uuid: string, drawKey: string): number {
  return Number.parseInt(hash("sha256", `${uuid}${drawKey}`).slice(0, 12), 16) / TWO_TO_48;
}

/** The variant that a user draws in a campaign; null where no variant has a weight. */
export const drawVariant = <V extends Weighted>(
  variants: readonly V[],
  campaignId: string,
  drawKey: string,
): V | null => chooseVariant(variants, pointOf(campaignId, drawKey));

import { hash } from "node:crypto";
import { chooseVariant, type Weighted } from "../rules.ts";

const TWO_TO_48 = 2 ** 48;

/** A user's point in 0..1 for a campaign or a goal: the first 48 bits of SHA-256(its UUID, user key). */
export function pointOf(uuid: string, userKey: string): number {
  return Number.parseInt(hash("sha256", `${uuid}${userKey}`).slice(0, 12), 16) / TWO_TO_48;
}

/** The variant that a user draws in a campaign; null where no variant has a weight. */
export const drawVariant = <V extends Weighted>(
  variants: readonly V[],
  campaignId: string,
  userKey: string,
): V | null => chooseVariant(variants, pointOf(campaignId, userKey));

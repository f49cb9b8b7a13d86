import { hash } from "node:crypto";

const TWO_TO_48 = 2 ** 48;

/** A user's point in 0..1 for a campaign: the first 48 bits of SHA-256(campaign, user key). */
export function pointOf(campaignUuid: string, userKey: string): number {
  return Number.parseInt(hash("sha256", `${campaignUuid}${userKey}`).slice(0, 12), 16) / TWO_TO_48;
}

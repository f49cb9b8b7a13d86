import { apiId } from "../../../../domain/ids.ts";
import { canonicalHash, canonicalJson } from "../../../../platform/text/canonical.ts";
import type { HostedMutation } from "../mutation.pure.ts";

/** By what a change is known. `payloadHash` is that of one evaluation, `mutationHash` is the same in every evaluation of the campaign. */
export type PayloadHashes = { payloadHash: string; mutationHash: string };

/** What a payload hash speaks for: canonical JSON (RFC 8785) of `{campaignId, evaluationAt, mutation}`. */
export const payloadOf = (campaignUuid: string, evaluationAt: number, mutation: HostedMutation): string =>
  canonicalJson({ campaignId: apiId("cmp", campaignUuid), evaluationAt, mutation });

/** The hashes of a mutation of a campaign (UUID), for the evaluation at `evaluationAt` (epoch milliseconds). */
export function hashesOf(
  campaignUuid: string,
  evaluationAt: number,
  mutation: HostedMutation,
): PayloadHashes {
  const campaignId = apiId("cmp", campaignUuid);
  return {
    payloadHash: canonicalHash({ campaignId, evaluationAt, mutation }),
    mutationHash: canonicalHash({ campaignId, mutation }),
  };
}

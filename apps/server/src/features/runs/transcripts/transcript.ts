import { canonicalHash } from "../../../platform/text/canonical.ts";
import type { TranscriptEntry } from "../schema.ts";

/** Why a transcript is not whole: the place of the entry, or null where it is about the run, and what is wrong. */
export type TranscriptFault = { entry: number | null; fault: string };

/**
 * The first entry of which the hash is not right: SHA-256 (hexadecimal) of the hash before it, empty for the first one, followed by the
 * RFC 8785 JSON of `{request, response}`, in UTF-8. Then whether the last hash is the `transcriptHash` that the run's output names.
 */
export function transcriptFault(
  entries: readonly TranscriptEntry[],
  output: unknown,
): TranscriptFault | null {
  let before = "";
  for (const [entry, { request, response, hash }] of entries.entries()) {
    if (canonicalHash({ request, response }, before) !== hash)
      return {
        entry,
        fault: "must be the SHA-256 of the hash before it and the canonical JSON of request and response",
      };
    before = hash;
  }
  const named =
    typeof output === "object" && output !== null && "transcriptHash" in output
      ? output.transcriptHash
      : null;
  if (named === null || named === before) return null;
  return { entry: null, fault: "must end with the hash that the run names as its transcriptHash" };
}

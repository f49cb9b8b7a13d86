import { canonicalHash } from "../../../platform/text/canonical.ts";
import type { AgentRun } from "../schema.ts";

/** A run without its place in the chain: what its hash speaks for. */
export type RunContent = Omit<AgentRun, "chain">;

/**
 * The hash of a run, which anybody can compute again from what the API answers:
 * SHA-256 (hexadecimal) of `prevHash` followed by the RFC 8785 JSON of
 * `{id, kind, goalId, campaignId, input, output, rationale, createdAt, writtenBy, projectId, seq}`, in UTF-8. `prevHash` is 64
 * hexadecimal digits, or empty for the first run of a chain; `projectId` is the project's UUID, `null` stays in the JSON. Only a
 * `writtenBy` that is null is left out: runs from before there was one keep their hashes.
 */
export function hashOfRun(
  { id, kind, goalId, campaignId, input, output, rationale, createdAt, writtenBy }: RunContent,
  { projectId, seq, prevHash }: { projectId: string; seq: number; prevHash: string },
): string {
  const run = { id, kind, goalId, campaignId, input, output, rationale, createdAt, projectId, seq };
  return canonicalHash(writtenBy === null ? run : { ...run, writtenBy }, prevHash);
}

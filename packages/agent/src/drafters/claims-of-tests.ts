import type { SourceClaim } from "./drafter.ts";

/** The commit at a place of a claim, from 1. */
export const shaOf = (n: number): string => n.toString(16).padStart(40, "0");

/** A claim of commits with these messages, in their order. */
export const claimOf = (...messages: string[]): SourceClaim => ({
  refId: "ref_1",
  sourceId: "web",
  sourceGeneration: 1,
  instructions: "",
  leaseToken: "lease_1",
  expiresAt: 1,
  fromSha: shaOf(99),
  toSha: shaOf(messages.length),
  complete: true,
  comparison: { beforeSha: shaOf(99), afterSha: shaOf(messages.length) },
  repositoryContext: { description: null, readme: null, commitSha: shaOf(messages.length) },
  files: [],
  withdrawals: [],
  drafts: [],
  changes: messages.map((message, at) => ({
    sha: shaOf(at + 1),
    message,
    pullRequests: [],
    sourceCampaignIds: [],
  })),
});

import type { Answer, Input } from "@tidings/client";
import type { TranscriptEntry, Usage } from "../policy.ts";

/** Source work that was claimed. */
export type SourceClaim = Extract<Answer<"claimRef">, { state: "claimed" }>["claim"];

/** What becomes of the commits and withdrawals of a claim. */
export type SourceOp = Input<"reconcileRef">["body"]["ops"][number];

/** What a drafter wants, and how it came about. `rationale` is for people. `usage` is null and `transcript` empty where no model was asked. */
export type Drafted = {
  rationale: string;
  ops: SourceOp[];
  usage: Usage | null;
  transcript: TranscriptEntry[];
};

/** What writes campaigns from commits. Its name stands in the runs, and with it what the name means: one that changes gets a new name. */
export type Drafter = {
  name: string;
  /** How long it may take, in seconds. */
  maxSeconds: number;
  /** Answers what to do about each commit and withdrawal. @throws DraftFault where it cannot say */
  draft(claim: SourceClaim, signal: AbortSignal): Promise<Drafted>;
};

/** Why there is no draft, in a sentence for people. */
export class DraftFault extends Error {}

/** The hash of a draft of a claim, which its change names. */
const baseOf = ({ drafts }: SourceClaim, campaignId: string): string =>
  drafts.find((draft) => draft.campaignId === campaignId)?.contentHash ?? "";

/** What takes back all that the claim lists, as it proposes it. */
export const withdrawals = (claim: SourceClaim): SourceOp[] =>
  claim.withdrawals.map(({ campaignId, patch }) => ({
    op: "withdraw",
    campaignId,
    patch,
    baseContentHash: baseOf(claim, campaignId),
  }));

/** A change of a draft, with the hash that the claim gives it. */
export const revision = (
  claim: SourceClaim,
  op: Omit<Extract<SourceOp, { op: "revise" }>, "baseContentHash">,
): SourceOp => ({ ...op, baseContentHash: baseOf(claim, op.campaignId) });

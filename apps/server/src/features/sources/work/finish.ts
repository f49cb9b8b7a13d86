import type { Ctx } from "../../../platform/http/contract/endpoint.ts";
import { logRun } from "../../runs/public.ts";
import { applyMoves, withdraw } from "./apply.ts";
import { lockCampaigns } from "./contribution-store.ts";
import type { DraftWithdrawal } from "./drafts.ts";
import type { Gathered, RefEvidence } from "./evidence.ts";
import { moveCursor, type RefRow } from "./ref-store.ts";

/** The campaigns that evidence is about, by UUID. */
export const campaignsOf = ({ withdrawals, moves }: Pick<RefEvidence, "withdrawals" | "moves">): string[] => [
  ...new Set([...withdrawals, ...moves].map(({ campaignId }) => campaignId)),
];

/** What every run of source work says of it. */
export const describeRefRun = (ref: RefRow, toSha: string) => ({
  kind: "source" as const,
  goalId: null,
  campaignId: null,
  input: {
    refId: `ref_${ref.id}`,
    sourceId: ref.sourceId,
    refKey: ref.refKey,
    fromSha: ref.cursorSha,
    toSha,
  },
});

/**
 * Finishes work that needs no model: there is nothing to announce, and what was taken back is as it was before. Needs the ref, its source and
 * the campaigns locked.
 */
export async function finish(
  ctx: Ctx,
  { ref, evidence }: Gathered,
  takenBack: readonly DraftWithdrawal[],
): Promise<void> {
  const { toSha } = evidence.window;
  await lockCampaigns(ctx.db, ctx.projectId, campaignsOf(evidence));
  if (takenBack.length > 0) {
    const runId = await logRun(ctx, {
      ...describeRefRun(ref, toSha),
      output: { action: "withdraw", campaigns: takenBack.map(({ campaign }) => campaign.id) },
      rationale: "Commits were taken back, so their texts are as they were before.",
    });
    for (const each of takenBack)
      await withdraw(ctx, each, { patch: each.patch, at: "patch" }, { ref, runId });
  }
  await applyMoves(ctx, ref, evidence.moves);
  await moveCursor(ctx.db, ref, toSha);
}

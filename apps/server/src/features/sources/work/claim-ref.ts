import { z } from "zod";
import { apiId, uuidFor } from "../../../domain/ids.ts";
import { again } from "../../../platform/db/transactions/again.ts";
import { type Ctx, endpoint, KIB } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { DAY_MS, SECOND_MS } from "../../../platform/time/clock.ts";
import { creditsUsed } from "../../agent/credits/public.ts";
import { monthOf } from "../../agent/credits/rules.ts";
import { creditSettings } from "../../agent/credits/settings.pure.ts";
import { leaseDigest, lockDay, newLeaseToken, payFor, readSafety } from "../../agent/evaluations/public.ts";
import { readSome } from "../../settings/public.ts";
import { findSource, listMergedAs, readSource, type SourceRow } from "../registry/public.ts";
import { campaignIdsOf, lockCampaigns } from "./contribution-store.ts";
import { type DraftWithdrawal, toWithdrawal, viewDrafts, viewTakenBack } from "./drafts.ts";
import { type Gathered, gather } from "./evidence.ts";
import { campaignsOf, finish } from "./finish.ts";
import { findRef, grantLease, type RefRow } from "./ref-store.ts";
import { later, plain } from "./refusals.ts";
import { isLeased, isRested } from "./rules.ts";
import { ClaimRefBody, refInPath, type SourceClaim, SourceClaimResult } from "./schema.ts";

/** How long the repository may take, in milliseconds: clients wait for half a minute. */
const READ_MS = 20 * SECOND_MS;
const ASK_AGAIN_MS = 5 * SECOND_MS;

const forbid = (message: string): ApiError => new ApiError("forbidden", message);

/** Refuses work of a ref that may not be claimed now, whatever it has brought. */
function assertFree(ref: RefRow, now: number): void {
  const { leaseExpiresAt, retryAt } = ref;
  if (isLeased(leaseExpiresAt, now))
    throw later("forbidden", "Another one has the lease on this work.", leaseExpiresAt - now);
  if (!isRested(retryAt, now) && ref.cursorSha !== ref.headSha)
    throw later("forbidden", "This work was claimed and not done: it rests for a while.", retryAt - now);
}

/** The ref that a path names, with its source, if people let it be worked on. @throws ApiError not_found, forbidden */
async function requireClaimable(
  { db, projectId }: Ctx,
  id: string,
  lock: "read" | "for update" = "read",
): Promise<{ ref: RefRow; source: SourceRow }> {
  const ref = await findRef(db, projectId, id, lock);
  const source = ref && (await findSource(db, projectId, ref.sourceId, lock));
  if (ref === null || source === null) throw new ApiError("not_found", "Source ref not found");
  if ((await readSafety(db, projectId)).loopPaused)
    throw forbid("The agent's loop is paused in the settings of the project.");
  if (!source.enabled) throw forbid("This source is switched off.");
  if (source.paused) throw forbid("This source is paused.");
  return { ref, source };
}

/** Checks the bounds of the project for work that needs a model, and pays for it. @throws ApiError forbidden where one is reached */
async function pay({ db, projectId }: Ctx, now: number): Promise<void> {
  const { "ai.monthlyLimit": limit } = await readSome(db, projectId, creditSettings, ["ai.monthlyLimit"]);
  if ((await creditsUsed(db, projectId, now)) >= limit)
    throw later("forbidden", "This month's credits are used up: ai.monthlyLimit.", monthOf(now).end - now);
  const { maxRunsPerDay } = await readSafety(db, projectId);
  const day = Math.floor(now / DAY_MS);
  if ((await lockDay(db, projectId, day)) >= maxRunsPerDay)
    throw later(
      "forbidden",
      "The runs of this UTC day are used up: safety.maxRunsPerDay.",
      (day + 1) * DAY_MS - now,
    );
  await payFor(db, projectId, day);
}

/** A claim as it is granted. */
async function toClaim(
  ctx: Ctx,
  { ref, evidence }: Gathered,
  source: SourceRow,
  {
    takenBack,
    leaseToken,
    expiresAt,
  }: { takenBack: readonly DraftWithdrawal[]; leaseToken: string; expiresAt: number },
): Promise<SourceClaim> {
  const { window, readme, changes } = evidence;
  const merged = await listMergedAs(
    ctx.db,
    ctx.projectId,
    ref.sourceId,
    changes.map(({ sha }) => sha),
  );
  const announcing = await campaignIdsOf(
    ctx.db,
    ctx.projectId,
    ref.sourceId,
    changes.map(({ sha }) => sha),
  );
  return {
    refId: apiId("ref", ref.id),
    sourceId: ref.sourceId,
    sourceGeneration: source.generation,
    instructions: source.instructions,
    leaseToken,
    expiresAt,
    complete: true,
    fromSha: ref.cursorSha,
    toSha: window.toSha,
    comparison: { beforeSha: window.beforeSha, afterSha: window.toSha },
    repositoryContext: { description: null, readme, commitSha: window.toSha },
    files: window.files.map(({ path, patch }) => ({ path: path.slice(0, 4_096), patch })),
    changes: changes.map(({ sha, message }) => ({
      sha,
      message,
      pullRequests: (merged.get(sha) ?? []).map(({ number, headSha }) => ({
        number,
        mergedHeadSha: headSha,
      })),
      sourceCampaignIds: (announcing.get(sha) ?? []).map((id) => apiId("cmp", id)),
    })),
    withdrawals: takenBack.map(toWithdrawal),
    drafts: await viewDrafts(ctx),
  };
}

/** Grants the work of a ref, or finishes it at once. Needs a transaction. */
async function grant(
  ctx: Ctx,
  gathered: Gathered,
  leaseSeconds: number,
): Promise<z.infer<typeof SourceClaimResult>> {
  const { db, projectId, now } = ctx;
  const { ref: seen, evidence } = gathered;
  const { ref, source } = await requireClaimable(ctx, seen.id, "for update");
  assertFree(ref, now);
  const isSame = (["cursorSha", "headSha", "generation"] as const).every(
    (field) => ref[field] === seen[field],
  );
  if (!isSame || source.generation !== ref.generation)
    throw later("conflict", "The ref has moved meanwhile: claim it again.", 0);
  const known = await lockCampaigns(db, projectId, campaignsOf(evidence));
  const isDraft = (id: string): boolean => known.some((each) => each.id === id && each.isDraft);
  const withdrawals = evidence.withdrawals.filter(({ campaignId }) => isDraft(campaignId));
  const takenBack: DraftWithdrawal[] = [];
  for (const withdrawal of withdrawals) takenBack.push(await viewTakenBack(ctx, withdrawal));
  if (evidence.changes.length === 0 && takenBack.every(({ isExact }) => isExact)) {
    await finish(ctx, gathered, takenBack);
    return { ok: true, state: "settled", refId: apiId("ref", ref.id) };
  }
  await pay(ctx, now);
  const leaseToken = newLeaseToken();
  const expiresAt = now + leaseSeconds * SECOND_MS;
  const work = {
    generation: ref.generation,
    fromSha: ref.cursorSha,
    toSha: evidence.window.toSha,
    shas: evidence.changes.map(({ sha }) => sha),
    withdrawals,
    moves: evidence.moves,
  };
  if (!(await grantLease(db, ref, { digest: leaseDigest(leaseToken), expiresAt, work, now })))
    throw later("forbidden", "Another one has the lease on this work.", ASK_AGAIN_MS);
  const claim = await toClaim(ctx, gathered, source, { takenBack, leaseToken, expiresAt });
  return { ok: true, state: "claimed", claim };
}

export const claimRef = endpoint(
  {
    id: "claimRef",
    method: "POST",
    path: "/api/v1/repohost/refs/{refId}/claim",
    tag: "Source work",
    summary: "Take the lease on what a branch or pull request has brought",
    description:
      "Reads the repository first. `state` says what it came to: `claimed` is a lease, which costs one of the day's runs; `settled` means that there was nothing to write, or that texts were put back as they were, which costs nothing.",
    keys: ["secret", "agent"],
    budget: "sources",
    tool: "An agent drafts from code under its lease, in a loop of its own.",
    managedOnly: true,
    refusals: "source",
    ownTransaction: true,
    bodyLimit: 16 * KIB,
    params: z.object({ refId: refInPath }),
    body: ClaimRefBody,
    example: { leaseSeconds: 600 },
    result: SourceClaimResult,
    errors: ["forbidden", "not_found", "conflict"],
  },
  async (ctx, { params, body: { leaseSeconds } }) => {
    const { app, projectId } = ctx;
    const { ref } = await requireClaimable(ctx, uuidFor("ref", params.refId));
    assertFree(ref, ctx.now);
    const signal = AbortSignal.timeout(READ_MS);
    const found = await readSource(app, projectId, ref.sourceId, {
      signal,
      use: (looked) => gather(app, looked, ref.id, signal),
    });
    if (!found.ok || found.read === null)
      throw later(
        "unavailable",
        "The repository cannot be read now: see the state of its source.",
        ASK_AGAIN_MS,
      );
    const gathered = found.read;
    try {
      return await again(() =>
        app.database.kysely
          .transaction()
          .execute((db) => grant({ ...ctx, db, now: app.clock() }, gathered, leaseSeconds)),
      );
    } catch (error) {
      throw error instanceof ApiError ? plain(error) : error;
    }
  },
);

import { beginningOf } from "@tidings/client/text";
import { z } from "zod";
import { apiId, uuidFor } from "../../../domain/ids.ts";
import { again } from "../../../platform/db/transactions/again.ts";
import { type Ctx, endpoint, KIB } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { parseField } from "../../../platform/http/contract/parse-field.ts";
import { canonicalHash } from "../../../platform/text/canonical.ts";
import { newUuid } from "../../../platform/uuid.ts";
import { assertLinksOfAgent, leaseDigest } from "../../agent/evaluations/public.ts";
import { makeCampaign } from "../../campaigns/authoring/public.ts";
import { type CampaignDetail, CreateCampaignBody } from "../../campaigns/authoring/schema.ts";
import { contentHashOf, readDetail } from "../../launch/public.ts";
import { logRun } from "../../runs/public.ts";
import { findSource } from "../registry/public.ts";
import { applyMoves, applyPatch, type Because, contribute, withdraw } from "./apply.ts";
import { addContribution, lockCampaigns } from "./contribution-store.ts";
import { viewTakenBack } from "./drafts.ts";
import { textsOfContent } from "./edits.pure.ts";
import { campaignsOf, describeRefRun } from "./finish.ts";
import { findPlan, findRef, moveCursor, putPlan, type RefRow, releaseLease } from "./ref-store.ts";
import { later, plain } from "./refusals.ts";
import { announcedChanges, isLeased, numberOf, planFault, type Work } from "./rules.ts";
import { type PlanOp, ReconcileBody, Reconciled, refInPath } from "./schema.ts";

type Op<Name extends PlanOp["op"]> = Extract<PlanOp, { op: Name }>;

const refuse = (message: string): ApiError => new ApiError("invalid_request", message);
const conflict = (message: string): ApiError => new ApiError("conflict", message);

/** What a plan is known by: all that it says, under whichever lease. */
const hashOf = ({ leaseToken: _, ...plan }: ReconcileBody): string => canonicalHash(plan);

/** The result of this work, if the same plan has finished it before; null where it is not finished. @throws ApiError for another plan */
async function findFinished(
  { db, projectId }: Ctx,
  ref: RefRow,
  plan: ReconcileBody,
): Promise<Reconciled | null> {
  const finished = await findPlan(db, projectId, ref.id, plan.toSha);
  if (finished === null || finished.fromSha !== plan.fromSha) return null;
  // Only results are written to this column.
  if (finished.planHash === hashOf(plan)) return { ...(finished.result as Reconciled), replayed: true };
  if (ref.cursorSha === plan.toSha) throw conflict("This work is finished already, with another plan.");
  return null;
}

/** What the caller has the lease on; null where it is none, or another one's by now. */
function leasedWork(
  { leaseDigest: known, leaseExpiresAt, work }: RefRow,
  token: string,
  now: number,
): Work | null {
  return isLeased(leaseExpiresAt, now) && known?.equals(leaseDigest(token)) === true ? work : null;
}

/** The drafts that a plan changes, as they are before it, by API id. Locks them, and all others that the work is about. */
async function lockDrafts(
  ctx: Ctx,
  ops: readonly PlanOp[],
  work: Work,
): Promise<ReadonlyMap<string, CampaignDetail>> {
  const { db, projectId, now } = ctx;
  const changed = ops.flatMap((op, index) =>
    op.op === "revise" || op.op === "withdraw" ? [{ op, index }] : [],
  );
  const named = changed.map(({ op }) => uuidFor("cmp", op.campaignId));
  const rows = await lockCampaigns(db, projectId, [...named, ...campaignsOf(work)]);
  const drafts = new Map<string, CampaignDetail>();
  for (const { op, index } of changed) {
    const row = rows.find(({ id }) => id === uuidFor("cmp", op.campaignId));
    const at = `ops[${index}]`;
    if (row === undefined)
      throw new ApiError("not_found", `${at}.campaignId is no campaign of this project.`);
    if (!row.isDraft)
      throw conflict(`${at}.campaignId was launched or ended meanwhile: claim the ref again.`);
    const draft = drafts.get(op.campaignId) ?? (await readDetail(db, projectId, row.id, now));
    if (contentHashOf(draft) !== op.baseContentHash)
      throw conflict(`${at}.baseContentHash is stale: the campaign was changed since the claim.`);
    drafts.set(op.campaignId, draft);
  }
  return drafts;
}

/** What an operation of a plan is carried out with. */
type Doing = Because & { at: string };

/** What commits bring, as the ref has them: commits of the branch, or a pull request. */
const bringing = ({ sourceId, id, refKey }: RefRow, shas: readonly string[]) => ({
  sourceId,
  refId: id,
  number: numberOf(refKey),
  shas: [...shas],
});

/** How long a plan that was refused for its links is not asked for again: another one has to be written. */
const REST_MS = 600_000;

/** Refuses a draft with links that no person has allowed. @throws ApiError conflict with the operation, the field and the host */
async function assertLinks(
  ctx: Ctx,
  { before, after, at }: { before: CampaignDetail | null; after: CampaignDetail; at: string },
): Promise<void> {
  const messages = { before: before?.variants ?? [], after: after.variants };
  await assertLinksOfAgent(ctx, after.channel, messages).catch((error: unknown) => {
    throw error instanceof ApiError ? later("conflict", `${at}: ${error.message}`, REST_MS) : error;
  });
}

async function create(
  ctx: Ctx,
  { shas, campaign }: Op<"create">,
  { ref, runId, at }: Doing,
): Promise<string> {
  const { db, projectId, now } = ctx;
  const bringsIt = bringing(ref, shas);
  const changes = announcedChanges([{ ...bringsIt, isWithdrawn: false }]);
  const body = parseField(
    CreateCampaignBody,
    { ...campaign, sourceChanges: { changes }, agentRunId: apiId("run", runId) },
    ["ops", Number(/\d+/.exec(at)?.[0]), "campaign"],
  );
  const made = await makeCampaign(ctx, body, "agent").catch((error: unknown) => {
    if (error instanceof ApiError && error.code === "invalid_request")
      throw refuse(`${at}.campaign: ${error.message}`);
    throw error;
  });
  await assertLinks(ctx, { before: null, after: made, at: `${at}.campaign` });
  await addContribution(db, projectId, {
    ...bringsIt,
    id: newUuid(now),
    campaignId: uuidFor("cmp", made.id),
    kind: "create",
    runId,
    createdAt: now,
    edits: made.variants.flatMap(({ id, content }) => textsOfContent(id, content)),
    nameEdit: { before: "", after: made.name },
  });
  return made.id;
}

async function revise(
  ctx: Ctx,
  { shas, campaignId, patch }: Op<"revise">,
  { ref, runId, at }: Doing,
): Promise<void> {
  const { db, projectId, now } = ctx;
  const uuid = uuidFor("cmp", campaignId);
  const campaign = await readDetail(db, projectId, uuid, now);
  const written = await applyPatch(ctx, campaign, patch, `${at}.patch`);
  const after = await readDetail(db, projectId, uuid, now);
  await assertLinks(ctx, { before: campaign, after, at: `${at}.patch` });
  await contribute(ctx, uuid, () =>
    addContribution(db, projectId, {
      ...bringing(ref, shas),
      ...written,
      id: newUuid(now),
      campaignId: uuid,
      kind: "revise",
      runId,
      createdAt: now,
    }),
  );
}

/** Carries out a plan, all of it or nothing. Needs a transaction, with the ref, its source and the drafts locked. */
async function carryOut(
  ctx: Ctx,
  { ref, work, plan }: { ref: RefRow; work: Work; plan: ReconcileBody },
): Promise<{ campaigns: Reconciled["campaigns"]; runId: string }> {
  const { ops, rationale } = plan;
  const skips = ops.flatMap((op) =>
    op.op === "skip" ? [{ commits: op.shas.length, reason: beginningOf(op.reason, 200) }] : [],
  );
  const runId = await logRun(ctx, {
    ...describeRefRun(ref, work.toSha),
    output: { action: "reconcile", ops: ops.map(({ op }) => op), skips },
    rationale,
  });
  const campaigns = new Map<string, boolean>();
  for (const [index, op] of ops.entries()) {
    const doing = { ref, runId, at: `ops[${index}]` };
    switch (op.op) {
      case "skip":
        break;
      case "create":
        campaigns.set(await create(ctx, op, doing), true);
        break;
      case "revise":
        await revise(ctx, op, doing);
        campaigns.set(op.campaignId, false);
        break;
      case "withdraw": {
        const uuid = uuidFor("cmp", op.campaignId);
        const withdrawal = work.withdrawals.find(({ campaignId }) => campaignId === uuid);
        const campaign = await readDetail(ctx.db, ctx.projectId, uuid, ctx.now);
        const draft = { campaign, contributionIds: withdrawal?.contributionIds ?? [] };
        const at = `${doing.at}.patch`;
        const proposed = withdrawal === undefined ? null : await viewTakenBack(ctx, withdrawal);
        await withdraw(ctx, draft, { patch: op.patch, at }, doing);
        // What the claim proposed brings back what stood there before, which may have links that the draft has not now.
        if (canonicalHash(op.patch) !== canonicalHash(proposed?.patch ?? null)) {
          const after = await readDetail(ctx.db, ctx.projectId, uuid, ctx.now);
          await assertLinks(ctx, { before: campaign, after, at });
        }
        campaigns.set(op.campaignId, false);
      }
    }
  }
  await applyMoves(ctx, ref, work.moves);
  return { campaigns: [...campaigns].map(([campaignId, created]) => ({ campaignId, created })), runId };
}

const shasOf = (ops: readonly PlanOp[], isSkip: boolean): string[] => [
  ...new Set(ops.flatMap((op) => (op.op !== "withdraw" && (op.op === "skip") === isSkip ? op.shas : []))),
];

/** Finishes the work of a lease by a plan. Needs a transaction. @throws ApiError where the plan is refused: nothing may be committed then */
async function reconcile(ctx: Ctx, id: string, plan: ReconcileBody): Promise<Reconciled> {
  const { db, projectId, now } = ctx;
  const ref = await findRef(db, projectId, id, "for update");
  if (ref === null) throw new ApiError("not_found", "Source ref not found");
  const work = leasedWork(ref, plan.leaseToken, now);
  if (work === null) {
    const finished = await findFinished(ctx, ref, plan);
    if (finished !== null) return finished;
    throw new ApiError("forbidden", "This lease is not the ref's any more: claim it again.");
  }
  if (plan.fromSha !== work.fromSha) throw conflict("fromSha is not that of the claim.");
  if (plan.toSha !== work.toSha) throw conflict("toSha is not that of the claim.");
  const withdrawn = work.withdrawals.map(({ campaignId }) => apiId("cmp", campaignId));
  const fault = planFault({ shas: work.shas, withdrawn }, plan.ops);
  if (fault !== null) throw refuse(fault);
  await lockDrafts(ctx, plan.ops, work);
  const source = await findSource(db, projectId, ref.sourceId, "for update");
  const isOfNow = source?.generation === work.generation && plan.sourceGeneration === work.generation;
  if (!isOfNow || ref.cursorSha !== work.fromSha)
    throw conflict("The source has become another one meanwhile: claim the ref again.");
  const { campaigns, runId } = await carryOut(ctx, { ref, work, plan });
  const result: Reconciled = { ok: true, campaigns, reconciledSha: work.toSha, replayed: false };
  await moveCursor(db, ref, work.toSha);
  await putPlan(db, projectId, {
    refId: ref.id,
    fromSha: work.fromSha,
    toSha: work.toSha,
    planHash: hashOf(plan),
    result,
    shas: work.shas,
    authored: shasOf(plan.ops, false),
    skipped: shasOf(plan.ops, true),
    runId,
    createdAt: now,
  });
  return result;
}

/** Gives back the lease of a plan that was refused, where the caller has it. */
async function release(
  { app, projectId, now }: Ctx,
  id: string,
  { leaseToken }: ReconcileBody,
): Promise<void> {
  const { kysely } = app.database;
  const ref = await findRef(kysely, projectId, id);
  if (ref === null) return;
  await releaseLease(kysely, projectId, id, { digest: leaseDigest(leaseToken), tries: ref.tries, now });
}

export const reconcileRef = endpoint(
  {
    id: "reconcileRef",
    method: "POST",
    path: "/api/v1/repohost/refs/{refId}/reconcile",
    tag: "Source work",
    summary: "Finish claimed work: drafts for what is announced, and a reason for what is not",
    description:
      "All of it or nothing. Every commit of the claim is drafted (`create`, `revise`) or skipped, and every withdrawal withdrawn. Nothing is launched, and an approval stays. The same plan again answers what it came to; a refusal gives the lease back.",
    keys: ["secret", "agent"],
    budget: "sources",
    tool: "An agent drafts from code under its lease, in a loop of its own.",
    managedOnly: true,
    refusals: "source",
    ownTransaction: true,
    bodyLimit: 512 * KIB,
    params: z.object({ refId: refInPath }),
    body: ReconcileBody,
    example: {
      leaseToken: "lease_AbCdEfGhIjKlMnOpQrStUvWxYz012345",
      sourceGeneration: 1,
      fromSha: "a".repeat(40),
      toSha: "b".repeat(40),
      rationale: "Users see that there is a dark mode; the other commit is for developers.",
      ops: [
        {
          op: "create",
          shas: ["b".repeat(40)],
          campaign: {
            name: "Dark mode is here",
            channel: "web_inapp",
            message: { presentation: "toast", title: "Dark mode is here" },
          },
        },
      ],
    },
    result: Reconciled,
    errors: ["forbidden", "not_found", "conflict"],
  },
  async (ctx, { params, body }) => {
    const { app } = ctx;
    const id = uuidFor("ref", params.refId);
    try {
      return await again(() =>
        app.database.kysely.transaction().execute((db) => reconcile({ ...ctx, db }, id, body)),
      );
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      await release(ctx, id, body);
      throw plain(error);
    }
  },
);

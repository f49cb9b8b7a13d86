import { z } from "zod";
import { pathIds } from "../../domain/fields.ts";
import { apiId } from "../../domain/ids.ts";
import { again } from "../../platform/db/transactions/again.ts";
import { atOneInstant } from "../../platform/db/transactions/at-one-instant.ts";
import { takenBack } from "../../platform/db/transactions/taken-back.ts";
import { type Ctx, endpoint, KIB } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import {
  audienceInWords,
  audienceWithNames,
  changedTexts,
  changesBetween,
} from "../agent/evaluations/proposals/review.pure.ts";
import { countAudience, isStale, listLive, type ProposalRow } from "../agent/evaluations/public.ts";
import { namesIn } from "../audit/public.ts";
import {
  assertRevision,
  byRequest,
  changeCampaign,
  changeStatus,
  findCampaign,
  requireCampaign,
  viewCampaignDetail,
} from "../campaigns/authoring/public.ts";
import { type CampaignDetail, UpdateCampaignBody } from "../campaigns/authoring/schema.ts";
import { readRestarts, readSetting } from "../deliveries/public.ts";
import { observeGuardrails } from "../guardrails/public.ts";
import { LaunchRoleRefusal } from "../people/public.ts";
import { readReach } from "../setup/public.ts";
import { CampaignReview, type LaunchRefused } from "./schema.ts";

type Names = Readonly<Record<string, string>>;

/** All of a campaign that a person can change, by path. Of its audience, what it says in words. */
function fieldsOf(campaign: CampaignDetail, names: Names): Record<string, unknown> {
  const { name, goalId, topicId, deliverFrom, deliverUntil, once, visitors, pages, push, variants } =
    campaign;
  const ofVariants = variants.flatMap(({ id, name: called, weight, isControl, content }) =>
    Object.entries({ name: called, weight, isControl, message: content }).map(([field, value]) => [
      `variants[${id}].${field}`,
      value,
    ]),
  );
  const audience = audienceWithNames(campaign.audience, names);
  const { sendTime, priority, patienceHours, urgent } = campaign;
  const when = { deliverFrom, deliverUntil, once, sendTime, priority, patienceHours, urgent };
  const own = { name, goalId, topicId, ...when, audience, visitors, pages, push };
  return { ...own, ...Object.fromEntries(ofVariants) };
}

async function view({ db, projectId, now }: Ctx, uuid: string): Promise<CampaignDetail> {
  const found = await viewCampaignDetail(db, projectId, uuid, now);
  if (found === null) throw new ApiError("not_found", "Campaign not found");
  return found;
}

/** Launches; answers why that is refused, or null where it is not. Needs the transaction that locked the campaign. */
async function launchRefusal(ctx: Ctx, uuid: string): Promise<LaunchRefused | null> {
  const campaign = await findCampaign(ctx.db, ctx.projectId, uuid);
  if (campaign === null) throw new ApiError("not_found", "Campaign not found");
  try {
    await changeStatus(ctx, campaign, "launch", byRequest(ctx));
    return null;
  } catch (error) {
    if (error instanceof LaunchRoleRefusal) return { reason: "launch_role", message: error.message };
    if (!(error instanceof ApiError) || error.code !== "conflict") throw error;
    const reason = error.fields.reason;
    return { reason: typeof reason === "string" ? reason : null, message: error.message };
  }
}

/** Those of some proposals that a change has made stale. */
async function lapsed(ctx: Ctx, live: readonly ProposalRow[]): Promise<CampaignReview["lapsing"]> {
  const lapsing: CampaignReview["lapsing"] = [];
  for (const proposal of live)
    if (await isStale(ctx, proposal))
      lapsing.push({ proposalId: apiId("prop", proposal.id), isApproved: proposal.status === "approved" });
  return lapsing;
}

/** The campaign before and after a change that is taken back, what would lapse, and what a launch would be refused for then. */
async function rehearse(
  ctx: Ctx,
  id: string,
  { patch, launch }: { patch?: UpdateCampaignBody | undefined; launch: boolean },
) {
  const campaign = await requireCampaign(ctx, id, "for update");
  await assertRevision(ctx.db, campaign, patch?.expectedRevision);
  const before = await view(ctx, campaign.id);
  const live = patch === undefined ? [] : await listLive(ctx, campaign.id);
  const setting = () => readSetting(ctx.db, ctx.projectId, campaign.id);
  const settingBefore = await setting();
  const changed = await takenBack(ctx.db, async () => {
    if (patch !== undefined) await changeCampaign(ctx, campaign, patch);
    const row = await findCampaign(ctx.db, ctx.projectId, campaign.id);
    const after = await view(ctx, campaign.id);
    const lapsing = await lapsed(ctx, live);
    const settingAfter = await setting();
    const refusal = launch ? await launchRefusal(ctx, campaign.id) : null;
    return {
      after,
      audience: row?.audience,
      push: row?.push ?? null,
      lapsing,
      refusal,
      settingAfter,
    };
  });
  return { campaign, before, settingBefore, ...changed };
}

export const reviewCampaign = endpoint(
  {
    id: "reviewCampaign",
    method: "POST",
    path: "/api/people/campaigns/{id}/review",
    tag: "Campaigns",
    summary: "See what a change or a launch of a campaign would do",
    description:
      "Changes the campaign as PATCH would with `patch`, compares, and takes it back; what PATCH would refuse is refused here. With `launch`, `refusal` says why a launch would be refused then.",
    keys: [],
    people: "editor",
    cost: "heavy",
    isRead: true,
    bodyLimit: 256 * KIB,
    params: z.object({ id: pathIds.campaign }),
    body: z.object({
      patch: UpdateCampaignBody.optional().describe("Changes of the campaign's texts."),
      launch: z.boolean().default(false).describe("Whether it runs from now on; otherwise it is a draft."),
    }),
    example: { patch: { name: "Offer the pro plan, again" } },
    result: CampaignReview,
    errors: ["not_found", "conflict"],
    reasons: ["guardrail_violated", "stale_revision"],
  },
  async (ctx, { params, body }) => {
    const { db, projectId, now } = ctx;
    const rehearsed = await again(() =>
      db.transaction().execute((tx) => rehearse({ ...ctx, db: tx }, params.id, body)),
    );
    const { campaign, before, after, audience, lapsing, refusal } = rehearsed;
    const settings = { before: rehearsed.settingBefore, after: rehearsed.settingAfter };
    const named = [before, after].map(({ goalId, topicId, audience }) => [goalId, topicId, audience]);
    const names = await namesIn(ctx, named);
    const changes = changesBetween(fieldsOf(before, names), fieldsOf(after, names));
    const counted = await atOneInstant(db, async (tx) => ({
      audience: await countAudience(tx, {
        projectId,
        now,
        campaign: { ...campaign, audience, visitors: after.visitors },
      }),
      guardrails: await observeGuardrails(tx, campaign, now),
      restarts: await readRestarts(tx, campaign, { ...settings, evaluatedAt: now }),
      reach: await readReach(
        { ...ctx, db: tx },
        {
          channel: campaign.channel,
          push: rehearsed.push,
          visitors: after.visitors,
        },
      ),
    }));
    return {
      changes,
      texts: changedTexts(changes),
      names,
      lapsing,
      refusal,
      at: now,
      audience: { summary: audienceInWords(after), ...counted.audience },
      guardrails: counted.guardrails,
      restarts: counted.restarts,
      reach: counted.reach,
    };
  },
);

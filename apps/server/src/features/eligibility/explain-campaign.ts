import { z } from "zod";
import { pathIds, storedUserId } from "../../domain/fields.ts";
import { type UserRef, userRef, uuidFor } from "../../domain/ids.ts";
import { isVisitorId } from "../../domain/visitors.pure.ts";
import type { Db } from "../../platform/db/db.ts";
import { atOneInstant } from "../../platform/db/transactions/at-one-instant.ts";
import { type Ctx, endpoint } from "../../platform/http/contract/endpoint.ts";
import { readStored } from "../audience/language/parse/stored.pure.ts";
import { explainExpression } from "../audience/language/public.ts";
import { unmetOf } from "../audience/language/unmet.pure.ts";
import { findSegmentName } from "../audience/segments/public.ts";
import { normalizePath } from "../campaigns/authoring/audience/pages.pure.ts";
import {
  type CampaignRow,
  findPass,
  isBehind,
  launchGates,
  listVariants,
  requireCampaign,
} from "../campaigns/authoring/public.ts";
import { isMet } from "../campaigns/authoring/rules.ts";
import { findGoal } from "../campaigns/goals/public.ts";
import { findTopic } from "../campaigns/topics/public.ts";
import { servingOf } from "../counting/usage/public.ts";
import type { AudienceFinding } from "../deliveries/gates/audience.ts";
import { readSubject } from "../deliveries/public.ts";
import { findNamedUser } from "../users/profiles/public.ts";
import { pagePath } from "../web/schema.ts";
import { CHANNELS } from "./channels.ts";
import { assertHasAudience } from "./has-audience.ts";
import { eligibilityOutcome } from "./rules.ts";
import { CampaignExplanation } from "./schema.ts";

/** What is missing before the channel of a campaign can send: the first refusal that a launch would get; null for none. */
async function channelFaultOf(ctx: Ctx, campaign: Pick<CampaignRow, "id" | "channel" | "purpose">) {
  for (const gate of ctx.app.askAll(launchGates)) {
    const refusal = await gate(ctx, campaign);
    if (refusal !== null) return refusal.message;
  }
  return null;
}

/** What is beside the row of a campaign: the names that people gave its goal, segment and variants, and how far its pass is. */
async function besideOf(db: Db, projectId: string, campaign: CampaignRow, stored: AudienceFinding["stored"]) {
  const { id, goalId, topicId } = campaign;
  const goal = goalId === null ? null : await findGoal(db, projectId, goalId);
  const topic = topicId === null ? null : await findTopic(db, projectId, ["id", topicId]);
  const segmentName =
    stored.kind === "segment" ? await findSegmentName(db, projectId, uuidFor("seg", stored.segmentId)) : null;
  const variants = await listVariants(db, projectId, id);
  const pass = await findPass(db, projectId, campaign);
  return { goalName: goal?.name ?? null, topicName: topic?.name ?? null, segmentName, variants, pass };
}

/** Whether a user is in an audience, and on what it lies. @param isReached whether the channel reaches such a user at all */
async function audienceOf(
  { db, projectId, now }: Pick<Ctx, "db" | "projectId" | "now">,
  stored: AudienceFinding["stored"],
  user: UserRef & { externalId: string },
  isReached: boolean,
): Promise<AudienceFinding> {
  if (!isReached) return { stored, matched: null, trace: null, unmet: [] };
  if (stored.kind === "all" || stored.kind === "invalid")
    return { stored, matched: stored.kind === "all", trace: null, unmet: [] };
  const { expression } = stored;
  const { matched, trace } = await explainExpression(db, projectId, user, expression, now);
  return { stored, matched, trace, unmet: unmetOf(expression.root, trace) };
}

export const explainCampaign = endpoint(
  {
    id: "explainCampaign",
    method: "POST",
    path: "/api/v1/campaigns/{id}/explain",
    tag: "Campaigns",
    summary: "Say why one user gets a campaign now, or does not",
    description:
      "Answers every gate between the campaign and the user, by the rules that deliver, and changes nothing. Works for drafts: the gate `status` does not pass, and the others say what a launch would find. Where nobody has this id, `outcome` is `unknown_user`, and the gates say what a user with it would get.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "campaigns",
    tool: {},
    oneInstant: "It opens its instant after asking whether anything is served.",
    cost: "heavy",
    isRead: true,
    params: z.object({ id: pathIds.campaign }),
    body: z.object({
      userId: storedUserId.describe("`eu_…`, or the id in your product."),
      path: pagePath.optional().describe("Path of the page: only what belongs there is answered."),
    }),
    example: { userId: "ada", path: "/reports" },
    result: CampaignExplanation,
    errors: ["not_found", "conflict"],
    reasons: ["transactional", "journey_step"],
  },
  async (ctx, { params, body }) => {
    const { app, projectId, now } = ctx;
    // Usage is remembered by this process, and read over connections of its own.
    const serving = await servingOf(app, projectId);
    return atOneInstant(ctx.db, async (db) => {
      const reading = { ...ctx, db };
      const campaign = assertHasAudience(await requireCampaign(reading, params.id));
      const user = await findNamedUser(reading, body.userId);
      const externalId = user?.externalId ?? body.userId;
      const ref = user ?? userRef(projectId, externalId);
      const { channel } = campaign;
      const isVisitor = isVisitorId(externalId);
      const { explain, makesUsers, isOpen } = CHANNELS[channel];
      const { delivery, ...subject } = await readSubject(db, projectId, ref, campaign.id);
      const stored = readStored(campaign.audience);
      const beside = await besideOf(db, projectId, campaign, stored);
      const isReached = subject.known !== null || makesUsers;
      const audience = await audienceOf(reading, stored, { ...subject, externalId }, isReached);
      const gates = await explain({
        ...subject,
        app,
        db,
        projectId,
        now,
        serving,
        externalId,
        audience,
        campaign: { ...campaign, ...beside },
        delivery: delivery === null ? null : { ...delivery, isOpen: isOpen(delivery.state) },
        isVisitor,
        isMet: isMet(campaign.visitors, isVisitor),
        isBehind: isBehind(beside.pass, subject),
        matches: () => audience.matched === true,
        path: body.path === undefined ? null : normalizePath(body.path),
        proofRequired: ctx.perimeter?.requiresProof ?? false,
        channelFault: await channelFaultOf(reading, campaign),
      });
      return {
        campaignId: params.id,
        channel,
        userId: externalId,
        evaluatedAt: now,
        ...eligibilityOutcome(gates),
        gates,
      };
    });
  },
);

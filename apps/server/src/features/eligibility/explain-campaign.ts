import { z } from "zod";
import { pathIds, storedUserId } from "../../domain/fields.ts";
import { userRef, uuidFor } from "../../domain/ids.ts";
import type { Db } from "../../platform/db/db.ts";
import { atOneInstant } from "../../platform/db/transactions/at-one-instant.ts";
import { type Ctx, endpoint } from "../../platform/http/contract/endpoint.ts";
import { readStored } from "../audience/language/parse/stored.pure.ts";
import { findSegmentName } from "../audience/segments/public.ts";
import { normalizePath } from "../campaigns/authoring/audience/pages.pure.ts";
import {
  type CampaignRow,
  findPass,
  launchGates,
  listVariants,
  requireCampaign,
} from "../campaigns/authoring/public.ts";
import { findGoal } from "../campaigns/goals/public.ts";
import { servingOf } from "../counting/usage/public.ts";
import { type Gates, readSubject } from "../deliveries/public.ts";
import { emailGates } from "../email/sending/public.ts";
import { pushGates } from "../push/sending/public.ts";
import { findNamedUser } from "../users/profiles/public.ts";
import { webGates } from "../web/public.ts";
import { pagePath } from "../web/schema.ts";
import { eligibilityOutcome } from "./rules.ts";
import { CampaignExplanation } from "./schema.ts";

const GATES: Readonly<Record<"web_inapp" | "email" | "push", Gates>> = {
  web_inapp: webGates,
  email: emailGates,
  push: pushGates,
};

/** What is missing before the channel of a campaign can send: the first refusal that a launch would get; null for none. */
async function channelFaultOf(ctx: Ctx, campaign: { id: string; channel: keyof typeof GATES }) {
  for (const gate of ctx.app.askAll(launchGates)) {
    const refusal = await gate(ctx, campaign);
    if (refusal !== null) return refusal.message;
  }
  return null;
}

/** What is beside the row of a campaign: the names that people gave its goal, segment and variants, and how far its pass is. */
async function besideOf(db: Db, projectId: string, campaign: CampaignRow) {
  const { id, goalId, audience } = campaign;
  const stored = readStored(audience);
  const goal = goalId === null ? null : await findGoal(db, projectId, goalId);
  const segmentName =
    stored.kind === "segment" ? await findSegmentName(db, projectId, uuidFor("seg", stored.segmentId)) : null;
  const variants = await listVariants(db, projectId, id);
  const pass = await findPass(db, projectId, campaign);
  return { goalName: goal?.name ?? null, segmentName, variants, pass };
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
    errors: ["not_found"],
  },
  async (ctx, { params, body }) => {
    const { app, projectId, now } = ctx;
    // Usage is remembered by this process, and read over connections of its own.
    const serving = await servingOf(app, projectId);
    return atOneInstant(ctx.db, async (db) => {
      const reading = { ...ctx, db };
      const campaign = await requireCampaign(reading, params.id);
      const user = await findNamedUser(reading, body.userId);
      const externalId = user?.externalId ?? body.userId;
      const ref = user ?? userRef(projectId, externalId);
      const subject = await readSubject(db, projectId, ref, campaign.id);
      const beside = await besideOf(db, projectId, campaign);
      const gates = await GATES[campaign.channel]({
        app,
        db,
        projectId,
        now,
        serving,
        subject,
        externalId,
        campaign: { ...campaign, ...beside },
        path: body.path === undefined ? null : normalizePath(body.path),
        proofRequired: ctx.perimeter?.requiresProof ?? false,
        channelFault: await channelFaultOf(reading, campaign),
      });
      const { channel } = campaign;
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

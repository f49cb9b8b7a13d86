import { z } from "zod";
import { pathIds } from "../../../domain/fields.ts";
import { apiId } from "../../../domain/ids.ts";
import { endpoint, KIB } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { violationFields } from "../goals/public.ts";
import { changeCampaign } from "./change-campaign.ts";
import { warningsOf, withWarnings } from "./message/warnings.ts";
import { pathOfMessage } from "./references.ts";
import { requireCampaign } from "./require-campaign.ts";
import { assertRevision } from "./revision.ts";
import { isFromSource, messageKindOf } from "./rules.ts";
import { CampaignDetail, UpdateCampaignBody } from "./schema.ts";
import { viewCampaignDetail } from "./view.ts";

/** The messages of a request, each with its place. */
const messagesOf = (body: UpdateCampaignBody) =>
  (body.variants ?? [{ message: body.message }]).flatMap(({ message }, index) =>
    message === undefined ? [] : [{ content: message, at: pathOfMessage(body, index) }],
  );

type Brief = Pick<
  CampaignDetail,
  | "name"
  | "goalId"
  | "visitors"
  | "pages"
  | "deliverFrom"
  | "deliverUntil"
  | "once"
  | "sendTime"
  | "priority"
  | "patienceHours"
  | "urgent"
>;

/** The short fields that a change names, for the audit log. Texts are too long for it: it says that they were changed. */
const brieflyOf = (campaign: Brief, body: UpdateCampaignBody): Record<string, unknown> => {
  const { name, goalId, visitors, pages, deliverFrom, deliverUntil, once } = campaign;
  const { sendTime, priority, patienceHours, urgent } = campaign;
  const when = { deliverFrom, deliverUntil, once, sendTime, priority, patienceHours, urgent };
  return Object.fromEntries(
    Object.entries({ name, goalId, visitors, pages, ...when }).filter(
      ([field]) => body[field as keyof Brief] !== undefined,
    ),
  );
};

export const updateCampaign = endpoint(
  {
    id: "updateCampaign",
    method: "PATCH",
    path: "/api/v1/campaigns/{id}",
    audit: "changed a campaign",
    tag: "Campaigns",
    summary: "Change a campaign",
    description:
      "Any subset of the fields. Deliveries that exist are never touched. A `variants` entry with an `id` changes that variant, one without makes a variant; weight 0 retires one. A later `deliverUntil` resumes an expired campaign.",
    keys: ["secret"],
    people: "editor",
    reachesUsers: true,
    budget: "campaigns",
    // As with createCampaign.
    tool: {
      isDestructive: true,
      hides: ["targeting", "sourceChanges", "sendTime", "priority", "patienceHours", "urgent"],
    },
    bodyLimit: 256 * KIB,
    params: z.object({ id: pathIds.campaign }),
    body: UpdateCampaignBody,
    example: { name: "Offer the pro plan, again", pages: ["/reports*", "/pricing"], deliverUntil: null },
    result: z.object({ campaign: CampaignDetail.describe("The campaign."), ...withWarnings }),
    errors: ["not_found", "conflict"],
    reasons: ["guardrail_violated", "stale_revision", "source_managed"],
    refusalFields: {
      ...violationFields,
      revision: {
        type: "string",
        maxLength: 64,
        description:
          "With `stale_revision`: the revision of the campaign now, or of what it declares where that one is stale.",
      },
    },
  },
  async (ctx, { params, body }) => {
    const before = await requireCampaign(ctx, params.id, "for update");
    await assertRevision(ctx.db, before, body.expectedRevision);
    if (body.sourceChanges !== undefined && isFromSource(before))
      throw new ApiError(
        "conflict",
        "Source work says which changes this campaign announces: leave sourceChanges out.",
        {
          fields: { reason: "source_managed" },
        },
      );
    await changeCampaign(ctx, before, body);
    const campaign = await viewCampaignDetail(ctx.db, ctx.projectId, before.id, ctx.now);
    if (campaign === null) throw new ApiError("not_found", "Campaign not found");
    const goalId = before.goalId === null ? null : apiId("goal", before.goalId);
    const [was, is] = [brieflyOf({ ...before, goalId }, body), brieflyOf(campaign, body)];
    if (Object.keys(is).length > 0) ctx.describe({ before: was, after: is });
    return { campaign, ...(await warningsOf(ctx, messageKindOf(before), messagesOf(body))) };
  },
);

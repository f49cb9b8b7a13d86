import { z } from "zod";
import { pathIds } from "../../domain/fields.ts";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { requireCampaign } from "../campaigns/authoring/public.ts";
import { readApprovalRevision, readDetail } from "../launch/public.ts";
import { ActivationApproval } from "./schema.ts";
import { findApproval } from "./store.ts";

export const getActivationApproval = endpoint(
  {
    id: "getActivationApproval",
    method: "GET",
    path: "/api/people/campaigns/{id}/activation/approval",
    tag: "Launches",
    summary: "Read whether people have allowed a campaign to launch by itself, and what they decide about",
    keys: [],
    people: "viewer",
    oneInstant: true,
    params: z.object({ id: pathIds.campaign }),
    result: ActivationApproval,
    errors: ["not_found"],
  },
  async (ctx, { params }) => {
    const { db, projectId, now } = ctx;
    const { id } = await requireCampaign(ctx, params.id);
    const approval = await findApproval(db, projectId, id);
    return {
      revision: await readApprovalRevision(db, projectId, await readDetail(db, projectId, id, now)),
      approvedBy: approval?.approvedBy ?? null,
      approvedAt: approval?.approvedAt ?? null,
      approvedRevision: approval?.revision ?? null,
    };
  },
);

import { z } from "zod";
import { pathIds } from "../../../domain/fields.ts";
import { uuidFor } from "../../../domain/ids.ts";
import { endpoint, personOf } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { reasonText } from "../../../platform/http/contract/fields.ts";
import { STATUS_REASONS } from "../../campaigns/authoring/public.ts";
import { StoredStatus } from "../../campaigns/authoring/schema.ts";
import { violationFields } from "../../campaigns/goals/public.ts";
import { roleOf } from "../../people/public.ts";
import { launchByPerson } from "../judging/by-person.ts";

export const overrideLaunch = endpoint(
  {
    id: "overrideLaunch",
    method: "POST",
    path: "/api/people/campaigns/{id}/activation/override",
    audit: "launched a campaign although changes were not live",
    tag: "Launches",
    summary: "Launch a campaign although changes that it announces are not live everywhere",
    description:
      "Guardrails and channel have to be ready all the same. Who it was and why stand in its receipt.",
    keys: [],
    people: "approver",
    fresh: true,
    params: z.object({ id: pathIds.campaign }),
    body: z.object({ reason: reasonText(80) }),
    example: { reason: "The flag is on for everybody" },
    result: z.object({ status: StoredStatus.describe("The campaign's status now.") }),
    errors: ["not_found", "conflict"],
    reasons: STATUS_REASONS.filter((reason) => reason !== "coverage_missing"),
    refusalFields: violationFields,
  },
  async (ctx, { params, body: { reason } }) => {
    const { name: by } = personOf(ctx);
    const status = await launchByPerson(ctx, uuidFor("cmp", params.id), { by, reason }, roleOf(ctx));
    if (status === null) throw new ApiError("not_found", "Campaign not found");
    ctx.describe({ after: { status, reason } });
    return { status };
  },
);

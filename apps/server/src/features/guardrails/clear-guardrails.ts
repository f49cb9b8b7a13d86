import { z } from "zod";
import { pathIds } from "../../domain/fields.ts";
import { uuidFor } from "../../domain/ids.ts";
import { endpoint, personOf } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { count, reasonText } from "../../platform/http/contract/fields.ts";
import { clearBreaches } from "./clear.ts";

export const clearGuardrails = endpoint(
  {
    id: "clearGuardrails",
    method: "POST",
    path: "/api/people/campaigns/{id}/guardrails/clear",
    audit: "let a campaign paused for a limit be launched again",
    tag: "Goals",
    summary: "Let a campaign that was paused for a limit of its goal be launched again",
    description: "Its rates are counted from now on. It launches nothing.",
    keys: [],
    people: "approver",
    params: z.object({ id: pathIds.campaign }),
    body: z.object({ reason: reasonText(80) }),
    example: { reason: "The mail went to the wrong list" },
    result: z.object({ cleared: count.describe("How many pauses were cleared.") }),
    errors: ["not_found"],
  },
  async (ctx, { params, body: { reason } }) => {
    const { db, projectId, now: at } = ctx;
    const decision = { by: personOf(ctx).name, reason, at };
    const cleared = await clearBreaches(db, projectId, uuidFor("cmp", params.id), decision);
    if (cleared === null) throw new ApiError("not_found", "Campaign not found");
    ctx.describe({ after: { cleared, reason } });
    return { cleared };
  },
);

import { z } from "zod";
import { pathIds } from "../../../../domain/fields.ts";
import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../../platform/http/contract/errors.ts";
import { pathId } from "../../../../platform/http/contract/fields.ts";
import { PushAttempt, PushOutcome } from "../schema.ts";
import { requirePushCampaign } from "./inspect.ts";
import { listAttempts, listOutcomes, listTargets } from "./submissions-store.ts";
import { findTest } from "./test-store.ts";

const ALL = { offset: 0, limit: 100 };

export const getPushTest = endpoint(
  {
    id: "getPushTest",
    method: "GET",
    path: "/api/v1/campaigns/{id}/push/tests/{requestId}",
    tag: "Push",
    summary: "What became of a test push",
    keys: ["secret"],
    people: "viewer",
    budget: "campaigns",
    tool: "The person who sent the test looks at what became of it.",
    oneInstant: true,
    params: z.object({
      id: pathIds.campaign,
      requestId: pathId.meta({ description: "Your id of the test.", example: "first-look" }),
    }),
    result: z.strictObject({
      requestId: z
        .string()
        .min(1)
        .max(128)
        .meta({ description: "Your id of the test.", example: "first-look" }),
      installationId: z
        .string()
        .min(1)
        .max(128)
        .meta({ description: "The installation, by the id that the app made up.", example: "phone-1" }),
      targetIds: z
        .array(z.string().min(1).max(128))
        .max(10_000)
        .meta({ description: "Targets of the test.", example: ["tgt_1"] }),
      attempts: z.array(PushAttempt).max(100).describe("Attempts to send."),
      outcomes: z.array(PushOutcome).max(100).describe("What became of attempts."),
    }),
    errors: ["not_found", "conflict"],
  },
  async (ctx, { params }) => {
    const { db, projectId } = ctx;
    const campaign = await requirePushCampaign(ctx, params.id);
    const test = await findTest(db, projectId, campaign.id, params.requestId);
    if (test === null) throw new ApiError("not_found", "Test not found");
    const sending = { projectId, campaignId: campaign.id, testId: test.id };
    const targets = await listTargets(db, sending, ALL);
    return {
      requestId: params.requestId,
      installationId: test.installationId,
      targetIds: targets.map(({ id }) => id),
      attempts: await listAttempts(db, sending, ALL),
      outcomes: await listOutcomes(db, sending, ALL),
    };
  },
);

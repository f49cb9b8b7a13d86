import { z } from "zod";
import { uuidFor } from "../../domain/ids.ts";
import { endpoint, KIB, Replay } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { newUuid } from "../../platform/uuid.ts";
import { kindFault } from "./kinds.pure.ts";
import { spendDay } from "./quota.ts";
import { referenceFault } from "./rules.ts";
import { AgentRun, CreateAgentRunBody } from "./schema.ts";
import { insertRun } from "./store.ts";

export const createAgentRun = endpoint(
  {
    id: "createAgentRun",
    method: "POST",
    path: "/api/v1/agent-runs",
    tag: "Agent runs",
    summary: "Log a decision of an agent",
    description:
      "With an `idempotencyKey`, which is unique in the project, a repeat is answered with the original run and 200, whatever it says itself. `writtenBy` of the run says which key logged it. What the keys of a project log in a UTC day, transcripts included, is bounded.",
    keys: ["secret", "agent"],
    budget: "runs",
    tool: {},
    bodyLimit: 64 * KIB,
    body: CreateAgentRunBody,
    example: {
      kind: "evaluation",
      campaignId: "cmp_019bc186-de00-730f-8ef3-c275ce72ed99",
      input: { shown: 120, converted: 9 },
      output: { action: "keep" },
      rationale: "Converts better than the one before.",
      idempotencyKey: "evaluation-2026-01-15",
    },
    status: 201,
    replays: true,
    result: z.object({ run: AgentRun.describe("The run.") }),
    errors: ["conflict"],
    reasons: ["day_is_full"],
  },
  async (ctx, { body }) => {
    const { kind, goalId = null, campaignId = null } = body;
    const { run, isNew } = await insertRun(ctx.db, ctx.projectId, {
      id: newUuid(ctx.now),
      kind,
      goalId: uuidFor("goal", goalId),
      campaignId: uuidFor("cmp", campaignId),
      input: body.input ?? null,
      output: body.output ?? null,
      rationale: body.rationale ?? null,
      idempotencyKey: body.idempotencyKey ?? null,
      createdAt: ctx.now,
      writtenBy: ctx.keyKind === "agent" ? "agent" : "api",
    });
    if (!isNew) return new Replay({ run });
    // Checked after the insert, so that a repeat of an earlier request is answered before its body is judged. A refusal rolls the insert back.
    const fault = kindFault(kind) ?? referenceFault(kind, { goalId, campaignId }, run);
    if (fault !== null) throw new ApiError("invalid_request", fault);
    await spendDay(ctx, [kind, body.input, body.output, body.rationale, body.idempotencyKey]);
    return { run };
  },
);

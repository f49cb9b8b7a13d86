import { z } from "zod";
import { type Ctx, endpoint, KIB, makerOf, Replay } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { newUuid } from "../../../platform/uuid.ts";
import { resolveRun } from "../../runs/public.ts";
import { requireExpression } from "../language/public.ts";
import { requireVersion } from "./require-segment.ts";
import { CreateSegmentBody, SegmentDetail } from "./schema.ts";
import { findSegment, insertSegment, insertVersion, type SegmentRow } from "./store.ts";
import { toSegmentDetail } from "./view.ts";

async function detailOf(ctx: Ctx, segment: SegmentRow): Promise<SegmentDetail> {
  const current = await requireVersion(ctx, segment);
  return toSegmentDetail(segment, current);
}

export const createSegment = endpoint(
  {
    id: "createSegment",
    method: "POST",
    path: "/api/v1/segments",
    audit: "made a segment",
    tag: "Segments",
    summary: "Name an audience",
    description:
      "Version 1 is made in the same step. With an `idempotencyKey`, a repeat is answered with the segment that the first one made, and 200.",
    keys: ["secret"],
    people: "editor",
    reachesUsers: "Campaigns take it by a change of their own.",
    budget: "audiences",
    tool: {},
    bodyLimit: 64 * KIB,
    body: CreateSegmentBody,
    example: {
      key: "pro-users",
      name: "On the pro plan",
      expression: {
        version: 1,
        root: { kind: "field", field: { kind: "trait", key: "plan" }, op: "eq", value: "pro" },
      },
    },
    status: 201,
    replays: true,
    result: z.object({ segment: SegmentDetail.describe("The segment.") }),
    errors: ["conflict"],
  },
  async (ctx, { body }) => {
    const { db, projectId, now } = ctx;
    const { key, name, idempotencyKey = null } = body;
    const id = newUuid(now);
    const description = body.description ?? null;
    const made = { createdBy: makerOf(ctx), createdAt: now };
    const isNew = await insertSegment(db, projectId, { id, key, name, description, idempotencyKey, ...made });
    if (!isNew) {
      const earlier =
        idempotencyKey === null ? null : await findSegment(db, projectId, ["idempotencyKey", idempotencyKey]);
      if (earlier === null) throw new ApiError("conflict", "key is taken by another segment");
      const original = await detailOf(ctx, earlier);
      return new Replay({ segment: original });
    }
    // Checked after the insert, so that a repeat of an earlier request is answered before its body is judged. A refusal rolls the insert back.
    const expression = await requireExpression(db, projectId, body.expression);
    const agentRunId = await resolveRun(ctx, body.agentRunId ?? null);
    const reason = body.reason ?? null;
    const version = { id: newUuid(now), segmentId: id, version: 1, expression, reason, agentRunId, ...made };
    await insertVersion(db, projectId, version);
    const segment = await findSegment(db, projectId, ["id", id]);
    if (segment === null) throw new Error("The segment that was just made is not there.");
    const detail = await detailOf(ctx, segment);
    ctx.describe({
      after: { name, key, version: 1, audience: detail.summary, ...(reason !== null && { reason }) },
    });
    return { segment: detail };
  },
);

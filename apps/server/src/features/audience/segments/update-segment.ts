import { z } from "zod";
import { apiId } from "../../../domain/ids.ts";
import { type Ctx, endpoint, KIB, makerOf } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { patch } from "../../../platform/http/contract/fields.ts";
import { newUuid } from "../../../platform/uuid.ts";
import { resolveRun } from "../../runs/public.ts";
import { requireExpression } from "../language/public.ts";
import { requireSegment, requireVersion } from "./require-segment.ts";
import { alongsideUpdate, SegmentDetail, segmentInPath, updateSegmentFields } from "./schema.ts";
import { insertVersion, type SegmentRow, updateSegmentRow, type VersionRow } from "./store.ts";
import { summaryOf, toSegmentDetail } from "./view.ts";

const UpdateSegmentBody = patch(updateSegmentFields, alongsideUpdate).check((ctx) => {
  const { name, description, expression, ...alongside } = ctx.value;
  const refuse = (field: string, message: string) =>
    ctx.issues.push({ code: "custom", path: [field], message, input: ctx.value });
  if (expression !== undefined && alongside.expectedVersion === undefined)
    refuse("expectedVersion", "is required with expression");
  if (name !== undefined || description !== undefined || expression !== undefined) return;
  for (const [field, value] of Object.entries(alongside))
    if (value !== undefined) refuse(field, "goes with name, description or expression");
});
type Body = z.output<typeof UpdateSegmentBody>;

/** @throws ApiError conflict when another request has revised the segment meanwhile */
function assertCurrent({ currentVersion }: SegmentRow, expected: number | undefined): void {
  if (expected === undefined || expected === currentVersion) return;
  throw new ApiError("conflict", `expectedVersion is stale: the segment is at version ${currentVersion}`, {
    fields: { currentVersion },
  });
}

/** Makes the next version; answers its number. */
async function revise(ctx: Ctx, segment: SegmentRow, body: Body): Promise<number> {
  const expression = await requireExpression(ctx.db, ctx.projectId, body.expression);
  if (segment.status === "archived")
    throw new ApiError("conflict", "This segment is archived: its rules can no longer be revised.");
  assertCurrent(segment, body.expectedVersion);
  const version = segment.currentVersion + 1;
  const agentRunId = await resolveRun(ctx, body.agentRunId ?? null);
  await insertVersion(ctx.db, ctx.projectId, {
    id: newUuid(ctx.now),
    segmentId: segment.id,
    version,
    expression,
    reason: body.reason ?? null,
    agentRunId,
    createdBy: makerOf(ctx),
    createdAt: ctx.now,
  });
  return version;
}

/** What a request changes of a segment, for the audit log. */
const brieflyOf = ({ name, description }: SegmentRow, current: VersionRow, body: Body) => ({
  ...(body.name !== undefined && { name }),
  ...(body.description !== undefined && { description }),
  ...(body.expression !== undefined && { version: current.version, audience: summaryOf(current) }),
});

export const updateSegment = endpoint(
  {
    id: "updateSegment",
    method: "PATCH",
    path: "/api/v1/segments/{id}",
    audit: "changed a segment",
    tag: "Segments",
    summary: "Rename a segment, or revise its rules",
    description:
      "An `expression` makes the next version and needs `expectedVersion`; name and description make none, and keep neither `reason` nor `agentRunId`. Campaigns keep the version that they pinned.",
    keys: ["secret"],
    people: "editor",
    reachesUsers: "Campaigns keep the version that they pinned.",
    budget: "audiences",
    tool: { isDestructive: true },
    bodyLimit: 64 * KIB,
    params: z.object({ id: segmentInPath }),
    body: UpdateSegmentBody,
    example: {
      expression: {
        version: 1,
        root: { kind: "field", field: { kind: "trait", key: "plan" }, op: "eq", value: "pro" },
      },
      expectedVersion: 1,
      reason: "Teams are another product now.",
    },
    result: z.object({ segment: SegmentDetail.describe("The segment.") }),
    errors: ["not_found", "conflict"],
  },
  async (ctx, { params, body }) => {
    const segment = await requireSegment(ctx, params.id, "for update");
    if (body.expression === undefined) {
      assertCurrent(segment, body.expectedVersion);
      await resolveRun(ctx, body.agentRunId ?? null);
    }
    const was = await requireVersion(ctx, segment);
    const change = {
      ...(body.name === undefined ? {} : { name: body.name }),
      ...(body.description === undefined ? {} : { description: body.description }),
      ...(body.expression === undefined ? {} : { currentVersion: await revise(ctx, segment, body) }),
      updatedAt: ctx.now,
    };
    await updateSegmentRow(ctx.db, ctx.projectId, segment.id, change);
    const changed = { ...segment, ...change };
    const current = await requireVersion(ctx, changed);
    const [before, after] = [brieflyOf(segment, was, body), brieflyOf(changed, current, body)];
    ctx.describe({
      target: apiId("seg", segment.id),
      before,
      after: { ...after, ...(body.expression !== undefined && body.reason && { reason: body.reason }) },
    });
    return { segment: toSegmentDetail(changed, current) };
  },
);

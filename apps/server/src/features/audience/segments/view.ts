import { apiId } from "../../../domain/ids.ts";
import { parseExpression } from "../language/parse/parse.pure.ts";
import { describeExpression } from "../language/public.ts";
import type { Segment, SegmentDetail, SegmentVersion } from "./schema.ts";
import type { SegmentRow, VersionRow } from "./store.ts";

/** The expression of a version with its hash and summary. */
export function describeVersion({ expression }: Pick<VersionRow, "expression">) {
  const parsed = parseExpression(expression);
  if (!parsed.ok) throw new Error("A stored version of an audience cannot be read.");
  return describeExpression(parsed.expression);
}

/** The summary of a version; null for one that cannot be read, so that the list with its segment is answered nevertheless. */
export function summaryOf({ expression }: VersionRow): string | null {
  const parsed = parseExpression(expression);
  return parsed.ok ? describeExpression(parsed.expression).summary : null;
}

/** A segment as lists show it. */
export function toSegment(segment: SegmentRow, current: VersionRow): Segment {
  return {
    id: apiId("seg", segment.id),
    key: segment.key,
    name: segment.name,
    description: segment.description,
    status: segment.status,
    currentVersion: segment.currentVersion,
    currentAudienceVersionId: apiId("aud", current.id),
    summary: summaryOf(current),
    createdBy: segment.createdBy,
    createdAt: segment.createdAt,
    updatedAt: segment.updatedAt,
  };
}

export const toSegmentDetail = (segment: SegmentRow, current: VersionRow): SegmentDetail => ({
  ...toSegment(segment, current),
  ...describeVersion(current),
  reason: current.reason,
});

export function toSegmentVersion(row: VersionRow): SegmentVersion {
  const { schemaVersion, expressionHash, summary } = describeVersion(row);
  return {
    audienceVersionId: apiId("aud", row.id),
    version: row.version,
    schemaVersion,
    expressionHash,
    summary,
    reason: row.reason,
    agentRunId: row.agentRunId === null ? null : apiId("run", row.agentRunId),
    createdBy: row.createdBy,
    createdAt: row.createdAt,
  };
}

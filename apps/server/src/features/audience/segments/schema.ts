import { z } from "zod";
import { count, epochMs, text } from "../../../platform/http/contract/fields.ts";
import { Diagnostic, Expression, ExpressionInput } from "../language/schema.ts";

const id = z.string().max(128);
const summary = z.string().max(100_000);
const hash = z.string().max(64);
const version = z.int().min(1).max(1_000_000);

export const SegmentStatus = z.enum(["active", "archived"]);

/** A named audience with numbered versions. */
export const Segment = z
  .object({
    id,
    key: z.string().max(64),
    name: z.string().max(80),
    description: z.string().max(1_000).nullable(),
    status: SegmentStatus,
    currentVersion: version,
    currentAudienceVersionId: id,
    summary: summary.nullable(),
    createdBy: z.string().max(40),
    createdAt: epochMs,
    updatedAt: epochMs,
  })
  .meta({ id: "Segment" });
export type Segment = z.infer<typeof Segment>;

export const SegmentDetail = Segment.extend({
  schemaVersion: z.int().min(1).max(1),
  expression: Expression,
  expressionHash: hash,
  reason: z.string().max(500).nullable(),
}).meta({ id: "SegmentDetail" });
export type SegmentDetail = z.infer<typeof SegmentDetail>;

/** A version of a segment. It never changes. */
export const SegmentVersion = z
  .object({
    audienceVersionId: id,
    version,
    schemaVersion: z.int().min(1).max(1),
    expressionHash: hash,
    summary: summary.nullable(),
    reason: z.string().max(500).nullable(),
    agentRunId: id.nullable(),
    createdBy: z.string().max(40),
    createdAt: epochMs,
  })
  .meta({ id: "SegmentVersion" });
export type SegmentVersion = z.infer<typeof SegmentVersion>;

export const SegmentVersionDetail = SegmentVersion.extend({ expression: Expression }).meta({
  id: "SegmentVersionDetail",
});

const key = text(64)
  .refine(
    (value) => /^[a-z0-9]([a-z0-9_-]*[a-z0-9])?$/.test(value),
    "must be lowercase letters, digits, - and _, and begin and end with a letter or digit",
  )
  .refine((value) => !value.startsWith("seg_"), "must not begin with seg_, as ids do")
  .meta({ pattern: "^(?!seg_)[a-z0-9]([a-z0-9_-]*[a-z0-9])?$" });

const fields = {
  name: text(80),
  description: text(1_000, 0).nullable(),
  expression: ExpressionInput,
  reason: text(500, 0),
  agentRunId: text(128).nullable(),
};

export const CreateSegmentBody = z.object({
  key,
  name: fields.name,
  expression: fields.expression,
  description: fields.description.optional(),
  reason: fields.reason.optional(),
  agentRunId: fields.agentRunId.optional(),
  idempotencyKey: text(128).optional(),
});

export const updateSegmentFields = {
  name: fields.name,
  description: fields.description,
  expression: fields.expression,
};
/** Fields that go with a change of a segment, but are no change by themselves. */
export const alongsideUpdate = {
  reason: fields.reason,
  agentRunId: fields.agentRunId,
  expectedVersion: version,
};

export const CampaignsOfSegment = z.object({
  all: count.describe("Campaigns that pin a version."),
  open: count.describe("Those of them that have not ended."),
});
const madeBy = z.string().max(256).nullable().describe("Name of the person who made it; null for a program.");

/** A segment as a person looks for it: with its campaigns and its author. */
export const FoundSegment = Segment.extend({ campaigns: CampaignsOfSegment, madeBy }).meta({
  id: "FoundSegment",
});

/** A version in the history of a segment. */
export const PastVersion = SegmentVersion.extend({ campaigns: CampaignsOfSegment, madeBy }).meta({
  id: "PastSegmentVersion",
});

/** What differs between two versions of a segment: in words, and in users. */
export const VersionComparison = z
  .object({
    segmentId: id,
    from: version,
    to: version,
    ops: z
      .array(z.object({ op: z.enum(["keep", "delete", "insert"]), words: summary }))
      .max(100_000)
      .describe("What becomes of each word between both summaries."),
    evaluatedAt: epochMs.describe("When users were counted."),
    before: count.describe("Users whom the version `from` matches."),
    after: count.describe("Users whom the version `to` matches."),
    joining: count.describe("Users whom only `to` matches."),
    leaving: count.describe("Users whom only `from` matches."),
  })
  .meta({ id: "SegmentComparison" });

/** Which audience is meant: exactly one of an expression and a segment. */
export const audienceQuestion = {
  expression: ExpressionInput.optional(),
  segment: text(128).optional().describe("Id or key of a segment."),
  version: version.optional().describe("Of the segment; its current one where it is left out."),
};

type AudienceQuestion = { expression?: unknown; segment?: string | undefined; version?: number | undefined };

/** Why the question is refused, or null. */
export function questionFault({ expression, segment, version: ofVersion }: AudienceQuestion): string | null {
  if ((expression === undefined) === (segment === undefined))
    return "exactly one of expression and segment is required";
  return ofVersion !== undefined && segment === undefined ? "version goes with segment" : null;
}

/** The segment that an answer is about. */
export const NamedSegment = z.object({ id, key: z.string().max(64), version });

/** A user whom an audience matches, with the traits and events that the audience names. */
const Sample = z
  .object({
    externalUserId: z.string().max(256),
    firstSeenAt: epochMs,
    lastSeenAt: epochMs,
    traits: z.record(z.string(), z.unknown()),
    events: z.record(z.string(), count),
  })
  .meta({ id: "AudienceSample" });

export const AudienceCheck = z
  .object({
    expression: Expression,
    expressionHash: hash,
    summary,
    diagnostics: z.array(Diagnostic).max(100),
    evaluatedAt: epochMs,
    countType: z.literal("exact"),
    matchedCount: count,
    totalUsers: count,
    samples: z.array(Sample).max(25),
    segment: NamedSegment.optional(),
  })
  .meta({ id: "AudienceCheck" });

/** The result of one node of an expression for one user. */
export type Trace = {
  path: string;
  matched: boolean;
  kind: string;
  children?: Trace[] | undefined;
  child?: Trace | undefined;
  [more: string]: unknown;
};
export const TraceNode: z.ZodType<Trace> = z
  .lazy(() =>
    z.looseObject({
      path: z.string().max(1_000),
      kind: z.string().max(20),
      matched: z.boolean(),
      children: z.array(TraceNode).max(16).optional(),
      child: TraceNode.optional(),
    }),
  )
  .meta({ id: "AudienceTraceNode" });

export const AudienceExplanation = z
  .object({
    user: z.object({ externalUserId: z.string().max(256), firstSeenAt: epochMs, lastSeenAt: epochMs }),
    matched: z.boolean(),
    evaluatedAt: epochMs,
    expressionHash: hash,
    trace: TraceNode,
    segment: NamedSegment.optional(),
  })
  .meta({ id: "AudienceExplanation" });

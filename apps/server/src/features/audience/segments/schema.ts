import { z } from "zod";
import { answerIds, example } from "../../../domain/fields.ts";
import { count, epochMs, mention, pathId, text } from "../../../platform/http/contract/fields.ts";
import { Diagnostic, Expression, ExpressionInput } from "../language/schema.ts";

const id = z.string().max(128);
export const segmentId = id.meta({ description: "Id of the segment.", example: example.segment });
export const segmentInPath = pathId.meta({ description: "The segment, by id or key.", example: "on-pro" });
const summary = z.string().max(100_000);
const expressionHash = z.string().max(64).meta({
  description: "SHA-256 of the expression in its canonical form: the same for the same meaning.",
  example: example.hash,
});
const expression = Expression.meta({
  description: "Who is meant: a tree of conditions.",
  example: {
    version: 1,
    root: { kind: "field", field: { kind: "trait", key: "plan" }, op: "eq", value: "pro" },
  },
});
const version = z.int().min(1).max(1_000_000);

export const SegmentStatus = z.enum(["active", "archived"]);

/** A named audience with numbered versions. */
export const Segment = z
  .object({
    id: segmentId,
    key: z.string().max(64).meta({
      description: "A name for programs: lowercase letters, digits, `-` and `_`.",
      example: "on-pro",
    }),
    name: z.string().max(80).meta({ description: "What people call it.", example: "On the pro plan" }),
    description: z.string().max(1_000).nullable().describe("What else there is to say of it."),
    status: SegmentStatus.describe("Its state."),
    currentVersion: version.meta({ description: "Number of its present version.", example: 1 }),
    currentAudienceVersionId: id.meta({
      description: "Id of the present version of its audience.",
      example: example.audienceVersion,
    }),
    summary: summary.nullable().meta({ description: "The expression in words.", example: "plan is pro" }),
    createdBy: z
      .string()
      .max(40)
      .meta({ description: "Who made it: `human`, `api` or `agent`.", example: "api" }),
    createdAt: epochMs,
    updatedAt: epochMs,
  })
  .meta({ id: "Segment" });
export type Segment = z.infer<typeof Segment>;

export const SegmentDetail = Segment.extend({
  schemaVersion: z.int().min(1).max(1).meta({ description: "Version of the language.", example: 1 }),
  expression,
  expressionHash,
  reason: z.string().max(500).nullable().describe("Why, for people who read it later."),
}).meta({ id: "SegmentDetail" });
export type SegmentDetail = z.infer<typeof SegmentDetail>;

/** A version of a segment. It never changes. */
export const SegmentVersion = z
  .object({
    audienceVersionId: id.meta({
      description: "Id of this version of an audience, which never changes.",
      example: example.audienceVersion,
    }),
    version: version.meta({ description: "Its number, from 1.", example: 1 }),
    schemaVersion: z.int().min(1).max(1).meta({ description: "Version of the language.", example: 1 }),
    expressionHash,
    summary: summary.nullable().meta({ description: "The expression in words.", example: "plan is pro" }),
    reason: z.string().max(500).nullable().describe("Why, for people who read it later."),
    agentRunId: id.nullable().meta({ description: "The agent run that decided it.", example: example.run }),
    createdBy: z
      .string()
      .max(40)
      .meta({ description: "Who made it: `human`, `api` or `agent`.", example: "api" }),
    createdAt: epochMs,
  })
  .meta({ id: "SegmentVersion" });
export type SegmentVersion = z.infer<typeof SegmentVersion>;

export const SegmentVersionDetail = SegmentVersion.extend({
  expression,
}).meta({
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
  name: text(80).describe("What people call it."),
  description: text(1_000, 0).nullable().describe("What else there is to say of it."),
  expression: ExpressionInput.describe("Who is meant: a tree of conditions."),
  reason: text(500, 0).describe("Why, for people who read it later."),
  agentRunId: text(128).nullable().describe("The agent run that decided it."),
};

export const CreateSegmentBody = z.object({
  key: key.describe("A name for programs: lowercase letters, digits, `-` and `_`."),
  name: fields.name,
  expression: fields.expression,
  description: fields.description.optional(),
  reason: fields.reason.optional(),
  agentRunId: fields.agentRunId.optional(),
  idempotencyKey: text(128)
    .optional()
    .describe("Unique in the project: a repeat with it makes nothing, and is answered the original."),
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
  expectedVersion: version.describe(
    "The version that the new one follows: 409 where somebody else was faster.",
  ),
};

export const CampaignsOfSegment = z.object({
  all: count.describe("Campaigns that pin a version."),
  open: count.describe("Those of them that have not ended."),
});
const madeBy = z.string().max(256).nullable().describe("Name of the person who made it; null for a program.");

/** A segment as a person looks for it: with its campaigns and its author. */
export const FoundSegment = Segment.extend({
  campaigns: CampaignsOfSegment.describe("The campaigns."),
  madeBy,
}).meta({
  id: "FoundSegment",
});

/** A version in the history of a segment. */
export const PastVersion = SegmentVersion.extend({
  campaigns: CampaignsOfSegment.describe("The campaigns."),
  madeBy,
}).meta({
  id: "PastSegmentVersion",
});

/** What differs between two versions of a segment: in words, and in users. */
export const VersionComparison = z
  .object({
    segmentId: id.describe("Id of the segment."),
    from: version,
    to: version,
    ops: z
      .array(
        z.object({
          op: z.enum(["keep", "delete", "insert"]).describe("Whether the words stay, go or come."),
          words: summary,
        }),
      )
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
  expression: ExpressionInput.optional().describe("Who is meant: a tree of conditions."),
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
export const NamedSegment = z.object({
  id: id.meta({ description: "Id of the segment.", example: example.segment }),
  key: z.string().max(64).meta({ description: "Its key.", example: "on-pro" }),
  version: version.describe("Its number, from 1."),
});

/** A user whom an audience matches, with the traits and events that the audience names. */
const Sample = z
  .object({
    externalUserId: answerIds.externalUser,
    firstSeenAt: epochMs,
    lastSeenAt: epochMs,
    traits: z
      .record(z.string(), z.unknown())
      .meta({ description: "What is known of the user.", example: { plan: "pro", seats: 3 } }),
    events: z.record(z.string(), count).meta({
      description: "How often the user did what the audience asks about.",
      example: { upgraded: 1 },
    }),
  })
  .meta({ id: "AudienceSample" });

export const AudienceCheck = z
  .object({
    expression,
    expressionHash,
    summary: summary.meta({ description: "The expression in words.", example: "plan is pro" }),
    diagnostics: z
      .array(Diagnostic)
      .max(100)
      .meta({ description: "What there is to say of the expression.", example: [] }),
    evaluatedAt: epochMs,
    countType: z.literal("exact").describe("How `matchedCount` was made."),
    matchedCount: count.meta({ description: "How many users match.", example: 42 }),
    totalUsers: count.meta({ description: "All users.", example: 1_200 }),
    matchedVisitors: count.meta({
      description:
        "How many visitors who are not signed in match, beside the users: who gets a web campaign for visitors (`visitors`).",
      example: 7,
    }),
    totalVisitors: count.meta({ description: "All visitors who are not signed in.", example: 480 }),
    samples: z.array(Sample).max(25).describe("Some of the users who match."),
    segment: NamedSegment.optional().describe("The segment."),
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
export const TraceNode: z.ZodType<Trace> = z.lazy(() => AnyTraceNode).meta({ id: "AudienceTraceNode" });

const AnyTraceNode = z.looseObject({
  path: z.string().max(1_000).meta({ description: "JSON pointer to the node.", example: "/root" }),
  kind: z.string().max(20).meta({ description: "Kind of the node.", example: "field" }),
  matched: z.boolean().describe("Whether the user matches."),
  children: z.array(TraceNode).max(16).optional().describe("What each condition inside said."),
  child: TraceNode.optional().describe("What the condition inside said."),
});

export const AudienceExplanation = z
  .object({
    user: z
      .object({ externalUserId: answerIds.externalUser, firstSeenAt: epochMs, lastSeenAt: epochMs })
      .describe("The user."),
    matched: z.boolean().describe("Whether the user matches."),
    evaluatedAt: epochMs,
    expressionHash,
    trace: mention(TraceNode, "Every node, with what was observed."),
    segment: NamedSegment.optional().describe("The segment."),
  })
  .meta({ id: "AudienceExplanation" });

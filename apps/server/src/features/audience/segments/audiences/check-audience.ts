import { z } from "zod";
import { atOneInstant } from "../../../../platform/db/transactions/at-one-instant.ts";
import { type Ctx, endpoint, KIB } from "../../../../platform/http/contract/endpoint.ts";
import { readVocabulary } from "../../../counting/rollups/public.ts";
import { diagnose } from "../../language/parse/diagnose.pure.ts";
import type { DiagnosticCode } from "../../language/parse/diagnostics.pure.ts";
import { countMatching, describeExpression, sampleMatching } from "../../language/public.ts";
import { referencesOf } from "../../language/rules.ts";
import type { AudienceExpression, Diagnostic } from "../../language/schema.ts";
import { AudienceCheck, audienceQuestion } from "../schema.ts";
import { resolveQuestion } from "./question.ts";

const MAX_SAMPLES = 25;

async function remarks(ctx: Ctx, expression: AudienceExpression, anyone: number): Promise<Diagnostic[]> {
  const vocabulary = await readVocabulary(ctx.app, ctx.projectId, referencesOf(expression).events);
  const found = diagnose(expression, vocabulary);
  if (anyone > 0) return found;
  const code: DiagnosticCode = "zero_matches";
  return [...found, { severity: "warning", code, path: "", message: "Nobody matches right now." }];
}

export const checkAudience = endpoint(
  {
    id: "checkAudience",
    method: "POST",
    path: "/api/v1/audiences/check",
    tag: "Audiences",
    summary: "Count who an audience matches, exactly, with samples",
    description:
      "Saves nothing. Warnings name traits and events that nobody has shown, with the names that were likely meant. Samples carry the traits and events that the audience asks about. Users alone are counted and shown; visitors who match are counted beside.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "audiences",
    tool: {},
    oneInstant: "It opens its instant apart from looking up names.",
    cost: "heavy",
    isRead: true,
    bodyLimit: 64 * KIB,
    body: z.object({
      ...audienceQuestion,
      sampleLimit: z.int().min(0).max(MAX_SAMPLES).default(10).describe("How many samples to answer."),
    }),
    example: {
      expression: {
        version: 1,
        root: { kind: "field", field: { kind: "trait", key: "plan" }, op: "eq", value: "pro" },
      },
      sampleLimit: 5,
    },
    result: AudienceCheck,
    errors: ["not_found"],
  },
  async (ctx, { body }) => {
    const { db, projectId, now: evaluatedAt } = ctx;
    const { expression, segment } = await resolveQuestion(ctx, body);
    const { schemaVersion: _, ...described } = describeExpression(expression);
    const { matched, total, matchedVisitors, totalVisitors, samples } = await atOneInstant(db, async (tx) => {
      const counted = await countMatching(tx, projectId, expression, evaluatedAt);
      const limit = Math.min(body.sampleLimit, counted.matched);
      const found = limit === 0 ? [] : await sampleMatching(tx, projectId, expression, evaluatedAt, limit);
      return { ...counted, samples: found };
    });
    return {
      ...described,
      diagnostics: await remarks(ctx, expression, matched + matchedVisitors),
      evaluatedAt,
      countType: "exact" as const,
      matchedCount: matched,
      totalUsers: total,
      matchedVisitors,
      totalVisitors,
      samples: samples.map(({ externalId, ...sample }) => ({ externalUserId: externalId, ...sample })),
      ...(segment === undefined ? {} : { segment }),
    };
  },
);

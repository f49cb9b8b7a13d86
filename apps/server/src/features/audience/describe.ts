import { hash } from "node:crypto";
import { parseExpression } from "./parse.ts";
import type { Audience, AudienceExpression, StoredAudience, Targeting } from "./schema.ts";
import { summarize } from "./summary.ts";
import { targetingOf } from "./targeting.ts";

/** What is derived from a canonical expression: its hash (SHA-256 of its JSON, hex) and its summary in words. */
export const describeExpression = (expression: AudienceExpression) => ({
  schemaVersion: expression.version,
  expression,
  expressionHash: hash("sha256", JSON.stringify(expression)),
  summary: summarize(expression.root),
});

type Described = { audience: Audience; targeting: Targeting | null };

/**
 * A stored audience as the API shows it, with the deprecated flat form where it was given as one. `segmentKey` is the key of
 * the segment that it pins. One that cannot be read is `invalid`.
 */
export function describeAudience(stored: StoredAudience, segmentKey: string | null = null): Described {
  if (stored.kind === "all") {
    const { reason } = stored;
    return { audience: { kind: "all", ...(reason === undefined ? {} : { reason }) }, targeting: null };
  }
  const audienceVersionId = stored.audienceVersionId ?? null;
  const parsed = parseExpression(stored.expression);
  if (!parsed.ok) return { audience: { kind: "invalid", audienceVersionId }, targeting: null };
  const described = { ...describeExpression(parsed.expression), reason: stored.reason ?? null };
  if (stored.kind === "segment") {
    const { segmentId, segmentVersion } = stored;
    const version = { audienceVersionId: stored.audienceVersionId, segmentId, segmentKey, segmentVersion };
    return { audience: { kind: "segment", ...version, ...described }, targeting: null };
  }
  const { legacy } = stored;
  return {
    audience: { kind: "expression", audienceVersionId, ...described, legacy },
    targeting: legacy ? targetingOf(parsed.expression) : null,
  };
}

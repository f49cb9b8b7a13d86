import { hash } from "node:crypto";
import type { readStored } from "./parse/stored.pure.ts";
import type { Audience, AudienceExpression, Targeting } from "./schema.ts";
import { summarize } from "./summary.pure.ts";
import { targetingOf } from "./targeting.pure.ts";

/** The hash of a canonical expression (SHA-256 of its JSON, hex) and its summary in words. */
export const describeExpression = (expression: AudienceExpression) => ({
  schemaVersion: expression.version,
  expression,
  expressionHash: hash("sha256", JSON.stringify(expression)),
  summary: summarize(expression.root),
});

type Described = { audience: Audience; targeting: Targeting | null };

/**
 * A stored audience as the API shows it, with the deprecated flat form where it was given as one. `segmentKey` is the key of
 * the segment that it pins.
 */
export function describeAudience(
  stored: ReturnType<typeof readStored>,
  segmentKey: string | null = null,
): Described {
  if (stored.kind === "invalid") return { audience: stored, targeting: null };
  if (stored.kind === "all") {
    const { reason } = stored;
    return { audience: { kind: "all", ...(reason === undefined ? {} : { reason }) }, targeting: null };
  }
  const audienceVersionId = stored.audienceVersionId ?? null;
  const described = { ...describeExpression(stored.expression), reason: stored.reason ?? null };
  if (stored.kind === "segment") {
    const { segmentId, segmentVersion } = stored;
    const version = { audienceVersionId: stored.audienceVersionId, segmentId, segmentKey, segmentVersion };
    return { audience: { kind: "segment", ...version, ...described }, targeting: null };
  }
  const { legacy } = stored;
  return {
    audience: { kind: "expression", audienceVersionId, ...described, legacy },
    targeting: legacy ? targetingOf(stored.expression) : null,
  };
}

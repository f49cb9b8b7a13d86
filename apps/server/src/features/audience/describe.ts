import { hash } from "node:crypto";
import { canonical, summarize } from "./rules.ts";
import type { Audience, StoredAudience, Targeting } from "./schema.ts";
import { targetingOf } from "./targeting.ts";

/** A stored audience as the API shows it, with the deprecated flat form where it was given as one. */
export function describeAudience(stored: StoredAudience): {
  audience: Audience;
  targeting: Targeting | null;
} {
  if (stored.kind === "all") {
    return {
      audience: { kind: "all", ...(stored.reason === undefined ? {} : { reason: stored.reason }) },
      targeting: null,
    };
  }
  const expression = canonical(stored.expression);
  return {
    audience: {
      kind: "expression",
      audienceVersionId: null,
      schemaVersion: expression.version,
      expression,
      expressionHash: hash("sha256", JSON.stringify(expression)),
      summary: summarize(expression.root),
      reason: null,
      legacy: stored.legacy,
    },
    targeting: stored.legacy ? targetingOf(expression) : null,
  };
}

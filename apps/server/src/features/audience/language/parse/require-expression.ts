import { ApiError } from "../../../../platform/http/contract/errors.ts";
import type { AudienceExpression } from "../schema.ts";
import { parseExpression } from "./parse.pure.ts";

/** The canonical form of an expression in a request. @throws ApiError that lists everything that is wrong with it */
export function requireExpression(input: unknown): AudienceExpression {
  const parsed = parseExpression(input);
  if (parsed.ok) return parsed.expression;
  const [first] = parsed.diagnostics;
  const message =
    first === undefined
      ? "expression is not valid"
      : `expression${first.path} is not valid: ${first.message}`;
  throw new ApiError("invalid_request", message, { fields: { diagnostics: parsed.diagnostics } });
}

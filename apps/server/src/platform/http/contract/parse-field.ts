import type { z } from "zod";
import { closed } from "./closed.ts";
import { ApiError } from "./errors.ts";
import { explainIssue } from "./explain-issue.ts";

/** Parses a part of a request with the shape that the operation knows, and refuses unknown fields. @throws ApiError that names the field */
export function parseField<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  at: readonly PropertyKey[],
): z.output<Schema> {
  const parsed = closed(schema).safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw new ApiError("invalid_request", explainIssue(parsed.error, "body", at));
}

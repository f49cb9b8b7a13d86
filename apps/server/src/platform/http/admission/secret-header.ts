import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";
import { ApiError } from "../contract/errors.ts";
import { explainIssue } from "../contract/explain-issue.ts";

/** A header by which a request may say what must be in no address, because addresses are logged. */
export type SecretHeader = { name: string; field: z.ZodType<string> };

/** The header as a part of the API document. */
export const headerSchema = ({ name, field }: SecretHeader) => z.object({ [name]: field.optional() });

/** The value of the header; null where it is not there. @throws ApiError invalid_request that says what is wrong with it */
export function readSecretHeader(header: SecretHeader, headers: IncomingHttpHeaders): string | null {
  const given = headers[header.name.toLowerCase()];
  if (given === undefined) return null;
  const parsed = headerSchema(header).safeParse({ [header.name]: given }, { reportInput: true });
  if (!parsed.success) throw new ApiError("invalid_request", explainIssue(parsed.error, "headers"));
  return parsed.data[header.name] ?? null;
}

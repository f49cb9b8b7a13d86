import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";
import { ApiError } from "../contract/errors.ts";
import { explainIssue } from "../contract/explain-issue.ts";
import { installationCapability } from "../contract/fields.ts";

const NAME = "X-Service-Installation-Capability";
/** Node.js spells the names of headers in lower case. */
const LOWER = NAME.toLowerCase();

/** The header with which an app installation proves that it is the one that the path names. */
export const capabilityHeader = z.object({
  [NAME]: installationCapability.describe("What the installation was registered with."),
});

/** The value of the header. @throws ApiError that says what is wrong with it and never repeats it */
export function readCapability(headers: IncomingHttpHeaders): string {
  const parsed = capabilityHeader.safeParse({ [NAME]: headers[LOWER] }, { reportInput: true });
  if (parsed.success) return parsed.data[NAME];
  throw new ApiError("invalid_request", explainIssue(parsed.error, "headers"));
}

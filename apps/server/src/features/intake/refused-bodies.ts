import type { Principal } from "../../platform/http/contract/endpoint.ts";
import type { ApiError } from "../../platform/http/contract/errors.ts";
import type { App } from "../../platform/runtime.ts";
import { countJudged } from "./counts.ts";

/** Counts a request of which nothing was read, because its library will not say so. What is refused for a time only comes again. */
export async function countRefusedBody(
  app: App,
  { projectId }: Principal,
  { code }: ApiError,
): Promise<void> {
  const reason = code === "too_large" ? code : code === "invalid_request" ? "unreadable" : null;
  if (reason === null) return;
  try {
    const judged = { call: "unknown", library: "unknown", remarks: [{ reason, names: [] }] } as const;
    await countJudged(app, projectId, [judged], app.clock());
  } catch (cause) {
    app.log.warn({ err: cause, projectId, reason }, "a refused body could not be counted");
  }
}

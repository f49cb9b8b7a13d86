import { uuidFor } from "../../domain/ids.ts";
import type { Ctx } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { hasRun } from "./store.ts";

/** The run that something came from, as UUID. @throws ApiError when the project has no such run */
export async function resolveRun(ctx: Ctx, agentRunId: string | null): Promise<string | null> {
  if (agentRunId === null) return null;
  const uuid = uuidFor("run", agentRunId);
  if (!(await hasRun(ctx.db, ctx.projectId, uuid)))
    throw new ApiError("invalid_request", "agentRunId must be a run of this project");
  return uuid;
}

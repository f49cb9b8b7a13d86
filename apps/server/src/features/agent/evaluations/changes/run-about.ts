import { apiId, uuidFor } from "../../../../domain/ids.ts";
import type { Ctx } from "../../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../../platform/http/contract/errors.ts";
import { findRun } from "../../../runs/public.ts";

/** The UUID of the run that a field names; null where it names none. @throws ApiError where it is not a run about this campaign (UUID) */
export async function runAbout(
  { db, projectId }: Ctx,
  field: string,
  runId: string | undefined,
  campaignId: string,
): Promise<string | null> {
  if (runId === undefined) return null;
  const uuid = uuidFor("run", runId);
  const run = await findRun(db, projectId, uuid);
  if (run?.campaignId === apiId("cmp", campaignId)) return uuid;
  throw new ApiError("invalid_request", `${field} must be a run about this campaign`);
}

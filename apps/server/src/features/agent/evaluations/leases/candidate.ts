import { uuidFor } from "../../../../domain/ids.ts";
import type { Ctx } from "../../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../../platform/http/contract/errors.ts";
import { type LockedCandidate, lockCandidate } from "../store.ts";

/** The campaign that a path names, which cannot change until the transaction ends. @throws ApiError not_found */
export async function requireCandidate(
  { db, projectId }: Pick<Ctx, "db" | "projectId">,
  id: string,
  goalLock: "for share" | "for no key update" = "for share",
): Promise<LockedCandidate> {
  const candidate = await lockCandidate(db, projectId, uuidFor("cmp", id), goalLock);
  if (candidate === null) throw new ApiError("not_found", "Campaign not found");
  return candidate;
}

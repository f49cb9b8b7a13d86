import { uuidOf } from "../../../domain/ids.ts";
import type { Ctx } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { findJourney, type JourneyRow } from "./store.ts";

/** The journey that a path names. @throws ApiError not_found when the project has none of that id. */
export async function requireJourney(
  ctx: Pick<Ctx, "db" | "projectId">,
  id: string,
  lock: "read" | "for share" | "for update" = "read",
): Promise<JourneyRow> {
  const uuid = uuidOf("jrn", id);
  const journey = uuid === null ? null : await findJourney(ctx.db, ctx.projectId, uuid, lock);
  if (journey === null) throw new ApiError("not_found", "Journey not found");
  return journey;
}

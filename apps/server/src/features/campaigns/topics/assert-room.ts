import type { Ctx } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { requireTopic } from "./require-topic.ts";
import { MAX_TOPICS } from "./schema.ts";
import { countActiveTopics } from "./store.ts";

/**
 * Requires that the project may have one more topic that is not archived, and locks its topics until then.
 * @param idOrKey of a topic that becomes active, which may be so already
 * @throws ApiError conflict
 */
export async function assertRoom(ctx: Ctx, idOrKey?: string): Promise<void> {
  if ((await countActiveTopics(ctx.db, ctx.projectId)) < MAX_TOPICS) return;
  if (idOrKey !== undefined && (await requireTopic(ctx, idOrKey)).status === "active") return;
  throw new ApiError("conflict", `A project has at most ${MAX_TOPICS} topics: archive one first.`, {
    fields: { reason: "too_many" },
  });
}

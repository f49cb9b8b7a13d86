import { uuidOf } from "../../../domain/ids.ts";
import type { Ctx } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { findTopic, type TopicRow } from "./store.ts";

/** A topic by its id or key. @throws ApiError not_found */
export async function requireTopic(
  { db, projectId }: Pick<Ctx, "db" | "projectId">,
  idOrKey: string,
  lock: "read" | "lock" = "read",
): Promise<TopicRow> {
  const uuid = uuidOf("top", idOrKey);
  const topic = await findTopic(db, projectId, uuid === null ? ["key", idOrKey] : ["id", uuid], lock);
  if (topic === null) throw new ApiError("not_found", "Topic not found");
  return topic;
}

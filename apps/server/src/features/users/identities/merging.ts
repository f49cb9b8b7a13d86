import type { Ctx } from "../../../platform/http/contract/endpoint.ts";
import { port } from "../../../platform/runtime.ts";
import type { Person } from "./person.ts";

/**
 * Makes a visitor and a user one, unless the visitor was another user before. Resolves once that is committed; to false, with nothing changed,
 * where the user is not there.
 */
export type MergeVisitor = (
  ctx: Pick<Ctx, "app" | "projectId" | "now">,
  pair: { anonymousId: string; user: Person },
) => Promise<boolean>;

/** What makes visitors users knows deliveries and events, so it lies above them. */
export const visitorMerging = port<MergeVisitor>("visitorMerging");

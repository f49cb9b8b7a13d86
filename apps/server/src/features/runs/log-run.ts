import { uuidFor } from "../../domain/ids.ts";
import type { Ctx } from "../../platform/http/contract/endpoint.ts";
import { newUuid } from "../../platform/uuid.ts";
import type { ServerKind } from "./kinds.pure.ts";
import { insertRun } from "./store.ts";

/** A run that the server writes itself. Ids are UUIDs. */
export type ServerRun = {
  kind: ServerKind;
  goalId: string | null;
  campaignId: string | null;
  input: Record<string, unknown>;
  output: Record<string, unknown>;
  rationale: string | null;
};

/** Writes what the server, or a person at it, has decided; answers the UUID of the run. */
export async function logRun(
  { db, projectId, now }: Pick<Ctx, "db" | "projectId" | "now">,
  { goalId, campaignId, input, output, ...run }: ServerRun,
): Promise<string> {
  const id = newUuid(now);
  await insertRun(db, projectId, {
    ...run,
    id,
    goalId: goalId ?? uuidFor("goal", null),
    campaignId: campaignId ?? uuidFor("cmp", null),
    input: JSON.stringify(input),
    output: JSON.stringify(output),
    idempotencyKey: null,
    createdAt: now,
    writtenBy: "tidings",
  });
  return id;
}

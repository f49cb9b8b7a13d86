import { userRef } from "../../../domain/ids.ts";
import { createBatch } from "../../../platform/db/batch.ts";
import { batchQueue } from "../../../platform/db/batch-queue.ts";
import { isLocked, isUnreachable } from "../../../platform/db/db.ts";
import type { Ctx } from "../../../platform/http/endpoint.ts";
import { ApiError } from "../../../platform/http/errors.ts";
import { resource } from "../../../platform/runtime.ts";
import { wakeAfterDelta } from "../../counting/rollups/public.ts";
import type { Said } from "./rules.ts";
import { type Identified, identifyUsers, type TraitLimits, type Unmerged } from "./store.ts";

const DONE: Pick<Unmerged, "excess" | "ignored"> = { excess: null, ignored: [] };

const identifyBatch = resource((app) => {
  const identify = identifyUsers(app.config.limits);
  return createBatch<Identified, Pick<Unmerged, "excess" | "ignored">>({
    laneOf: (row) => row.lane,
    // Two merges into one user are two statements: one upsert cannot touch a row twice.
    keyOf: (row) => row.userKey,
    queue: batchQueue(app, "identify"),
    async run(rows) {
      const unmerged = await identify(app.database.hotPool, rows);
      wakeAfterDelta(app);
      const outcomes = rows.map(() => DONE);
      for (const { ord, ...outcome } of unmerged) outcomes[ord - 1] = outcome;
      return outcomes;
    },
  });
});

const excessFault = (excess: "bytes" | "keys", limits: TraitLimits): string =>
  excess === "bytes"
    ? `traits must not bring the user to more than ${limits.userTraitBytes} bytes of JSON: say less, or null for traits to take away`
    : `traits must not bring the user to more than ${limits.userTraitKeys} traits: say fewer, or null for those to take away`;

/** What is said of a user. `firstSeenAt` (epoch ms) is history: nobody is active for it. `period`: what the user is active in else. */
export type Merge = { userId: string; said: Said; firstSeenAt: number | null; period: number };

/**
 * Makes a user known and merges traits, together with whatever else arrives; resolves once it is durable. Answers the traits that
 * stay as they are, because they are not for this key to change.
 * @throws ApiError invalid_request for more traits than a user may have: nothing is written then
 */
export async function mergeUser(ctx: Ctx, merge: Merge): Promise<readonly string[]> {
  const { app, projectId, now } = ctx;
  const { userId, said, firstSeenAt, period } = merge;
  const isServer = ctx.keyKind === "secret";
  const speaksOfAddress = said.names.includes("email") || said.removed.includes("email");
  const row = {
    ...userRef(projectId, userId),
    projectId,
    externalId: userId,
    traits: said.set,
    removed: said.removed.length === 0 ? null : JSON.stringify(said.removed),
    isServer,
    mayMove: speaksOfAddress && ctx.isProven(),
    ts: now,
    firstSeenAt,
    period: firstSeenAt === null ? period : null,
  };
  const { excess, ignored } = await app
    .get(identifyBatch)
    .add(row)
    .catch((cause: unknown) => {
      if (isUnreachable(cause) || isLocked(cause)) throw cause;
      throw new ApiError("user_upsert_failed", undefined, { cause });
    });
  if (excess !== null) throw new ApiError("invalid_request", excessFault(excess, app.config.limits));
  return ignored;
}

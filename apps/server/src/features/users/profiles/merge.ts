import { createBatch } from "../../../platform/db/batch/batch.ts";
import { batchQueue } from "../../../platform/db/batch/batch-queue.ts";
import { isLocked, isUnreachable } from "../../../platform/db/db.ts";
import type { Ctx } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { resource } from "../../../platform/runtime.ts";
import { wakeAfterDelta } from "../../counting/rollups/public.ts";
import type { Person } from "../identities/public.ts";
import type { TraitChanges } from "./rules.ts";
import { type Identified, identifyUsers, type TraitLimits, type Unmerged } from "./store.ts";

const DONE: Pick<Unmerged, "excess" | "ignored"> = { excess: null, ignored: [] };

const identifyBatch = resource((app) => {
  const identify = identifyUsers(app.config.limits);
  return createBatch<Identified, Pick<Unmerged, "excess" | "ignored">>({
    laneOf: (row) => row.lane,
    // Two merges into one user go into two statements: one upsert cannot write a row twice.
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

/**
 * Changes of one user's traits. The user is seen now, and active in `period`; where that is null, they are history. `firstSeenAt` (epoch ms)
 * moves back when the user was seen first; it is there for history.
 */
export type Merge = { person: Person; changes: TraitChanges } & (
  | { firstSeenAt: number | null; period: number }
  | { firstSeenAt: number; period: null }
);

/** A user would have more traits than a user may have: nothing is written. Its message says what to do. */
export class TooManyTraits extends ApiError {}

/**
 * Creates a user if there is none and merges traits, in one statement with other calls; resolves once it is committed. Answers the traits
 * that this key may not change, which stay as they are.
 * @throws TooManyTraits (400) for more traits than a user may have: nothing is written then
 */
export async function mergeUser(
  ctx: Pick<Ctx, "app" | "now" | "keyKind" | "isProven">,
  merge: Merge,
): Promise<readonly string[]> {
  const { app, now } = ctx;
  const { person, changes, firstSeenAt, period } = merge;
  const isServer = ctx.keyKind === "secret";
  const speaksOfAddress = changes.names.includes("email") || changes.removed.includes("email");
  const row = {
    ...person,
    traits: changes.set,
    removed: changes.removed.length === 0 ? null : JSON.stringify(changes.removed),
    isServer,
    mayMove: speaksOfAddress && ctx.isProven(),
    ts: now,
    firstSeenAt,
    period,
  };
  const { excess, ignored } = await app
    .get(identifyBatch)
    .add(row)
    .catch((cause: unknown) => {
      if (isUnreachable(cause) || isLocked(cause)) throw cause;
      throw new ApiError("user_upsert_failed", undefined, { cause });
    });
  if (excess !== null) throw new TooManyTraits("invalid_request", excessFault(excess, app.config.limits));
  return ignored;
}

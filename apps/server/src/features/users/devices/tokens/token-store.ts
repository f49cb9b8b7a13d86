import type { InstallationRef, TokenRef } from "../../../../domain/ids.ts";
import type { Db } from "../../../../platform/db/db.ts";
import { type HadToken, isSameToken } from "../rules.ts";

const isBefore = (a: TokenRef, b: TokenRef): boolean =>
  a.lane < b.lane || (a.lane === b.lane && a.tokenKey < b.tokenKey);

/** Gives the token to an installation. The installation that had it, or has it as an ended one, loses it: a token has one owner. */
async function take(tx: Db, projectId: string, owner: InstallationRef, given: HadToken): Promise<void> {
  const ownership = { installationLane: owner.lane, installationKey: owner.installationKey };
  await tx
    .insertInto("installationTokens")
    .values({ ...given, ...ownership, projectId })
    .onConflict((conflict) =>
      conflict.columns(["lane", "tokenKey"]).doUpdateSet({ ...ownership, token: given.token }),
    )
    .execute();
  // After the token's own row is locked, as bringing tokens back does.
  await tx
    .deleteFrom("installationEndedTokens")
    .where("tokenLane", "=", given.lane)
    .where("tokenKey", "=", given.tokenKey)
    .where("projectId", "=", projectId)
    .execute();
}

async function release(tx: Db, projectId: string, owner: InstallationRef, had: TokenRef): Promise<void> {
  await tx
    .deleteFrom("installationTokens")
    .where("lane", "=", had.lane)
    .where("tokenKey", "=", had.tokenKey)
    .where("projectId", "=", projectId)
    .where("installationKey", "=", owner.installationKey)
    .execute();
}

/**
 * Gives an installation another token, or none; an ended token of it is forgotten. Every transaction locks the two rows in the order of their keys, so that devices
 * which swap their tokens at the same time cannot deadlock.
 */
export async function exchangeToken(
  tx: Db,
  projectId: string,
  owner: InstallationRef,
  had: HadToken | null,
  given: HadToken | null,
): Promise<void> {
  if (had !== null && isSameToken(had, given)) return;
  const isReplaced = had !== null && had.tokenKey !== given?.tokenKey;
  const steps = [
    ...(!isReplaced ? [] : [{ at: had, run: () => release(tx, projectId, owner, had) }]),
    ...(given === null ? [] : [{ at: given, run: () => take(tx, projectId, owner, given) }]),
  ].toSorted((a, b) => (isBefore(a.at, b.at) ? -1 : 1));
  for (const { run } of steps) await run();
  if (had !== null) return;
  await tx
    .deleteFrom("installationEndedTokens")
    .where("lane", "=", owner.lane)
    .where("installationKey", "=", owner.installationKey)
    .where("projectId", "=", projectId)
    .execute();
}

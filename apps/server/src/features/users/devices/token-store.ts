import type { InstallationRef, TokenRef } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { rowsStatement } from "../../../platform/db/rows-statement.ts";
import { t } from "../../../platform/db/table-names.ts";

/** A token and the place of its row. */
export type Token = TokenRef & { token: string };

const isBefore = (a: TokenRef, b: TokenRef): boolean =>
  a.lane < b.lane || (a.lane === b.lane && a.tokenKey < b.tokenKey);

/** Gives the token to an installation. The installation that had it loses it: a token has one row, with its owner. */
async function take(tx: Db, projectId: string, owner: InstallationRef, given: Token): Promise<void> {
  const ownership = { installationLane: owner.lane, installationKey: owner.installationKey };
  await tx
    .insertInto("installationTokens")
    .values({ ...given, ...ownership, projectId })
    .onConflict((conflict) => conflict.columns(["lane", "tokenKey"]).doUpdateSet(ownership))
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
 * Gives an installation another token, or none. Every transaction locks the two rows in the order of their keys, so that devices
 * which swap their tokens at the same time cannot deadlock.
 */
export async function exchangeToken(
  tx: Db,
  projectId: string,
  owner: InstallationRef,
  had: TokenRef | null,
  given: Token | null,
): Promise<void> {
  if (had !== null && had.tokenKey === given?.tokenKey) return;
  const steps = [
    ...(had === null ? [] : [{ at: had, run: () => release(tx, projectId, owner, had) }]),
    ...(given === null ? [] : [{ at: given, run: () => take(tx, projectId, owner, given) }]),
  ].toSorted((a, b) => (isBefore(a.at, b.at) ? -1 : 1));
  for (const { run } of steps) await run();
}

/** A token that a provider reported as invalid, with the revision at which it was sent to: at another revision it is another token. */
export type InvalidToken = InstallationRef & { projectId: string; tokenRevision: number };

/** Removes tokens from installations that still have them at the same revision, and changes nothing else of these. */
export const clearInvalidTokens = rowsStatement<InvalidToken, Record<never, never>>(
  "clear_invalid_tokens",
  { lane: "int2", installationKey: "uuid", projectId: "uuid", tokenRevision: "int8" },
  `,
  locked as (
    select i.installation_key, i.token_lane, i.token_key from input n
    join ${t.installations} i
      on i.lane = n.lane and i.installation_key = n.installation_key and i.project_id = n.project_id
        and i.token_revision = n.token_revision
    order by i.lane, i.installation_key for no key update of i
  ),
  gone as (
    select t.lane, t.token_key from locked h
    join ${t.installationTokens} t
      on t.lane = h.token_lane and t.token_key = h.token_key and t.installation_key = h.installation_key
    order by t.lane, t.token_key for update of t
  )
  delete from ${t.installationTokens} t using gone g where t.lane = g.lane and t.token_key = g.token_key`,
);

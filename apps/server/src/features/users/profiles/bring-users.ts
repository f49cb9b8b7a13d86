import type { UserRef } from "../../../domain/ids.ts";
import type { Connection } from "../../../platform/db/db.ts";
import { rowsAtOnce } from "../../../platform/db/many-rows.ts";
import { type App, resource } from "../../../platform/runtime.ts";
import { findMergedUsers, identifyUsers } from "./store.ts";

/**
 * A user of history, whom nothing makes seen or active. `traits` is compact JSON without nulls; `firstSeenAt` (epoch milliseconds) is null where
 * it is not known.
 */
export type BroughtUser = UserRef & { externalId: string; traits: string; firstSeenAt: number | null };

/** `known`: the user has all of it already. `bytes`, `keys`: with it the user would have more traits than a user may have, so nothing was written. */
export type Brought = "written" | "known" | "bytes" | "keys";

const identify = resource((app) => identifyUsers(app.config.limits));

type Bringing = { projectId: string; now: number };

/** Finds in order which users have all that they would be given. */
export async function findBrought(
  client: Connection,
  users: readonly BroughtUser[],
  { projectId, now }: Bringing,
): Promise<boolean[]> {
  const found: boolean[] = [];
  for (const some of rowsAtOnce(users)) {
    const rows = some.map((user) => rowOf(user, { projectId, now }));
    const known = new Set((await findMergedUsers(client, rows)).map(({ ord }) => ord));
    found.push(...rows.map((_, index) => known.has(index + 1)));
  }
  return found;
}

/**
 * Gives users traits that belong to the server, in a transaction, as history. Each user once, in the order of their keys, in which every
 * statement locks users. After the commit, the caller calls `wakeAfterDelta`. Those who have all of it already are left as they are.
 */
export async function bringUsers(
  app: App,
  client: Connection,
  users: readonly BroughtUser[],
  bringing: Bringing,
): Promise<Brought[]> {
  const outcomes: Brought[] = [];
  for (const some of rowsAtOnce(users)) outcomes.push(...(await bringSome(app, client, some, bringing)));
  return outcomes;
}

async function bringSome(
  app: App,
  client: Connection,
  users: readonly BroughtUser[],
  bringing: Bringing,
): Promise<Brought[]> {
  const known = await findBrought(client, users, bringing);
  const outcomes = known.map((isKnown): Brought => (isKnown ? "known" : "written"));
  const places = outcomes.flatMap((outcome, place) => (outcome === "written" ? [place] : []));
  if (places.length === 0) return outcomes;
  const rows = places.map((place) => rowOf(users[place] as BroughtUser, bringing));
  for (const { ord, excess } of await app.get(identify)(client, rows)) {
    const place = places[ord - 1];
    if (excess !== null && place !== undefined) outcomes[place] = excess;
  }
  return outcomes;
}

const rowOf = (
  { lane, userKey, externalId, traits, firstSeenAt }: BroughtUser,
  { projectId, now }: Bringing,
) => ({
  lane,
  userKey,
  projectId,
  externalId,
  traits,
  removed: null,
  isServer: true,
  mayMove: true,
  ts: now,
  firstSeenAt: firstSeenAt ?? now,
  period: null,
  isVisitor: false,
});

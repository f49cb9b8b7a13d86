import { atOneInstant } from "../../platform/db/transactions/at-one-instant.ts";
import { type Remembered, remember } from "../../platform/remember.ts";
import { type App, resource } from "../../platform/runtime.ts";
import { MINUTE_MS, SECOND_MS } from "../../platform/time/clock.ts";
import { hasBrokenSplit, listSplitting } from "../deliveries/public.ts";
import { lookInTurn, type SplitLooks } from "./rules.ts";

/** How many of the running campaigns are looked at for their split: the newest. */
export const MOST_LOOKED_AT = 20;
/** How long looks may go on before the rest of the campaigns waits for the next time. */
const LOOKING_MS = 2 * SECOND_MS;
/** The projects of which looks are kept. */
const MOST_PROJECTS = 1_000;

/** A look counts all deliveries of a campaign, so open pages share what one of them has counted for a minute. */
const splitLooks = resource((app: App) => {
  const { kysely } = app.database;
  const looks: Remembered<SplitLooks> = remember<SplitLooks>({
    clock: app.clock,
    max: MOST_PROJECTS,
    believedMs: MINUTE_MS,
    async load(projectId, now) {
      const campaigns = await listSplitting(kysely, projectId, MOST_LOOKED_AT);
      const until = performance.now() + LOOKING_MS;
      return lookInTurn(
        campaigns.map(({ id }) => id),
        looks.kept(projectId)?.value ?? new Map(),
        {
          now,
          isLate: () => performance.now() >= until,
          look: (id) => atOneInstant(kysely, (db) => hasBrokenSplit(db, projectId, id)),
        },
      );
    },
  });
  return looks;
});

/**
 * The campaigns (UUIDs) whose users are split otherwise than the weights say, as they were seen within the last minute, or later where
 * counting takes long. Reads over connections of its own.
 */
export async function findBrokenSplits(app: App, projectId: string): Promise<ReadonlySet<string>> {
  const looks = await app.get(splitLooks).get(projectId);
  return new Set([...looks].flatMap(([id, { isBroken }]) => (isBroken ? [id] : [])));
}

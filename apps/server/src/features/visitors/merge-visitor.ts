import type { UserRef } from "../../domain/ids.ts";
import { visitorIdOf } from "../../domain/visitors.pure.ts";
import { clientOf } from "../../platform/db/batch/client-of.ts";
import { type Db, SQLSTATE, sqlState } from "../../platform/db/db.ts";
import { again } from "../../platform/db/transactions/again.ts";
import { patiently, waitBriefly } from "../../platform/db/transactions/patiently.ts";
import type { App } from "../../platform/runtime.ts";
import { wakeAfterDelta } from "../counting/rollups/public.ts";
import { NO_SHAPE, shapeOf } from "../counting/rollups/rules.ts";
import { activePeriods, countActive } from "../counting/usage/public.ts";
import { adoptDeliveries, wasMet } from "../deliveries/public.ts";
import { bringEvents, convertByPastEvents } from "../ingest/tracking/public.ts";
import {
  keepArrivals,
  keepFirstsForMerged,
  lockEventPage,
  moveRetired,
  requireNoEvents,
  takeEvents,
} from "../users/events/public.ts";
import {
  insertLink,
  linkedUser,
  type MergeVisitor,
  type Person,
  personOfUser,
  updateLink,
} from "../users/identities/public.ts";
import { adoptProfile, joinVisitor, lockPair } from "../users/profiles/public.ts";
import { adoptReceipts } from "../web/public.ts";
import { announceMerged } from "../webhooks/public.ts";

/** The most events that are moved in one transaction, while requests for the user wait for it. */
export const EVENTS_AT_ONCE = 500;

type Pair = { projectId: string; visitor: UserRef; user: UserRef & { externalId: string } };

/**
 * Moves a page of a visitor's events to the user whom they became: recorded for the user as if they had been tracked, and the user is not active for
 * them. The user is locked. Answers how many the user had no room for, and whether more are left.
 */
export async function moveEvents(
  app: App,
  tx: Db,
  { projectId, visitor, user }: Pair,
  now: number,
): Promise<{ dropped: number; isMore: boolean }> {
  const ids = await lockEventPage(tx, projectId, { from: visitor, to: user, limit: EVENTS_AT_ONCE });
  // Others of them may have been deleted for their age since the page before.
  await moveRetired(tx, projectId, visitor, user);
  const page = await takeEvents(tx, projectId, visitor, ids);
  const events = page.map(({ eventId, name, props, ts }) => ({
    ...user,
    projectId,
    eventId,
    name,
    props,
    shape: props === null ? NO_SHAPE : shapeOf(JSON.parse(props)),
    ts,
  }));
  const outcomes = await bringEvents(app, clientOf(tx), events, now);
  const moved = page.filter((_, index) => outcomes[index] === "recorded");
  if (moved.length > 0) await keepArrivals(tx, projectId, user, moved);
  const isMore = ids.length === EVENTS_AT_ONCE;
  if (!isMore) await requireNoEvents(tx, projectId, visitor);
  // One that the user has already is the same event, whatever it says: its id names one occurrence of one person.
  return { dropped: outcomes.filter((outcome) => outcome === "refused").length, isMore };
}

/** Makes a visitor and a user one, within a transaction. Answers false where the user is not there. */
export async function mergeWithin(
  app: App,
  tx: Db,
  pair: Pair & { visitor: Person },
  now: number,
): Promise<boolean> {
  const { projectId, visitor, user } = pair;
  if (!(await lockPair(tx, projectId, { visitor, user, now }))) return false;
  if (!(await insertLink(tx, projectId, { visitor, user, at: now }))) return true;
  const isApart = await wasMet(tx, projectId, user);
  const drawsAs = !isApart && (await wasMet(tx, projectId, visitor));
  const units = await adoptDeliveries(tx, projectId, { from: visitor, to: user, isApart });
  await adoptReceipts(tx, visitor, user);
  await updateLink(tx, projectId, visitor, { units, dropped: 0, isMoving: false });
  await joinVisitor(tx, projectId, { visitor, user, hasLeft: units > 0 });
  const { dropped: events, isMore } = await moveEvents(app, tx, pair, now);
  await keepFirstsForMerged(tx, projectId, user);
  await convertByPastEvents(tx, projectId, user);
  const periodOf = await activePeriods(app, projectId);
  await countActive(tx, projectId, user, periodOf(now));
  const traits = await adoptProfile(tx, projectId, { visitor, user, drawsAs }, app.config.limits);
  await updateLink(tx, projectId, visitor, { units: 0, dropped: events + traits, isMoving: isMore });
  await announceMerged(tx, projectId, { visitor, user, at: now });
  return true;
}

/**
 * Makes a visitor and a user one: what the visitor was, got and did is the user's, and what they do from now on is too. The first user whom a
 * visitor becomes stays it for good, and no two users ever become one. All of it is one commit but for the events of a visitor with very many,
 * which follow in pages.
 */
export const mergeVisitor: MergeVisitor = async ({ app, projectId, now }, { anonymousId, user }) => {
  const visitor = personOfUser(projectId, visitorIdOf(anonymousId));
  if ((await linkedUser(app, visitor)) !== null) return true;
  const pair = { projectId, visitor, user };
  try {
    return await patiently(app, () =>
      again(() =>
        app.database.kysely.transaction().execute(async (tx) => {
          await waitBriefly(tx);
          return mergeWithin(app, tx, pair, now);
        }),
      ),
    );
  } catch (cause) {
    // Another request was faster: the visitor is the user whom that one named.
    if (sqlState(cause) !== SQLSTATE.linked) throw cause;
    return true;
  } finally {
    wakeAfterDelta(app);
  }
};

import { anonymisedRef, type UserRef } from "../../domain/ids.ts";
import { isVisitorId } from "../../domain/visitors.pure.ts";
import type { Db } from "../../platform/db/db.ts";
import { forgetAnswers } from "../../platform/http/idempotency/idempotency.ts";
import type { App } from "../../platform/runtime.ts";
import { eraseChoices } from "../consent/choices/public.ts";
import { wakeAfterDelta } from "../counting/rollups/public.ts";
import { moveActiveUser, recentlyActive } from "../counting/usage/public.ts";
import { anonymizeDecidedAs, moveDeliveries } from "../deliveries/public.ts";
import { addressRef, parseAddress } from "../email/addresses/public.ts";
import { eraseHits } from "../email/feedback/public.ts";
import { anonymizeSends, linkSigner } from "../email/sending/public.ts";
import { eraseCaughtMail } from "../email/transport/public.ts";
import { anonymizeObservations } from "../ingest/observations/public.ts";
import { eraseFromJourneys } from "../journeys/moving/public.ts";
import { anonymizePushes } from "../push/sending/public.ts";
import { eraseSendData } from "../transactional/public.ts";
import { eraseInstallations } from "../users/devices/public.ts";
import { countUserEvents, eraseEventPage } from "../users/events/public.ts";
import { deleteLinksOf, lockLinksOf } from "../users/identities/public.ts";
import { eraseUserRow, lockUser } from "../users/profiles/public.ts";
import { eraseReceipts } from "../web/public.ts";
import { eraseFromMessages } from "../webhooks/public.ts";
import { insertErasedUser, insertErasingUser } from "./store.ts";

type Erasing = { projectId: string; now: number };

/**
 * Erases what is left under the keys of visitors who became a user: their deliveries become those of an anonymised user, as the user's do, each
 * with what the person did since. Call this before the user's events are deleted. Answers the keys under which what the person did is recorded.
 */
async function eraseVisitorsOf(tx: Db, { projectId, now }: Erasing, user: UserRef): Promise<UserRef[]> {
  const links = await lockLinksOf(tx, projectId, user);
  const doers = [user, ...links.filter(({ isMoving }) => isMoving)];
  for (const link of links) {
    const { externalId, units, isMoving } = link;
    const move = { from: link, to: anonymisedRef(link) };
    const isNamed = await anonymizeDecidedAs(tx, projectId, user, move);
    if (units > 0 || isNamed) await insertErasedUser(tx, projectId, move.to, { at: now, wasVisitor: true });
    if (units > 0) await moveDeliveries(tx, projectId, { ...move, doers });
    // Messages from before they signed in have the visitor's key, also about deliveries that were moved since.
    await eraseFromMessages(tx, projectId, link, {
      externalId,
      anonymised: move.to,
      addresses: [],
      announcedAt: null,
    });
    await eraseReceipts(tx, link);
    // Events that were not moved yet are deleted as those of an erased user.
    if (isMoving) await insertErasingUser(tx, projectId, link, now);
  }
  return doers;
}

/**
 * Erases a user or a visitor for good, in a transaction. Deliveries stay, as those of an anonymised user. Answers false, and changes nothing, where the
 * project has no such user. `now` is epoch milliseconds.
 */
export async function erase(app: App, tx: Db, erasing: Erasing, user: UserRef): Promise<boolean> {
  const { projectId, now } = erasing;
  // Every other write for a user locks this row or a delivery first. So after the locks here, no such write is missed.
  const locked = await lockUser(tx, projectId, user);
  if (locked === null) return false;
  const wasVisitor = isVisitorId(locked.externalId);
  const own = parseAddress(locked.email)?.address ?? null;
  const anonymised = anonymisedRef(user);
  await insertErasedUser(tx, projectId, anonymised, { at: now, wasVisitor });
  const known = new Set(await eraseSendData(tx, projectId, user));
  if (own !== null) known.add(own);
  const addresses = new Set([
    ...known,
    ...(await anonymizeSends(tx, projectId, user, {
      anonymised,
      messageKeyOf: app.get(linkSigner).messageKey,
      own: [...known].map((address) => addressRef(projectId, address)),
    })),
  ]);
  await eraseChoices(
    tx,
    projectId,
    { user, anonymised },
    [...addresses].map((address) => addressRef(projectId, address)),
  );
  await eraseCaughtMail(tx, projectId, user, [...addresses]);
  await forgetAnswers(tx, projectId, { values: [locked.externalId], parts: [...addresses] });
  await anonymizePushes(tx, projectId, user, anonymised);
  await anonymizeObservations(tx, projectId, user, anonymised);
  const doers = await eraseVisitorsOf(tx, erasing, user);
  await moveDeliveries(tx, projectId, { from: user, to: anonymised, doers });
  await eraseFromJourneys(tx, projectId, { from: user, to: anonymised, now });
  await deleteLinksOf(tx, projectId, user);
  await eraseHits(tx, user);
  await eraseReceipts(tx, user);
  await moveActiveUser(tx, projectId, user, anonymised);
  const { eventsErasedAtOnce: atOnce } = app.config.limits;
  // Deleting very many events would lock the user's row, and delay other requests, for seconds: a loop deletes them in pages.
  const isLong =
    (await countUserEvents(tx, projectId, user)) > atOnce ||
    !(await eraseEventPage(tx, projectId, user, atOnce + 1));
  if (isLong) await insertErasingUser(tx, projectId, user, now);
  await eraseInstallations(tx, projectId, user);
  await eraseFromMessages(tx, projectId, user, {
    externalId: locked.externalId,
    anonymised,
    addresses: [...addresses].map((address) => addressRef(projectId, address)),
    announcedAt: wasVisitor ? null : now,
  });
  await eraseUserRow(tx, projectId, user);
  app.get(recentlyActive).forget([user]);
  wakeAfterDelta(app);
  return true;
}

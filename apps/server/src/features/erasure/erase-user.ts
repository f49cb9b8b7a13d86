import { z } from "zod";
import { pathIds } from "../../domain/fields.ts";
import { anonymisedRef, apiId } from "../../domain/ids.ts";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { forgetAnswers } from "../../platform/http/idempotency/idempotency.ts";
import { wakeAfterDelta } from "../counting/rollups/public.ts";
import { moveActiveUser, recentlyActive } from "../counting/usage/public.ts";
import { moveDeliveries } from "../deliveries/public.ts";
import { addressRef, parseAddress } from "../email/addresses/public.ts";
import { eraseHits } from "../email/feedback/public.ts";
import { anonymizeSends, linkSigner } from "../email/sending/public.ts";
import { eraseCaughtMail } from "../email/transport/public.ts";
import { anonymizeObservations } from "../ingest/observations/public.ts";
import { anonymizePushes } from "../push/sending/public.ts";
import { eraseInstallations } from "../users/devices/public.ts";
import { countUserEvents, eraseEventPage } from "../users/events/public.ts";
import { eraseUserRow, lockUser, requireUser } from "../users/profiles/public.ts";
import { eraseReceipts } from "../web/public.ts";
import { eraseFromMessages } from "../webhooks/public.ts";
import { insertErasedUser, insertErasingUser } from "./store.ts";

export const eraseUser = endpoint(
  {
    id: "eraseUser",
    method: "DELETE",
    path: "/api/v1/users/{id}",
    audit: "erased a user",
    tag: "Users",
    summary: "Erase a user for good",
    description:
      "Erases traits, events, reports, app installations and the id in your product. Deliveries stay, of nobody in particular, with what became of them: statistics and conversions do not change. `id` is the user's `eu_…` id, or the id in your product, which from then on is a new user. Events of somebody with very many are deleted just after the answer; until then requests for the same id wait, and are 503 after some seconds.",
    keys: ["secret"],
    people: "approver",
    fresh: true,
    budget: "goals",
    tool: "It cannot be undone.",
    params: z.object({ id: pathIds.user }),
    errors: ["not_found"],
  },
  async (ctx, { params }) => {
    const { app, db, projectId, now } = ctx;
    const user = await requireUser(ctx, params.id);
    // The id in the product goes, so the log of changes must not keep it.
    ctx.describe({ target: apiId("eu", user.userKey) });
    // Every other write for a user locks this row or a delivery first. So after the locks here, no such write is missed.
    const locked = await lockUser(db, projectId, user);
    if (locked === null) throw new ApiError("not_found", "User not found");
    const own = parseAddress(locked.email)?.address ?? null;
    const anonymised = anonymisedRef(user);
    await insertErasedUser(db, projectId, anonymised, now);
    const addresses = new Set(
      await anonymizeSends(db, projectId, user, {
        anonymised,
        messageKeyOf: app.get(linkSigner).messageKey,
        own: own === null ? [] : [addressRef(projectId, own)],
      }),
    );
    if (own !== null) addresses.add(own);
    await eraseCaughtMail(db, projectId, user, [...addresses]);
    await forgetAnswers(db, projectId, { values: [locked.externalId], parts: [...addresses] });
    await anonymizePushes(db, projectId, user, anonymised);
    await anonymizeObservations(db, projectId, user, anonymised);
    await moveDeliveries(db, projectId, user, anonymised);
    await eraseHits(db, user);
    await eraseReceipts(db, user);
    await moveActiveUser(db, projectId, user, anonymised);
    const { eventsErasedAtOnce: atOnce } = app.config.limits;
    // Deleting very many events would lock the user's row, and delay other requests, for seconds: a loop deletes them in pages.
    const isLong =
      (await countUserEvents(db, projectId, user)) > atOnce ||
      !(await eraseEventPage(db, projectId, user, atOnce + 1));
    if (isLong) await insertErasingUser(db, projectId, user, now);
    await eraseInstallations(db, projectId, user);
    await eraseFromMessages(db, projectId, user, {
      externalId: locked.externalId,
      anonymised,
      addresses: [...addresses].map((address) => addressRef(projectId, address)),
      at: now,
    });
    await eraseUserRow(db, projectId, user);
    app.get(recentlyActive).forget([user]);
    wakeAfterDelta(app);
  },
);

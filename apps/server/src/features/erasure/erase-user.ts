import { z } from "zod";
import { externalUserId } from "../../domain/fields.ts";
import { anonymisedRef } from "../../domain/ids.ts";
import { endpoint } from "../../platform/http/endpoint.ts";
import { ApiError } from "../../platform/http/errors.ts";
import { wakeAfterDelta } from "../counting/rollups/public.ts";
import { moveActiveUser, recentlyActive } from "../counting/usage/public.ts";
import { moveDeliveries } from "../deliveries/public.ts";
import { eraseHits } from "../email/feedback/public.ts";
import { anonymizeSends, linkSigner } from "../email/sending/public.ts";
import { eraseCaughtMail } from "../email/transport/public.ts";
import { anonymizeObservations } from "../ingest/observations/public.ts";
import { anonymizePushes } from "../push/sending/public.ts";
import { eraseInstallations } from "../users/devices/public.ts";
import { countUserEvents, eraseEventPage } from "../users/events/public.ts";
import { eraseUserRow, lockUser, requireUser } from "../users/profiles/public.ts";
import { eraseReceipts } from "../web/public.ts";
import { insertErasedUser, insertErasingUser } from "./store.ts";

export const eraseUser = endpoint(
  {
    id: "eraseUser",
    method: "DELETE",
    path: "/api/v1/users/{id}",
    tag: "Users",
    summary: "Erase a user for good",
    description:
      "Erases traits, events, reports, app installations and the id in your product. Deliveries stay, of nobody in particular, with what became of them: statistics and conversions do not change. `id` is the user's `eu_…` id, or the id in your product, which from then on is a new user. Events of somebody with very many are deleted just after the answer; until then requests for the same id wait, and are 503 after some seconds.",
    keys: ["secret"],
    budget: "goals",
    params: z.object({ id: externalUserId }),
    errors: ["not_found"],
  },
  async (ctx, { params }) => {
    const { app, db, projectId, now } = ctx;
    const user = await requireUser(ctx, params.id);
    // Every write for a user locks their row before anything that is looked for below, or a delivery: no write is missed.
    if (!(await lockUser(db, projectId, user))) throw new ApiError("not_found", "User not found");
    const ghost = anonymisedRef(user);
    await insertErasedUser(db, projectId, ghost, now);
    const addresses = await anonymizeSends(db, projectId, user, ghost, app.get(linkSigner).messageKey);
    await eraseCaughtMail(db, projectId, addresses);
    await anonymizePushes(db, projectId, user, ghost);
    await anonymizeObservations(db, projectId, user, ghost);
    await moveDeliveries(db, projectId, user, ghost);
    await eraseHits(db, user);
    await eraseReceipts(db, user);
    await moveActiveUser(db, projectId, user, ghost);
    const { eventsErasedAtOnce: atOnce } = app.config.limits;
    // Very many events would keep the user's row, and who waits for it, for seconds: they are deleted afterwards, in pages.
    const isLong =
      (await countUserEvents(db, projectId, user)) > atOnce ||
      !(await eraseEventPage(db, projectId, user, atOnce + 1));
    if (isLong) await insertErasingUser(db, projectId, user, now);
    await eraseInstallations(db, projectId, user);
    await eraseUserRow(db, projectId, user);
    app.get(recentlyActive).forget([user]);
    wakeAfterDelta(app);
  },
);

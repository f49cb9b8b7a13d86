import { apiId } from "../../domain/ids.ts";
import { aloneLoop } from "../../platform/loops/alone-loop.ts";
import type { App } from "../../platform/runtime.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../platform/time/clock.ts";
import {
  findFloodedAcrossProjects,
  forgetMessages,
  forgetWebhook,
  listAllWebhooksAcrossProjects,
} from "./forget-store.ts";
import { KEPT_DAYS } from "./schema.ts";
import { MOST_WAITING, switchOff, unblock } from "./store.ts";

/** Messages of each state that one statement looks at. */
const AT_ONCE = 2_000;

/** How long a webhook stays that was deleted: what was under way then may still write messages for it. */
const DELETED_FOR_MS = HOUR_MS;

/**
 * Deletes messages that ended 30 days ago, what has waited for a webhook that is off for so long, and all of webhooks that were deleted. What
 * waits for one that is on ends by itself.
 */
export async function forgetWebhookMessages(app: App, signal?: AbortSignal): Promise<void> {
  const { kysely } = app.database.background;
  const now = app.clock();
  const long = now - KEPT_DAYS * DAY_MS;
  for (const { id, projectId, isDeleted, offAt } of await listAllWebhooksAcrossProjects(kysely)) {
    const endedBefore = isDeleted ? Number.MAX_SAFE_INTEGER : long;
    const waiting = isDeleted || (offAt !== null && offAt < long);
    let deleted = 0;
    do {
      if (signal?.aborted) return;
      deleted = await forgetMessages(kysely, projectId, id, { endedBefore, waiting, limit: AT_ONCE });
    } while (deleted > 0);
    if (isDeleted) await forgetWebhook(kysely, projectId, id, now - DELETED_FOR_MS);
    // Messages may have waited for some that are gone, also where a process ended right after it had deleted these.
    else await unblock(kysely, projectId, id);
  }
}

export const forgetMessagesLoop = aloneLoop({
  name: "forget messages of webhooks",
  everyMs: 10 * MINUTE_MS,
  deletesByAge: true,
  turn: forgetWebhookMessages,
});

/** Switches webhooks off for which more than `most` messages wait: their servers do not keep up, or are not there. */
export async function stopFlooded(app: App, most = MOST_WAITING): Promise<void> {
  const { kysely } = app.database.background;
  for (const { id, projectId } of await findFloodedAcrossProjects(kysely, most)) {
    await switchOff(kysely, projectId, id, { because: "flooded", now: app.clock() });
    app.log.warn({ projectId, webhook: apiId("wh", id) }, "a webhook is off: too many messages wait for it");
  }
}

export const stopFloodedLoop = aloneLoop({
  name: "stop flooded webhooks",
  everyMs: MINUTE_MS,
  turn: (app) => stopFlooded(app),
});

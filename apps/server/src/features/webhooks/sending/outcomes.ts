import { createBatch } from "../../../platform/db/batch/batch.ts";
import { inTransaction } from "../../../platform/db/db.ts";
import { addPatiently } from "../../../platform/db/transactions/add-patiently.ts";
import { BoundedMap } from "../../../platform/remember.ts";
import { type App, resource } from "../../../platform/runtime.ts";
import { webhookOutcomes } from "../metrics.ts";
import {
  endMessages,
  lockWebhooks,
  type MessageOutcome,
  type WebhookNews,
  writeNews,
} from "./outcome-store.ts";

/** An outcome of a message, and what it says of its webhook; null where nothing was sent. */
export type WebhookOutcome = MessageOutcome & { isGone: boolean };

/** What some outcomes say of one webhook: one that succeeded shows that it works, whatever else failed. */
function newsOf(outcomes: readonly WebhookOutcome[], now: number): WebhookNews | null {
  const [{ webhookId: id, projectId } = { webhookId: "", projectId: "" }] = outcomes;
  const tried = outcomes.filter(({ at }) => at !== null);
  if (tried.length === 0) return null;
  const last = (state: "delivered" | "failed"): WebhookOutcome | undefined =>
    tried
      .filter((each) => (each.state === "delivered") === (state === "delivered"))
      .reduce<WebhookOutcome | undefined>(
        (one, other) => ((one?.at ?? -1) >= (other.at ?? 0) ? one : other),
        undefined,
      );
  const [succeeded, failed] = [last("delivered"), last("failed")];
  return {
    id,
    projectId,
    succeededAt: succeeded?.at ?? null,
    failedAt: failed?.at ?? null,
    fault: failed?.fault ?? null,
    isGone: tried.some(({ isGone }) => isGone),
    now,
  };
}

const MOST_WEBHOOKS_KNOWN = 10_000;
const failuresInARow = resource(() => new BoundedMap<number>(MOST_WEBHOOKS_KNOWN));

/** How many attempts of this process at a webhook have failed since the last one that succeeded. */
export const failuresOf = (app: App, webhookId: string): number =>
  app.get(failuresInARow).get(webhookId) ?? 0;

async function record(app: App, outcomes: readonly WebhookOutcome[]): Promise<boolean[]> {
  const byWebhook = Map.groupBy(outcomes, ({ webhookId }) => webhookId);
  const now = app.clock();
  const news = [...byWebhook.values()].flatMap((theirs) => newsOf(theirs, now) ?? []);
  const webhooks = [...byWebhook].flatMap(([id, [first]]) =>
    first === undefined ? [] : [{ id, projectId: first.projectId }],
  );
  const ended = await inTransaction(
    app.database.hotPool,
    async (client) => {
      await lockWebhooks(client, webhooks);
      const moved = await endMessages(client, outcomes);
      if (news.length > 0) await writeNews(client, news);
      return new Set(moved.map(({ id }) => id));
    },
    "brief",
  );
  for (const { id, webhookId, at, state } of outcomes) {
    if (at === null || !ended.has(id)) continue;
    const isDelivered = state === "delivered";
    app.get(webhookOutcomes)(isDelivered ? "delivered" : "failed");
    app.get(failuresInARow).set(webhookId, isDelivered ? 0 : failuresOf(app, webhookId) + 1);
  }
  return outcomes.map(({ id }) => ended.has(id));
}

const outcomeBatch = resource((app) =>
  createBatch<WebhookOutcome, boolean>({
    laneOf: (row) => row.lane,
    keyOf: (row) => row.id,
    userOf: (row) => row.webhookId,
    run: (rows) => record(app, rows),
  }),
);

/** Writes down what came of a message, by group commit. Answers false where this process has not leased it any more. */
export const keepOutcome = (app: App, outcome: WebhookOutcome): Promise<boolean> =>
  addPatiently(app.get(outcomeBatch), outcome, app.log);

/** Nothing was sent: the message waits as before. */
export const UNTRIED = {
  state: "waiting",
  dueAt: 0,
  at: null,
  tookMs: null,
  status: null,
  answer: null,
  fault: null,
  isGone: false,
} as const;

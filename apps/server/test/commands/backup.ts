import assert from "node:assert/strict";
import { createClient } from "@tidings/client";
import type { ProjectKeys } from "../../src/features/access/public.ts";
import { type Spawned, tidings, until } from "./spawned.ts";

/** How many users there are. */
export const USERS = 1_200;

/** Something that people and users did, with a secret that was set. */
export async function live(env: { DATA_DIR: string }, { url }: Spawned, keys: ProjectKeys): Promise<void> {
  const sdk = createClient(url, keys.publishableKey);
  const api = createClient(url, keys.secretKey);
  for (let from = 0; from < USERS; from += 400) {
    const events = Array.from({ length: 400 }, (_, i) => ({ userId: `user-${from + i}`, event: "looked" }));
    await api.trackBatch({ body: { events } });
  }
  await api.createCampaign({
    body: { name: "Hello", launch: true, message: { presentation: "toast", title: "Hello" } },
  });
  const { messages } = await sdk.getMessages({ query: { userId: "user-1" } });
  await sdk.sendDeliveryFeedback({
    path: { id: messages[0]?.deliveryId ?? "" },
    body: { userId: "user-1", type: "shown", feedbackId: "seen" },
  });
  const set = [
    "settings",
    "set",
    "--project",
    keys.projectId,
    "email.smtpUrl=smtp://ada:hunter2@127.0.0.1:2525",
  ];
  assert.equal((await tidings(set, env)).code, 0);
  // Deltas that are applied between two looks at the project would be a difference: a read adds up all of them.
  const isUpToDate = async () => (await api.getOverview()).countedThrough === undefined;
  await until(isUpToDate, "the rollups are up to date");
}

/** What is asked of a project before and after it was brought elsewhere. */
export async function seen(url: string, { secretKey }: ProjectKeys) {
  const api = createClient(url, secretKey);
  const { campaigns } = await api.listCampaigns();
  const { user } = await api.getUser({ path: { id: "user-7" } });
  const { days } = await api.getMetrics({ query: { range: "90d" } });
  return {
    users: (await api.listUsers()).total,
    events: (await api.listEvents()).total,
    campaigns: campaigns.map(({ name, stats }) => ({ name, stats })),
    firstSeenAt: user.firstSeenAt,
    days,
  };
}

/** Whether the doctor finds a folder's house in order. */
export async function inOrder(env: { DATA_DIR: string }): Promise<void> {
  const { code, stdout } = await tidings(["doctor"], env);
  assert.equal(code, 0, stdout);
}

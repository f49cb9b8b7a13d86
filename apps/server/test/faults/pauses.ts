import { setTimeout as sleep } from "node:timers/promises";
import { createClient, TidingsError } from "@tidings/client";
import type { ProjectKeys } from "../../src/features/access/public.ts";

/** Pauses that were acknowledged by one process, and messages that another handed out after that. */
export type Pauses = { acknowledged: number; violations: number };

/** Asks processes that may be down, one after the other, until one answers; null when it is over. */
async function patiently<T>(
  origins: () => readonly string[],
  first: number,
  isOver: () => boolean,
  ask: (origin: string) => Promise<T>,
): Promise<{ answer: T; by: string } | null> {
  for (let next = first; !isOver(); next++) {
    const known = origins();
    const origin = known[next % Math.max(1, known.length)];
    try {
      if (origin !== undefined) return { answer: await ask(origin), by: origin };
    } catch (error) {
      if (error instanceof TidingsError && error.status < 500) throw error;
    }
    await sleep(20);
  }
  return null;
}

/**
 * Launches and pauses a campaign again and again, each time through another process, and asks all of them for the messages of
 * a new user as soon as the pause is acknowledged: no process may hand it out any more.
 */
export async function watchPauses(
  origins: () => readonly string[],
  keys: ProjectKeys,
  isOver: () => boolean,
): Promise<Pauses> {
  const pauses: Pauses = { acknowledged: 0, violations: 0 };
  const body = { name: "Paused", launch: false, message: { presentation: "toast" as const, title: "Now" } };
  const made = await patiently(origins, 0, isOver, (url) =>
    createClient(url, keys.secretKey).createCampaign({ body, headers: { "idempotency-key": "paused" } }),
  );
  const id = made?.answer.campaign.id;
  if (id === undefined) return pauses;
  const change = (action: "launch" | "pause", turn: number) =>
    patiently(origins, turn, isOver, (url) =>
      createClient(url, keys.secretKey).setCampaignStatus({
        path: { id },
        body: { action },
        headers: { "idempotency-key": `${action}-${turn}` },
      }),
    );
  for (let turn = 0; !isOver(); turn++) {
    const messages = (first: number, userId: string) =>
      patiently(origins, first, isOver, (url) =>
        createClient(url, keys.publishableKey).getMessages({ query: { userId } }),
      );
    if ((await change("launch", turn)) === null) break;
    // Both have it in memory by then.
    await Promise.all([messages(0, `a-${turn}`), messages(1, `b-${turn}`)]);
    const paused = await change("pause", turn);
    if (paused === null) break;
    pauses.acknowledged++;
    const after = await Promise.all([messages(turn + 1, `c-${turn}`), messages(turn, `d-${turn}`)]);
    for (const read of after) if ((read?.answer.messages.length ?? 0) > 0) pauses.violations++;
  }
  return pauses;
}

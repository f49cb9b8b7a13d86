import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@tidings/client";
import pg from "pg";
import { IN_FLIGHT } from "../../src/features/webhooks/rules.ts";
import { embeddedAddress } from "../../src/platform/db/embedded/place.ts";
import { keysFrom, until } from "../commands/spawned.ts";
import { freePort } from "./library-calls.ts";
import { type Random, randomFrom } from "./random.ts";
import { createCrashServer, type KillMode } from "./server.ts";

export type WebhookCrashOptions = {
  kills: number;
  users: number;
  seed: number;
  say: (line: string) => void;
};

export type WebhookCrashReport = {
  kills: Record<KillMode, number>;
  /** What happened, and was acknowledged. */
  facts: number;
  /** Messages that were written of it. */
  messages: number;
  /** Answers with 2xx, and with anything else or none. */
  taken: number;
  refused: number;
  /** Answers with 2xx to messages that had got one already, and the most that there may be. */
  doubled: number;
  mostDoubled: number;
  /** What contradicts what was promised, in words. */
  faults: string[];
  differences: number;
};

/** Changes of each user, one after the other. */
const CHANGES = 4;
const OF_USER = Array.from({ length: CHANGES }, () => "user.identified");
const OF_DELIVERY = ["delivery.shown", "delivery.clicked", "delivery.converted"];
const ACTORS = 24;
const AGAIN_MS = 50;
const HANGS_MS = 2_000;
const MOST_MS = 120_000;
/** Requests under way when a process is killed, and answers that were not written down. */
const MOST_PER_KILL = 4 * IN_FLIGHT;

/** The server of a customer: it answers 2xx, 5xx, late, or not at all, as it happens; all with 2xx once it is well. */
async function openMoodyReceiver(random: Random) {
  /** Ids of messages in the order in which each was answered with 2xx, with those that were answered so again. */
  const taken: string[] = [];
  let refused = 0;
  let isWell = false;
  const waiting = new Set<ServerResponse>();
  const server = createServer(async (request, response) => {
    const id = String(request.headers["webhook-id"]);
    // A server that is killed in the middle of a request leaves half a body.
    if ((await text(request).catch(() => null)) === null) return;
    const mood = isWell ? 100 : random.int(100);
    if (mood >= 8) {
      taken.push(id);
      response.writeHead(mood % 2 === 0 ? 204 : 200).end();
      return;
    }
    refused++;
    if (mood >= 4) response.writeHead(mood >= 6 ? 500 : 503).end("not now");
    else if (mood >= 1) request.socket.destroy();
    else {
      waiting.add(response);
      setTimeout(() => request.socket.destroy(), HANGS_MS).unref();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    taken,
    refused: () => refused,
    recover() {
      isWell = true;
      for (const response of waiting) response.destroy();
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Repeats a request until it is acknowledged. */
async function acknowledged<T>(send: () => Promise<T>): Promise<T> {
  for (const end = Date.now() + MOST_MS; ; await sleep(AGAIN_MS)) {
    try {
      return await send();
    } catch (cause) {
      if (Date.now() > end) throw cause;
    }
  }
}

type Keys = ReturnType<typeof keysFrom>;

/** What one user does: each step is acknowledged before the next one. */
async function live(url: string, { publishableKey }: Keys, user: string, done: () => void): Promise<void> {
  const sdk = createClient(url, publishableKey);
  const step = async <T>(send: () => Promise<T>): Promise<T> => {
    const answer = await acknowledged(send);
    done();
    return answer;
  };
  for (let n = 0; n < CHANGES; n++)
    await step(() => sdk.identify({ body: { userId: user, traits: { steps: n } } }));
  const query = { userId: user, entryId: "entry", requestId: "request" };
  const { messages } = await acknowledged(() => sdk.getMessages({ query }));
  const id = messages[0]?.deliveryId ?? "";
  for (const type of ["shown", "clicked"] as const)
    await step(() =>
      sdk.sendDeliveryFeedback({ path: { id }, body: { userId: user, type, feedbackId: `${user}-${type}` } }),
    );
  await step(() => sdk.track({ body: { userId: user, event: "upgraded", eventId: `${user}-upgraded` } }));
}

type Written = { id: string; type: string; state: string; object: string; user: string | null };

async function selected<T extends pg.QueryResultRow>(dataDir: string, query: string): Promise<T[]> {
  const client = new pg.Client(embeddedAddress(dataDir));
  await client.connect();
  try {
    return (await client.query<T>(query)).rows;
  } finally {
    await client.end();
  }
}

const readWritten = (dataDir: string): Promise<Written[]> =>
  selected(
    dataDir,
    `select 'msg_' || m.id as id, m.type, m.state, m.object, u.external_id as user
    from webhook_messages m left join users u on u.lane = m.lane and u.user_key = m.user_key order by m.id`,
  );

/** What is not as it was promised: a message for each fact, each taken, those about one thing in their order. */
function faultsOf(written: readonly Written[], taken: readonly string[], users: number): string[] {
  const faults: string[] = [];
  const place = new Map<string, number>();
  for (const [index, id] of taken.entries()) if (!place.has(id)) place.set(id, index);
  for (const { id, type, state } of written)
    if (state !== "delivered" || !place.has(id)) faults.push(`${id} ${type} is ${state}, and was not taken`);
  const known = new Set(written.map(({ id }) => id));
  for (const id of place.keys()) if (!known.has(id)) faults.push(`${id} was taken, and is not there`);
  const byObject = [...Map.groupBy(written, ({ object }) => object).values()];
  for (const messages of byObject) {
    const places = messages.map(({ id }) => place.get(id) ?? 0);
    if (places.some((each, n) => each < (places[n - 1] ?? 0)))
      faults.push(
        `${messages.map(({ id, type }) => `${type} ${id}`).join(", ")} came in another order: ${places.join(", ")}`,
      );
  }
  const expected = [OF_USER.join(), OF_DELIVERY.join()];
  const ofUsers = byObject.filter(([first]) => first?.user != null);
  for (const messages of ofUsers) {
    const types = messages.map(({ type }) => type).join();
    if (!expected.includes(types)) faults.push(`of ${messages[0]?.user} were announced: ${types}`);
  }
  if (ofUsers.length !== 2 * users) faults.push(`${ofUsers.length} things of ${users} users were announced`);
  return faults;
}

/**
 * Kills the server at random instants while users do what a webhook wants to know, whose server answers as it likes; then has all messages
 * delivered, and compares what came with what was acknowledged.
 */
export async function webhookCrashRounds(options: WebhookCrashOptions): Promise<WebhookCrashReport> {
  const { users, say } = options;
  const random = randomFrom(options.seed);
  const kills: Record<KillMode, number> = { node: 0, "node+postgres": 0 };
  const receiver = await openMoodyReceiver(random);
  const server = await createCrashServer({ PORT: String(await freePort()), WEBHOOKS_PRIVATE: "1" });
  const { dataDir } = server;
  try {
    const { url } = await server.start();
    const keys = keysFrom(server.lastLog());
    const api = createClient(url, keys.secretKey);
    const types = ["*", "delivery.shown", "delivery.clicked", "delivery.converted"] as const;
    await api.createWebhook({ body: { url: receiver.url, types: [...types] } });
    const { goal } = await api.createGoal({ body: { name: "Upgrades", targetEvent: "upgraded" } });
    const message = { presentation: "toast", title: "Hello" } as const;
    await api.createCampaign({ body: { name: "To all", goalId: goal.id, launch: true, message } });

    let facts = 0;
    let next = 0;
    let admitted = 0;
    const load = Promise.all(
      Array.from({ length: ACTORS }, async () => {
        while (next < users) {
          await until(() => next < admitted, "more users come", MOST_MS);
          if (next < admitted) await live(url, keys, `user-${next++}`, () => facts++);
        }
      }),
    );
    // One that fails must not end the run before the server is there again.
    load.catch(() => undefined);
    for (let kill = 1; kill <= options.kills; kill++) {
      // Some users come before each kill, so that it meets requests of them, and messages that leave.
      admitted = Math.ceil((users * kill) / options.kills);
      const at = receiver.taken.length + random.between(1, Math.ceil((3 * users) / options.kills));
      await until(() => receiver.taken.length >= at, `${at} messages are taken`, MOST_MS);
      const mode: KillMode = random.chance(0.7) ? "node" : "node+postgres";
      const first = random.chance(0.5) ? "node" : "postgres";
      await server.kill(mode, { first, gapMs: random.between(0, 20) });
      kills[mode]++;
      say(
        `kill ${kill}, ${mode}: ${facts} facts, ${receiver.taken.length} taken, ${receiver.refused()} refused`,
      );
      await server.start();
    }
    await load;
    receiver.recover();
    const waiting = async (): Promise<{ count: number; due: number | null }> => {
      const [found] = await selected<{ count: number; due: string | null }>(
        dataDir,
        "select count(*)::int as count, max(due_at) as due from webhook_messages where state <> 'delivered'",
      );
      return { count: found?.count ?? 0, due: found?.due == null ? null : Number(found.due) };
    };
    // Those that failed several times wait for hours by the schedule.
    await until(
      async () => {
        const { count, due } = await waiting();
        if (due !== null && due > server.now()) await server.advanceTo(due + 1);
        return count === 0;
      },
      "all messages are delivered",
      MOST_MS,
    );
    const written = await readWritten(dataDir);
    const { differences } = JSON.parse(await server.command("doctor", "--json")) as { differences: number };
    const { taken } = receiver;
    return {
      kills,
      facts,
      messages: written.length,
      taken: taken.length,
      refused: receiver.refused(),
      doubled: taken.length - new Set(taken).size,
      mostDoubled: options.kills * MOST_PER_KILL,
      faults: faultsOf(written, taken, users),
      differences,
    };
  } finally {
    await server.dispose();
    receiver.close();
  }
}

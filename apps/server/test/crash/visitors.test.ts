import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient, TidingsError } from "@tidings/client";
import pg from "pg";
import { embeddedAddress } from "../../src/platform/db/embedded/place.ts";
import { keysFrom, until } from "../commands/spawned.ts";
import { rounds, seedOf } from "../rounds.ts";
import { freePort } from "./library-calls.ts";
import { randomFrom } from "./random.ts";
import { createCrashServer } from "./server.ts";

/** Browsers that are open at the same time. */
const LOOPS = 12;
const EVENTS = 4;
const MOST_MS = 120_000;
const PAUSE_MS = 50;

type Person = { anonymousId: string; userId: string; acknowledged: string[]; isSignedIn: boolean };

/** Refusals that were met, by status: a server that ends, or starts, may say that it cannot answer now. */
const refusals = new Map<number, number>();

/** Sends a request until it is answered, as the SDK does: under the same ids. */
async function untilAnswered(send: () => Promise<unknown>): Promise<number> {
  for (let tries = 0; ; tries++) {
    try {
      await send();
      return tries;
    } catch (cause) {
      if (cause instanceof TidingsError) refusals.set(cause.status, (refusals.get(cause.status) ?? 0) + 1);
      if (tries * PAUSE_MS > MOST_MS) throw cause;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

/** The users that have each event, by its id: the id in the product, or null where no user is under its key. */
async function stored(dataDir: string, projectId: string): Promise<Map<string, (string | null)[]>> {
  const client = new pg.Client(embeddedAddress(dataDir));
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string; user: string | null }>(
      `select e.event_id as id, u.external_id as user from events e
      left join users u on u.lane = e.lane and u.user_key = e.user_key where e.project_id = $1`,
      [projectId],
    );
    return new Map(
      [...Map.groupBy(rows, ({ id }) => id)].map(([id, found]) => [id, found.map(({ user }) => user)]),
    );
  } finally {
    await client.end();
  }
}

test("visitors who sign in to a server that is killed are their users, with each event once", {
  timeout: 240_000,
}, async (t) => {
  const seed = seedOf();
  t.diagnostic(`seed ${seed}`);
  const random = randomFrom(seed);
  const [all, kills] = [rounds(500, 4_000, 200), rounds(3, 12, 2)];
  const server = await createCrashServer({ PORT: String(await freePort()) });
  try {
    const { url } = await server.start();
    const { projectId, secretKey, publishableKey } = keysFrom(server.lastLog());
    await server.command("settings", "set", "--project", projectId, "visitors.enabled=true");
    const [sdk, api] = [createClient(url, publishableKey), createClient(url, secretKey)];
    const isKept = () => sdk.track({ body: { anonymousId: "first", event: "looked" } });
    // The setting is known within seconds; until then the request is refused (400).
    await untilAnswered(isKept);
    const { goal } = await api.createGoal({ body: { name: "Pays", targetEvent: "paid" } });
    await api.createCampaign({
      body: {
        name: "Hello",
        launch: true,
        visitors: "also",
        goalId: goal.id,
        message: { presentation: "toast", title: "Hello" },
      },
    });
    const people: Person[] = [];
    let again = 0;
    const visit = async (n: number) => {
      // Two browsers of each user, and each is another visitor.
      const person: Person = {
        anonymousId: `v${n}`,
        userId: `u${n >> 1}`,
        acknowledged: [],
        isSignedIn: false,
      };
      people.push(person);
      const { anonymousId, userId } = person;
      const headers = { "x-anonymous-id": anonymousId };
      const track = async (
        event: string,
        eventId: string,
        named: { userId: string } | { anonymousId: string },
      ) => {
        again += await untilAnswered(() => sdk.track({ body: { ...named, event, eventId } }));
        person.acknowledged.push(eventId);
      };
      for (let k = 0; k < EVENTS; k++) await track("looked", `${anonymousId}-${k}`, { anonymousId });
      const { messages } = await sdk.getMessages({ query: {}, headers }).catch(() => ({ messages: [] }));
      for (const { deliveryId } of messages)
        again += await untilAnswered(() =>
          sdk.sendDeliveryFeedback({
            path: { id: deliveryId },
            body: { anonymousId, type: "shown", feedbackId: `${anonymousId}-shown` },
          }),
        );
      const signIn = async () => {
        again += await untilAnswered(() => sdk.identify({ body: { userId, anonymousId } }));
        person.isSignedIn = true;
      };
      await Promise.all([
        signIn(),
        track("paid", `${anonymousId}-meanwhile`, { anonymousId }),
        track("looked", `${anonymousId}-device`, { userId }),
      ]);
      await track("paid", `${anonymousId}-after`, { anonymousId });
    };
    let next = 0;
    const load = Promise.all(
      Array.from({ length: LOOPS }, async () => {
        while (next < all) await visit(next++);
      }),
    );
    const done = () => people.filter(({ isSignedIn }) => isSignedIn).length;
    for (let kill = 0; kill < kills; kill++) {
      const at = Math.floor((all / (kills + 1)) * kill) + random.between(10, Math.floor(all / (kills + 1)));
      await until(() => done() >= at, `${at} visitors have signed in`, MOST_MS);
      await server.kill(kill % 2 === 0 ? "node" : "node+postgres", { first: "node", gapMs: 0 });
      t.diagnostic(`killed when ${done()} visitors had signed in`);
      await server.start();
    }
    await load;
    t.diagnostic(`${again} requests were sent again`);
    assert.ok(again >= kills, "each kill met a request");
    // Whatever a kill breaks is a 503, and not a fault.
    refusals.delete(400);
    assert.deepEqual(
      [...refusals.keys()].filter((status) => status !== 503),
      [],
    );
    const found = await stored(server.dataDir, projectId);
    const wrong = people.flatMap(({ userId, acknowledged }) =>
      acknowledged.filter((id) => JSON.stringify(found.get(id)) !== JSON.stringify([userId])),
    );
    assert.deepEqual([wrong.slice(0, 5), people.length], [[], all]);
    const { differences } = JSON.parse(await server.command("doctor", "--json")) as { differences: number };
    assert.equal(differences, 0);
  } finally {
    await server.dispose();
  }
});

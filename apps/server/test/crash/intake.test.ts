import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { embeddedAddress } from "../../src/platform/db/embedded/place.ts";
import { keysFrom, until } from "../commands/spawned.ts";
import { rounds, seedOf } from "../rounds.ts";
import { type Delivered, freePort, type Library, rudderLibrary, segmentLibrary } from "./library-calls.ts";
import { randomFrom } from "./random.ts";
import { createCrashServer } from "./server.ts";

/** Loops that send calls of one library, each the next ones when its last are delivered. */
const LOOPS = 8;
const PIECE = 50;
const MOST_MS = 120_000;

/** Sends so many calls of a library; resolves when all are delivered or given up. */
async function sendAll(library: Library, calls: number): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: LOOPS }, async () => {
      while (next < calls) {
        const from = next;
        next += PIECE;
        await library.deliver(Array.from({ length: Math.min(PIECE, calls - from) }, (_, n) => from + n));
      }
    }),
  );
  await library.close();
}

/** How often each call is there, by library: `[calls, events]`, which are the same where each is there once. */
async function stored(dataDir: string, projectId: string): Promise<Record<string, [number, number]>> {
  const client = new pg.Client(embeddedAddress(dataDir));
  await client.connect();
  try {
    const { rows } = await client.query<{ by: string; calls: number; events: number }>(
      `select props ->> 'by' as by, count(distinct props ->> 'n')::int as calls, count(*)::int as events
      from events where project_id = $1 group by 1 order by 1`,
      [projectId],
    );
    return Object.fromEntries(rows.map(({ by, calls, events }) => [by, [calls, events]]));
  } finally {
    await client.end();
  }
}

test("what libraries send over a server that is killed is there, each call once", {
  timeout: 240_000,
}, async (t) => {
  const seed = seedOf();
  t.diagnostic(`seed ${seed}`);
  const random = randomFrom(seed);
  const [segment, rudder] = [rounds(10_000, 40_000, 3_000), rounds(3_000, 12_000, 1_500)];
  const kills = rounds(3, 8, 2);
  const server = await createCrashServer({ PORT: String(await freePort()) });
  try {
    const { url } = await server.start();
    const { projectId, secretKey, publishableKey } = keysFrom(server.lastLog());
    const report: Delivered = { delivered: 0, retried: 0, faults: [] };
    const libraries = Promise.all([
      sendAll(segmentLibrary(url, secretKey, report), segment),
      sendAll(rudderLibrary(url, publishableKey, report), rudder),
    ]);
    const all = segment + rudder;
    const share = Math.floor(all / (kills + 1));
    for (let kill = 0; kill < kills; kill++) {
      const at = kill * share + random.between(PIECE, share);
      await until(() => report.delivered + report.faults.length >= at, `${at} calls are delivered`, MOST_MS);
      await server.kill(random.chance(0.5) ? "node" : "node+postgres", { first: "node", gapMs: 0 });
      t.diagnostic(`killed when ${report.delivered} calls were delivered`);
      await server.start();
    }
    await libraries;
    t.diagnostic(`${report.retried} requests were sent again`);
    assert.deepEqual([report.faults.slice(0, 3), report.delivered], [[], all]);
    assert.ok(report.retried >= kills, "each kill met a request");
    assert.deepEqual(await stored(server.dataDir, projectId), {
      rudder: [rudder, rudder],
      segment: [segment, segment],
    });
    const { differences } = JSON.parse(await server.command("doctor", "--json")) as { differences: number };
    assert.equal(differences, 0);
  } finally {
    await server.dispose();
  }
});

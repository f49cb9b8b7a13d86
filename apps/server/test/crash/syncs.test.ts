import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "@tidings/client";
import { ask, keysFrom, until } from "../commands/spawned.ts";
import { startS3 } from "../peers/s3.ts";
import { rounds, seedOf } from "../rounds.ts";
import { eventIdsOf, filesInBucket, placeInBucket } from "../syncs.ts";
import { randomFrom } from "./random.ts";
import { createCrashServer, type KillMode } from "./server.ts";

const BATCH = 500;
/** So many events of so many bytes fit into a file. */
const IN_A_FILE = 8_000;
const TEXT = "x".repeat(4_050);
const PREFIX = "killed";

test("a server killed while it writes files writes each event once", { timeout: 300_000 }, async (t) => {
  const seed = seedOf();
  t.diagnostic(`seed ${seed}`);
  const random = randomFrom(seed);
  const [events, kills] = [rounds(30_000, 100_000, 17_000), rounds(4, 12, 2)];
  const s3 = await startS3();
  const server = await createCrashServer({ SYNCS_PRIVATE: "1" });
  try {
    const { url } = await server.start();
    const { projectId, secretKey } = keysFrom(server.lastLog());
    const api = createClient(url, secretKey);
    const ids = Array.from({ length: events }, (_, n) => `e${String(n).padStart(6, "0")}`);
    for (let at = 0; at < events; at += BATCH)
      await api.trackBatch({
        body: {
          events: ids.slice(at, at + BATCH).map((eventId, n) => ({
            userId: `u${(at + n) % 50}`,
            event: "filled",
            eventId,
            props: { text: TEXT },
          })),
        },
      });
    await ask(server.dataDir, "update events set recorded_at = recorded_at - 7200000");
    let killed = Promise.withResolvers<void>();
    // With which file each kill comes: one of them at least behind a file that stands.
    const parts = Math.ceil(events / IN_A_FILE);
    const left = Array.from({ length: kills }, (_, n) => (n === 0 ? 2 : random.between(1, parts))).sort(
      (a, b) => a - b,
    );
    s3.behave(async (name) => {
      const part = Number(/part-(\d+)/.exec(name)?.[1] ?? 0);
      if (part < (left[0] ?? Number.POSITIVE_INFINITY)) return null;
      left.shift();
      const mode: KillMode = random.chance(0.5) ? "node" : "node+postgres";
      await server.kill(mode, { first: random.chance(0.5) ? "node" : "postgres", gapMs: random.int(20) });
      killed.resolve();
      // The file that is underway when a server is killed is there, or not.
      return random.chance(0.5) ? null : "drop";
    });
    const body = { lists: ["events"], format: "ndjson", every: "hour", to: placeInBucket(s3, PREFIX) };
    await server.command("call", "createSync", "--project", projectId, "--body", JSON.stringify(body));
    for (let n = 0; n < kills; n++) {
      await killed.promise;
      killed = Promise.withResolvers<void>();
      await server.start();
    }
    const isComplete = () => [...s3.objects.keys()].some((name) => name.endsWith("_manifest.json"));
    await until(isComplete, "everything is written", 120_000);
    const found = await eventIdsOf(filesInBucket(s3, PREFIX));
    assert.equal(found.length, events);
    assert.deepEqual(found.toSorted(), ids);
    const [window] = await ask<{ rows: number }>(server.dataDir, "select rows::int from sync_windows");
    assert.equal(window?.rows, events);
    const doctor = JSON.parse(await server.command("doctor", "--json")) as { differences: number };
    assert.equal(doctor.differences, 0);
    await server.stop();
  } finally {
    await server.dispose();
    await s3.close();
  }
});

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, it } from "node:test";
import { createClient } from "@tidings/client";
import { startS3 } from "../peers/s3.ts";
import { cleanUp, done, keysOf, migratedDataDir, refused, serve, stop, tidings, until } from "./spawned.ts";

after(cleanUp);

const PAGE = await readFile(new URL("../../../../docs/syncs.md", import.meta.url), "utf8");

/** The commands that the page shows, as arguments. */
const shownCommands = [...PAGE.matchAll(/^npx tidings (.+)$/gm)].map(([, line = ""]) => line.split(" "));

/** The bucket that the page shows, in place of which a test has its own. */
const shownBucket = JSON.parse(/```json\n([\s\S]*?)```/.exec(PAGE)?.[1] ?? "null") as {
  s3: Record<string, string>;
};

it("tidings sync does what its page says: a folder and a bucket, written while the server runs", async () => {
  const dataDir = await migratedDataDir();
  const env = { DATA_DIR: dataDir, RATE_LIMITS: "off" };
  const server = await serve(env);
  const store = await startS3();
  try {
    const { projectId, secretKey } = keysOf(server);
    await createClient(server.url, secretKey).track({ body: { userId: "ada", event: "paid" } });
    const sync = (...args: string[]) => tidings(["sync", ...args, "--project", projectId], env);
    assert.match(await done(sync("list")), /^There are none\.$/m);

    const [add = [], list = []] = shownCommands;
    assert.deepEqual(
      [add.slice(0, 2), list],
      [
        ["sync", "add"],
        ["sync", "list"],
      ],
    );
    const added = await done(tidings([...add, "--project", projectId], env));
    assert.match(added, /^sync_\S+ {2}folder warehouse {2}events,users {2}parquet {2}every hour {2}/);
    const folder = join(dataDir, "syncs", "warehouse");
    const claim = JSON.parse(await readFile(join(folder, "_tidings.json"), "utf8")) as object;
    const [id = ""] = added.split(" ");
    assert.deepEqual(claim, { sync: id, project: projectId });
    await until(async () => / up to date at /.test(await done(sync("list"))), "it is written");
    const day = new Date().toISOString().slice(0, 10);
    const manifest = JSON.parse(await readFile(join(folder, `users/date=${day}/_manifest.json`), "utf8"));
    assert.deepEqual([manifest.sync, manifest.list, manifest.rows], [id, "users", 1]);

    const { key, region, bucket, url: endpoint } = store;
    assert.deepEqual(
      Object.keys(shownBucket.s3),
      Object.keys({ endpoint, region, bucket, prefix: "", ...key }),
    );
    const file = join(dataDir, "bucket.json");
    const s3 = { ...shownBucket.s3, endpoint, region, bucket, ...key };
    await writeFile(file, JSON.stringify({ s3 }));
    const toBucket = (...args: string[]) =>
      sync("add", "--list", "users", "--format", "csv", "--every", "day", "--to", ...args);
    const inBucket = await done(toBucket(file));
    assert.match(inBucket, /\/lake\/tidings {2}users {2}csv {2}every day /);
    assert.ok(!inBucket.includes(key.secretAccessKey));
    await until(() => store.objects.has(`tidings/users/date=${day}/_manifest.json`), "the bucket has it");
    const csv = store.objects.get(`tidings/users/date=${day}/part-00001.csv`)?.toString() ?? "";
    assert.match(csv, /^\ufeffid,externalUserId,firstSeenAt,lastSeenAt,isVisitor,traits\r\neu_\S+,ada,/);

    await refused(toBucket(file), /Another sync writes there/);
    await refused(toBucket("folder:../etc"), /--to/);
    await refused(toBucket(join(dataDir, "none.json")), /none\.json cannot be read: ENOENT/);
    await writeFile(file, JSON.stringify({ s3: { ...s3, prefix: "other", secretAccessKey: "wrong" } }));
    await refused(toBucket(file), /SignatureDoesNotMatch/);

    const [bucketId = ""] = inBucket.split(" ");
    const keys = join(dataDir, "keys.json");
    await writeFile(keys, JSON.stringify(key));
    assert.match(await done(sync("change", bucketId, "--keys", keys, "--list", "runs")), / {2}runs {2}csv /);
    assert.match(await done(sync("change", bucketId, "--state", "off")), / {2}off$/m);
    await refused(sync("run", bucketId), /off: switch it on/);
    assert.match(await done(sync("run", id)), /^sync_/);
    assert.match(await done(sync("remove", id)), /files stay/);
    await refused(sync("remove", id), /^Sync not found/m);
    const { syncs } = JSON.parse(await done(sync("list", "--json"))) as { syncs: { id: string }[] };
    assert.deepEqual(
      syncs.map((each) => each.id),
      [bucketId],
    );
    assert.ok(await readFile(join(folder, `users/date=${day}/part-00001.parquet`)));
  } finally {
    await store.close();
    assert.equal((await stop(server)).code, 0);
  }
});

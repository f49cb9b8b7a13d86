/**
 * `node bench/move.ts [--users 300000] [--events 1500000] [--rounds 3]`: how long `tidings move` takes, with its counts, its statistics and
 * the doctor, beside PostgreSQL's own COPY of the same tables into a file and from it, into a database of the same migrations.
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import pg from "pg";
import { startEmbedded } from "../apps/server/src/platform/db/embedded/embedded.ts";
import { moveFile } from "../apps/server/src/platform/db/embedded/moved.ts";
import { embeddedAddress } from "../apps/server/src/platform/db/embedded/place.ts";
import { migrate } from "../apps/server/src/platform/db/migrate.ts";
import { quoted, readCatalog } from "../apps/server/src/platform/db/moving/catalog.ts";
import { inTableOrder } from "../apps/server/src/platform/db/moving/table-order.pure.ts";
import { createLog } from "../apps/server/src/platform/log.ts";
import { fillProject } from "./filled.ts";
import { startTidings } from "./processes.ts";
import { median } from "./report.ts";

const { values } = parseArgs({
  options: {
    users: { type: "string", default: "300000" },
    events: { type: "string", default: "1500000" },
    rounds: { type: "string", default: "3" },
  },
});
const COMMAND = new URL("../apps/server/bin/tidings.mjs", import.meta.url).pathname;
const DATABASE = "moved";

const tidings = await startTidings({ ROLES: "api" });
const filling = await tidings.connect();
await fillProject(filling, tidings, { users: Number(values.users), events: Number(values.events) });
await filling.end();
const { dataDir } = tidings;
const log = createLog("error");
const target = await startEmbedded(await mkdtemp(join(tmpdir(), "tidings-moved-")), log);
if (target === null || !("host" in target.address)) throw new Error("The folder of the target is in use.");
const place = target.address;

async function within<T>(address: pg.ClientConfig, act: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(address);
  await client.connect();
  return act(client).finally(() => client.end());
}

/** An empty database, migrated: what both begin with. */
async function anew(): Promise<void> {
  await within(place, async (client) => {
    await client.query(`drop database if exists ${DATABASE} with (force)`);
    await client.query(`create database ${DATABASE}`);
    await client.query("checkpoint");
  });
  const pool = new pg.Pool({ ...place, database: DATABASE, max: 2 });
  await migrate(pool);
  await pool.end();
}

async function seconds(act: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await act();
  return (performance.now() - began) / 1_000;
}

async function moved(): Promise<number> {
  await anew();
  const address = `postgres://${place.user}@${encodeURIComponent(place.host)}/${DATABASE}`;
  const env = { ...process.env, DATA_DIR: dataDir, MOVE_TO: address };
  const took = await seconds(async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [COMMAND, "move"], { env });
    console.log(
      stdout
        .split("\n")
        .filter((line) => /^Copied|^Recounted/.test(line))
        .join("\n"),
    );
  });
  await rm(moveFile(dataDir));
  return took;
}

async function copied(): Promise<number> {
  await anew();
  const source = await startEmbedded(dataDir, log);
  if (source === null) throw new Error("The folder of the source is in use.");
  const file = join(dataDir, "postgres", "table.copy");
  const took = await within(embeddedAddress(dataDir) as pg.ClientConfig, (from) =>
    within({ ...place, database: DATABASE }, async (into) => {
      const tables = inTableOrder(await readCatalog(from));
      return seconds(async () => {
        await into.query("begin");
        for (const { name, columns } of tables) {
          const rows = `${quoted(name)} (${columns.map(pg.escapeIdentifier).join(", ")})`;
          await from.query(`copy ${rows} to '${file}' (format binary)`);
          await into.query(`copy ${rows} from '${file}' (format binary)`);
        }
        await into.query("commit");
      });
    }),
  );
  await rm(file);
  await source.stop();
  return took;
}

try {
  // The server itself has to be stopped, and its folder stays.
  tidings.process.kill("SIGTERM");
  await new Promise((resolve) => tidings.process.once("exit", resolve));
  const ratios: number[] = [];
  for (let round = 1; round <= Number(values.rounds); round++) {
    const [move, copy] = [await moved(), await copied()];
    ratios.push(move / copy);
    console.log(`round ${round}: move ${move.toFixed(1)} s, COPY ${copy.toFixed(1)} s`);
  }
  console.log(`move / COPY: ${median(ratios).toFixed(2)} (median of ${ratios.length} rounds)`);
} finally {
  await target.stop();
  await tidings.stop();
}

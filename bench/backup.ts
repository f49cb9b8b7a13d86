/**
 * `node bench/backup.ts [--users 300000] [--events 1500000] [--rounds 3] [--seconds 6]`: how long a backup of a filled database takes, beside
 * `cp -a` and `sync` of the same folder while nothing runs on it; then the requests of another project while backups are made, one after the
 * other, by the command and by the server itself, in turn with the same undisturbed, and how long the event loop of the server is blocked.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs, promisify } from "node:util";
import { fillProject } from "./filled.ts";
import { loopReport } from "./loop-report.ts";
import { compareRequests, measureRequests } from "./neighbour-requests.ts";
import { startTidings } from "./processes.ts";
import { median } from "./report.ts";

const { values } = parseArgs({
  options: {
    users: { type: "string", default: "300000" },
    events: { type: "string", default: "1500000" },
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "6" },
  },
});
const [users, events, rounds] = [Number(values.users), Number(values.events), Number(values.rounds)];
const run = promisify(execFile);

const folder = await mkdtemp(join(tmpdir(), "tidings-backups-"));
const loop = loopReport(folder);
const place = join(folder, "backups");
const tidings = await startTidings({ ...loop.env, BACKUP_FOLDER: place, BACKUP_EVERY: "1h" });

async function seconds(act: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await act();
  return (performance.now() - began) / 1_000;
}

const emptied = (): Promise<void> => rm(place, { recursive: true, force: true });
const byCommand = (): Promise<string> => tidings.command("backup", place, "--keep", "1", "--json");

/** The same files by the system alone; what runs on them writes nothing then. */
const copied = () =>
  seconds(async () => {
    await run("cp", ["-a", join(tidings.dataDir, "postgres"), join(folder, "copy")]);
    await run("sync", ["-f", folder]);
  });

async function times(): Promise<void> {
  const ratios: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    // One stays, so that the server makes none meanwhile.
    await run("sync", ["-f", folder]);
    const { bytes, files, startedAt, endedAt } = JSON.parse(await byCommand()) as Record<string, number>;
    const took = ((endedAt ?? 0) - (startedAt ?? 0)) / 1_000;
    const base = await copied();
    await rm(join(folder, "copy"), { recursive: true });
    ratios.push(took / base);
    console.log(
      `round ${round}  backup of ${files} files, ${((bytes ?? 0) / 2 ** 20).toFixed(0)} MB in ${took.toFixed(1)} s; cp -a and sync ${base.toFixed(1)} s`,
    );
  }
  console.log(`a backup takes ${median(ratios).toFixed(2)} times as long as cp -a and sync`);
}

const measure = (seconds = Number(values.seconds)) =>
  measureRequests({
    port: tidings.port,
    seconds,
    publishableKey: tidings.publishableKey,
  });

/** Does something again and again, until it is stopped. */
function again(act: () => Promise<unknown>) {
  let isOver = false;
  let times = 0;
  const done = (async () => {
    while (!isOver) {
      await act();
      if (!isOver) times++;
    }
  })();
  return async (): Promise<number> => {
    isOver = true;
    await done;
    return times;
  };
}

/** Whether the server makes a backup, and how many there are. */
async function standing(): Promise<{ isMaking: boolean; made: number }> {
  const names = await readdir(place).catch(() => []);
  return {
    isMaking: names.some((name) => name.startsWith(".unfinished-")),
    made: names.filter((name) => name.startsWith("tidings-")).length,
  };
}

/** Requests while the server makes a backup because there is none: it looks for that twice a minute. */
async function besideServer(): Promise<void> {
  await measure(2);
  const compared = compareRequests("a backup by the server");
  for (let round = 1; round <= rounds; round++) {
    await emptied();
    const quiet = await measure(2);
    for (let is = await standing(); !is.isMaking; is = await standing()) {
      if (is.made > 0) await emptied();
      await sleep(10);
    }
    await loop.longestDelays(tidings);
    const disturbed = await measure(2);
    const { isMaking } = await standing();
    const blocked = await loop.longestDelays(tidings);
    console.log(
      `round ${round}  ${isMaking ? "the backup goes on" : "THE BACKUP HAS ENDED: take more events"}; event loop blocked for at most ${blocked.longestMs.toFixed(0)} ms, ${blocked.longestCpuMs.toFixed(0)} ms of processor time`,
    );
    compared.add(`round ${round}`, quiet, disturbed);
    while ((await standing()).isMaking) await sleep(10);
  }
  compared.judge();
}

async function beside(what: string, act: () => Promise<unknown>): Promise<void> {
  await measure();
  const compared = compareRequests(what);
  for (let round = 1; round <= rounds; round++) {
    await loop.longestDelays(tidings);
    const quiet = await measure();
    const before = await loop.longestDelays(tidings);
    const stop = again(act);
    const disturbed = await measure();
    const blocked = await loop.longestDelays(tidings);
    const made = await stop();
    console.log(
      `round ${round}  ${made} backups meanwhile; event loop blocked for at most ${blocked.longestMs.toFixed(0)} ms, ${blocked.longestCpuMs.toFixed(0)} ms of processor time (undisturbed ${before.longestMs.toFixed(0)}; ${before.longestCpuMs.toFixed(0)})`,
    );
    compared.add(`round ${round}`, quiet, disturbed);
  }
  compared.judge();
}

try {
  const db = await tidings.connect();
  await fillProject(db, tidings, { users, events });
  await db.query("checkpoint");
  await db.end();
  await times();
  await beside("backups by the command", byCommand);
  await besideServer();
} finally {
  await tidings.stop();
  await rm(folder, { recursive: true, force: true });
}

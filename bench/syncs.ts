/**
 * `node bench/syncs.ts [--events 300000] [--users 30000] [--rounds 3] [--neighbour] [--seconds 8]`: how fast a sync writes all events of a project into a
 * folder, as each kind of file, beside PostgreSQL's own COPY of the same rows to a CSV file; then one hour of them by when they arrived, and all
 * users. With `--neighbour` instead: the requests of another project while Parquet files are written, in turn with the same undisturbed.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { fillEvents, fillUsers } from "./filled.ts";
import { loopReport } from "./loop-report.ts";
import { compareRequests, measureRequests } from "./neighbour-requests.ts";
import { startTidings } from "./processes.ts";
import { median } from "./report.ts";

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "300000" },
    users: { type: "string", default: "30000" },
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "8" },
    neighbour: { type: "boolean", default: false },
  },
});
const [EVENTS, USERS, ROUNDS, SECONDS] = [values.events, values.users, values.rounds, values.seconds].map(
  Number,
) as [number, number, number, number];

/** The event loop is to be free at least this often, in milliseconds of processor time. */
const MOST_BLOCKED_MS = 25;
const HOUR_MS = 3_600_000;

const folder = await mkdtemp(join(tmpdir(), "tidings-syncs-"));
const loop = loopReport(folder);
const tidings = await startTidings({ ...loop.env, SYNCS_FOLDER: folder });
const db = await tidings.connect();
const { projectId } = JSON.parse(
  await tidings.command("project", "create", "--name", "Filled", "--json"),
) as { projectId: string };

async function fill(): Promise<void> {
  await fillUsers(db, projectId, { until: USERS });
  await fillEvents(db, EVENTS);
  // As if they had arrived over thirty days, in the order in which they lie.
  await db.query(
    `update events e set recorded_at = $1::int8 - $2::int8 * (o.n - 1) / o.total
    from (select ctid, row_number() over (order by ctid desc) as n, count(*) over () as total from events) o where o.ctid = e.ctid`,
    [Date.now() - 2 * HOUR_MS, 30 * 24 * HOUR_MS],
  );
  await db.query("vacuum full events");
  await db.query("vacuum analyze");
}

let made = 0;
/** Makes a sync; answers its UUID. */
async function makeSync(list: string, format: string): Promise<string> {
  const args = ["--list", list, "--format", format, "--every", "hour", "--to", `folder:s${++made}`];
  const answer = await tidings.command("sync", "add", "--project", projectId, ...args, "--json");
  const { sync } = JSON.parse(answer) as { sync: { id: string } };
  return sync.id.slice(sync.id.indexOf("_") + 1);
}

type Written = { rows: number; bytes: number; files: number };
/** Waits until the window of a sync is complete. */
async function untilWritten(id: string, list: string): Promise<Written> {
  for (;;) {
    const { rows } = await db.query<Written & { ended: string | null; fault: string | null }>(
      `select w.rows::int, w.bytes::int, jsonb_array_length(w.files) as files, w.ended_at as ended, s.fault
      from syncs s left join sync_windows w on w.sync_id = s.id and w.list = $2 where s.id = $1 order by w.until limit 1`,
      [id, list],
    );
    const [row] = rows;
    if (row?.fault) throw new Error(row.fault);
    if (row?.ended != null) return row;
    await sleep(20);
  }
}

/** Writes one list as files, and prints what it took. Answers seconds by the clock. */
async function write(what: string, list: string, format: string): Promise<number> {
  const id = await makeSync(list, format);
  await loop.longestDelays(tidings);
  const [began, before] = [performance.now(), tidings.cpu()];
  const written = await untilWritten(id, list);
  const took = (performance.now() - began) / 1_000;
  const [after, blocked] = [tidings.cpu(), await loop.longestDelays(tidings)];
  const each = (used: number): string => `${((used * 1e6) / Math.max(1, written.rows)).toFixed(1)} µs`;
  console.log(
    `${what.padEnd(22)} ${written.rows} rows in ${took.toFixed(2)} s (${Math.round(written.rows / took)}/s), ${written.files} files, ${(written.bytes / 1e6).toFixed(1)} MB; per row ${each(after.node - before.node)} of Node, ${each(after.postgres - before.postgres)} of PostgreSQL; event loop blocked for at most ${blocked.longestMs.toFixed(0)} ms, ${blocked.longestCpuMs.toFixed(0)} ms of processor time`,
  );
  if (blocked.longestCpuMs > MOST_BLOCKED_MS)
    console.log(`MISSED   the event loop is to be free after at most ${MOST_BLOCKED_MS} ms`);
  await db.query("update syncs set state = 'off' where id = $1", [id]);
  return took;
}

/** The same rows by PostgreSQL alone. */
async function copied(): Promise<number> {
  const file = join(tidings.dataDir, "postgres", "events.copy");
  const began = performance.now();
  await db.query(
    `copy (
      select e.event_id, e.ts, e.name, e.user_key, u.external_id, e.props, e.recorded_at
      from events e join users u using (lane, user_key) where e.project_id = '${projectId}' order by e.ts
    ) to '${file}' (format csv)`,
  );
  const took = (performance.now() - began) / 1_000;
  await rm(file);
  return took;
}

/** Has a sync write the events that arrived in an hour of two days ago, and prints what that took. A server that just began writes no further hour. */
async function writeHour(): Promise<void> {
  const id = await makeSync("users", "parquet");
  await untilWritten(id, "users");
  await db.query("update syncs set lists = '{events}', begins_at = $2 where id = $1", [
    id,
    Math.floor((Date.now() - 48 * HOUR_MS) / HOUR_MS) * HOUR_MS,
  ]);
  await tidings.command("sync", "run", `sync_${id}`, "--project", projectId);
  const { rows } = await untilWritten(id, "events");
  const found = await db.query<{ ms: number }>(
    "select (ended_at - begun_at)::int as ms from sync_windows where sync_id = $1 and list = 'events' order by until limit 1",
    [id],
  );
  console.log(`an hour, by arrival    ${rows} rows in ${found.rows[0]?.ms} ms`);
}

async function measureFormats(): Promise<void> {
  const ratios: Record<string, number[]> = {};
  for (let round = 1; round <= ROUNDS; round++) {
    const base = await copied();
    console.log(`round ${round}  COPY ${EVENTS} rows in ${base.toFixed(2)} s`);
    for (const format of ["csv", "ndjson", "parquet"]) {
      const took = await write(`round ${round}  events.${format}`, "events", format);
      ratios[format] = [...(ratios[format] ?? []), took / base];
    }
    await write(`round ${round}  users.parquet`, "users", "parquet");
  }
  for (const [format, each] of Object.entries(ratios))
    console.log(`${format.padEnd(8)} takes ${median(each).toFixed(2)} times as long as COPY`);
}

const measureNeighbour = () =>
  measureRequests({ port: tidings.port, seconds: SECONDS, publishableKey: tidings.publishableKey });

async function measureBeside(): Promise<void> {
  await measureNeighbour();
  const compared = compareRequests("a sync");
  for (let round = 1; round <= ROUNDS; round++) {
    const quiet = await measureNeighbour();
    const id = await makeSync("events", "parquet");
    const beside = await measureNeighbour();
    const { rows } = await db.query<{ rows: number; ended: string | null }>(
      "select rows::int, ended_at as ended from sync_windows where sync_id = $1",
      [id],
    );
    await db.query("update syncs set state = 'off' where id = $1", [id]);
    console.log(
      `round ${round}  the sync: ${rows[0]?.rows ?? 0} rows are in files, ${rows[0]?.ended == null ? "more follow" : "which is all: take more"}`,
    );
    compared.add(`round ${round}`, quiet, beside);
  }
  compared.judge();
}

try {
  await fill();
  if (values.neighbour) await measureBeside();
  else {
    await measureFormats();
    await writeHour();
  }
} finally {
  await db.end();
  await tidings.stop();
  await rm(folder, { recursive: true, force: true });
}

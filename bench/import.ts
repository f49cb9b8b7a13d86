/**
 * `node bench/import.ts [--users 1000000] [--events 5000000] [--rounds 1] [--neighbour] [--seconds 10]`: how fast files of users and of events are brought in
 * through the API, beside PostgreSQL's own COPY of the same rows, in the order of the file, into tables with the same columns and indexes
 * (events with their counts), which reads, checks and counts nothing else. Then the doctor, and the same files once more, which change nothing. With
 * `--neighbour` instead: the requests of another project while files are brought in, in turn with the same undisturbed.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Client, createClient } from "@tidings/client";
import {
  type BenchFile,
  eventsFile,
  type Import,
  startFile,
  untilDone,
  uploadFile,
  usersFile,
} from "./import-files.ts";
import { measureNeighbour } from "./import-neighbour.ts";
import { loopReport } from "./loop-report.ts";
import { startTidings } from "./processes.ts";
import { median } from "./report.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "1" },
    users: { type: "string", default: "1000000" },
    events: { type: "string", default: "5000000" },
    seconds: { type: "string", default: "10" },
    neighbour: { type: "boolean", default: false },
  },
});
const [rounds, users, events] = [Number(values.rounds), Number(values.users), Number(values.events)];
/** An import may take this many times as long as the COPY. */
const MOST = 4;
/** The event loop is to be free at least this often, in milliseconds. */
const MOST_BLOCKED_MS = 25;

const folder = await mkdtemp(join(tmpdir(), "tidings-import-"));
const loop = loopReport(folder);
const tidings = await startTidings(loop.env);
const url = `http://127.0.0.1:${tidings.port}`;
const db = await tidings.connect();

const longestDelays = () => loop.longestDelays(tidings);

async function seconds(act: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await act();
  return (performance.now() - began) / 1_000;
}

type NewProject = { projectId: string; secretKey: string; publishableKey: string };
async function newProject(name: string): Promise<NewProject> {
  return JSON.parse(await tidings.command("project", "create", "--name", name, "--json")) as NewProject;
}

/** What a file took: in seconds by the clock, and of the processors. */
type Cost = { took: number; cpu: number };
type Brought = Cost & { ended: Import };

/** Uploads a file, brings it in, and prints how that went. */
async function bring(api: Client, file: BenchFile, what: string): Promise<Brought> {
  let id = "";
  const upload = await seconds(async () => {
    id = await uploadFile(api, file);
  });
  await longestDelays();
  const cpu = tidings.cpu();
  let memory = 0;
  let started = { longestMs: 0, longestCpuMs: 0 };
  let ended: Import | null = null;
  const took = await seconds(async () => {
    await startFile(api, id);
    started = await longestDelays();
    ended = await untilDone(api, id, () => {
      memory = Math.max(memory, tidings.memoryMb());
    });
  });
  const blocked = await longestDelays();
  const { node, postgres } = tidings.cpu();
  const each = (used: number): string => `${((used * 1e6) / file.lines).toFixed(0)} µs`;
  if (ended === null) throw new Error("The import has not ended.");
  const { written, known, refused } = ended as Import;
  console.log(
    `${what.padEnd(14)} ${Math.round(file.lines / took)} lines/s (${took.toFixed(1)} s, uploaded in ${upload.toFixed(1)} s): ${written} written, ${known} known, ${refused} refused; per line ${each(node - cpu.node)} of Node, ${each(postgres - cpu.postgres)} of PostgreSQL; Node at most ${memory} MB; event loop blocked by the start for at most ${started.longestCpuMs.toFixed(0)} ms of processor time, by pieces for at most ${blocked.longestMs.toFixed(0)} ms, ${blocked.longestCpuMs.toFixed(0)} ms of processor time`,
  );
  if (blocked.longestCpuMs > MOST_BLOCKED_MS)
    console.log(`MISSED   the event loop is to be free after at most ${MOST_BLOCKED_MS} ms`);
  return { took, cpu: node - cpu.node + postgres - cpu.postgres, ended };
}

/** The rows that a project got of a file, in the order of the file, by PostgreSQL alone into new tables. */
async function copied({ kind }: BenchFile, projectId: string): Promise<Cost> {
  const file = join(tidings.dataDir, "postgres", `${kind}.copy`);
  const order = kind === "users" ? "substring(external_id from 6)::int" : "substring(event_id from 3)::int";
  await db.query(
    `copy (select * from ${kind} where project_id = '${projectId}' order by ${order}) to '${file}'`,
  );
  await db.query(`create table copied (like ${kind} including all)`);
  await db.query("create table copied_counts (like event_counts including all)");
  await db.query("checkpoint");
  const before = tidings.cpu().postgres;
  const took = await seconds(async () => {
    await db.query(`copy copied from '${file}'`);
    if (kind === "events")
      await db.query(
        `insert into copied_counts (lane, user_key, name, project_id, count, first_at, last_at)
        select lane, user_key, name, project_id, count(*), min(ts), max(ts) from copied group by 1, 2, 3, 4`,
      );
  });
  const cpu = tidings.cpu().postgres - before;
  await db.query("drop table copied, copied_counts");
  await rm(file);
  return { took, cpu };
}

async function beside(file: BenchFile, project: NewProject): Promise<Cost> {
  await db.query("checkpoint");
  const { took, cpu, ended } = await bring(createClient(url, project.secretKey), file, file.kind);
  if (ended.written !== file.lines) {
    console.log(`MISSED   ${file.lines - ended.written} lines were not written`);
    process.exitCode = 1;
  }
  const base = await copied(file, project.projectId);
  console.log(
    `${"  COPY".padEnd(14)} ${Math.round(file.lines / base.took)} rows/s (${base.took.toFixed(1)} s); per row ${((base.cpu * 1e6) / file.lines).toFixed(0)} µs of PostgreSQL`,
  );
  return { took: took / base.took, cpu: cpu / base.cpu };
}

async function rates(now: number): Promise<void> {
  const files = [usersFile(users, now), eventsFile(events, users, now)];
  const slower = new Map<string, Cost[]>(files.map(({ kind }) => [kind, []]));
  for (let round = 1; round <= rounds; round++) {
    const project = await newProject(`Round ${round}`);
    for (const file of files) slower.get(file.kind)?.push(await beside(file, project));
    if (round < rounds) continue;
    for (const file of files) {
      const again = await bring(createClient(url, project.secretKey), file, `${file.kind} again`);
      if (again.ended.written > 0) process.exitCode = 1;
    }
  }
  for (const [kind, times] of slower) {
    const is = median(times.map(({ took }) => took));
    const ofProcessors = median(times.map(({ cpu }) => cpu)).toFixed(2);
    console.log(
      `${is <= MOST ? "reached" : "MISSED "}  ${kind}: ${is.toFixed(2)} times the COPY (at most ${MOST}), ${ofProcessors} times its processor time`,
    );
    if (is > MOST) process.exitCode = 1;
  }
}

try {
  const now = Date.now();
  if (values.neighbour) {
    const [importing, neighbour] = [await newProject("Imports"), await newProject("Neighbour")];
    const files = [usersFile(users, now), eventsFile(events, users, now)];
    const load = { port: tidings.port, rounds, seconds: Number(values.seconds), neighbour };
    await measureNeighbour(createClient(url, importing.secretKey), files, {
      ...load,
      api: createClient(url, neighbour.secretKey),
    });
  } else await rates(now);
  const examined = await tidings.command("doctor").catch((error: { stdout: string }) => error.stdout);
  const sum = examined.split("\n").find((line) => line.includes("differences in")) ?? examined;
  console.log(sum);
  if (!sum.startsWith("0 ")) process.exitCode = 1;
} finally {
  await db.end();
  await tidings.stop();
  await rm(folder, { recursive: true, force: true });
}

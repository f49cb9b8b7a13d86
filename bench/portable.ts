/**
 * `node bench/portable.ts [--rounds 1] [--users 100000] [--events 500000]`: how fast `tidings export` writes a filled project to a
 * file and `tidings import` makes a new project of it, beside PostgreSQL's own COPY of the same rows to a file and into tables
 * with the same indexes, which translates, checks and counts nothing. Then the doctor looks at the result.
 */
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fillProject } from "./filled.ts";
import { startTidings } from "./processes.ts";
import { median } from "./report.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "1" },
    users: { type: "string", default: "100000" },
    events: { type: "string", default: "500000" },
  },
});
/** Where nearly all the rows are. */
const TABLES = ["users", "events", "event_counts", "deliveries", "active_users"];

const tidings = await startTidings({ ROLES: "api" });
const db = await tidings.connect();

async function seconds(act: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await act();
  return (performance.now() - began) / 1_000;
}

const { command } = tidings;

/** The same rows by PostgreSQL alone, there and back. */
async function copied(folder: string): Promise<{ out: number; back: number }> {
  let out = 0;
  let back = 0;
  for (const table of TABLES) {
    const file = join(folder, `${table}.copy`);
    const copy = `copied_${table}`;
    out += await seconds(() =>
      db.query(`copy (select * from ${table} where project_id = '${tidings.projectId}') to '${file}'`),
    );
    await db.query(`create table ${copy} (like ${table} including all)`);
    back += await seconds(() => db.query(`copy ${copy} from '${file}'`));
    await db.query(`drop table ${copy}`);
    await rm(file);
  }
  return { out, back };
}

try {
  console.log(`filling ${values.users} users, ${values.events} events, ${values.users} deliveries`);
  await fillProject(db, tidings, { users: Number(values.users), events: Number(values.events) });
  const file = join(tidings.dataDir, "project.ndjson");
  const slower: { out: number; back: number }[] = [];
  for (let round = 1; round <= Number(values.rounds); round++) {
    const base = await copied(join(tidings.dataDir, "postgres"));
    const out = await seconds(() => command("export", "--project", tidings.projectId, "--out", file));
    const { size } = await stat(file);
    let counts: Record<string, number> = {};
    const back = await seconds(async () => {
      const printed = await command("import", file, "--name", `Copy ${round}`, "--json");
      counts = (JSON.parse(printed) as { counts: Record<string, number> }).counts;
    });
    await rm(file);
    const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const rate = (took: number): string => `${Math.round(rows / took)} rows/s`;
    slower.push({ out: out / base.out, back: back / base.back });
    console.log(
      `round ${round}  ${rows} rows, ${Math.round(size / 2 ** 20)} MiB  export ${out.toFixed(1)} s, ${rate(out)}, COPY ${base.out.toFixed(1)} s  import ${back.toFixed(1)} s, ${rate(back)}, COPY ${base.back.toFixed(1)} s`,
    );
  }
  console.log(`export: ${median(slower.map(({ out }) => out)).toFixed(1)} times the COPY`);
  console.log(`import: ${median(slower.map(({ back }) => back)).toFixed(1)} times the COPY`);
  const examined = await command("doctor").catch((error: { stdout: string }) => error.stdout);
  const sum = examined.split("\n").find((line) => line.includes("differences in")) ?? examined;
  console.log(sum);
  if (!sum.startsWith("0 ")) process.exitCode = 1;
} finally {
  await db.end();
  await tidings.stop();
}

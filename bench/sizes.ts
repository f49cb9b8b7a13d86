/**
 * `node bench/sizes.ts [--users 1000000] [--events 5000000] [--sends 200000]`: what a filled database weighs, per user, event,
 * delivery, mail and push, indexes included; and how long `tidings doctor` takes to recount it. Fails on a difference.
 */
import { execFile } from "node:child_process";
import { parseArgs, promisify } from "node:util";
import { fillEmail, fillProject, fillPush } from "./filled.ts";
import { startTidings } from "./processes.ts";

const { values } = parseArgs({
  options: {
    users: { type: "string", default: "1000000" },
    events: { type: "string", default: "5000000" },
    sends: { type: "string", default: "200000" },
  },
});
const [USERS, EVENTS, SENDS] = [Number(values.users), Number(values.events), Number(values.sends)];
const COMMAND = new URL("../apps/server/bin/tidings.mjs", import.meta.url).pathname;

/** What one of something weighs: its rows in all these tables. */
const WEIGHED: readonly { name: string; tables: readonly string[]; count: number }[] = [
  { name: "user, with three traits", tables: ["users"], count: USERS },
  { name: "user and month of being active", tables: ["active_users"], count: USERS },
  { name: "event, with two properties", tables: ["events"], count: EVENTS },
  { name: "user and event name", tables: ["event_counts"], count: 0 },
  { name: "delivery", tables: ["deliveries"], count: USERS + 2 * SENDS },
  {
    name: "mail, beside its delivery",
    tables: ["email_sends", "email_attempts", "email_outcomes"],
    count: SENDS,
  },
  { name: "address", tables: ["email_addresses"], count: SENDS },
  {
    name: "push to one device, beside its delivery",
    tables: ["push_recipients", "push_slots", "push_targets", "push_attempts", "push_outcomes"],
    count: SENDS,
  },
  { name: "installation, with its token", tables: ["installations", "installation_tokens"], count: SENDS },
];

const tidings = await startTidings({ ROLES: "api" });
const db = await tidings.connect();
try {
  console.log(
    `filling ${USERS} users, ${EVENTS} events, ${USERS} deliveries, ${SENDS} mails, ${SENDS} pushes`,
  );
  await fillProject(db, tidings, { users: USERS, events: EVENTS });
  await fillEmail(db, SENDS);
  await fillPush(db, SENDS);

  console.log("bytes of each       table  indexes");
  for (const { name, tables, count } of WEIGHED) {
    const { rows } = await db.query<{ table: string; indexes: string; rows: string }>(
      `select sum(pg_table_size(t::regclass)) as table, sum(pg_indexes_size(t::regclass)) as indexes,
        sum(reltuples) as rows
      from unnest($1::text[]) t join pg_class c on c.oid = t::regclass`,
      [tables],
    );
    const { table, indexes, rows: found } = rows[0] ?? { table: 0, indexes: 0, rows: 0 };
    const each = (bytes: string | number): string =>
      (Number(bytes) / (count || Number(found))).toFixed(0).padStart(8);
    console.log(
      `${each(Number(table) + Number(indexes))}  of which ${each(table)} ${each(indexes)}  ${name}`,
    );
  }
  const { rows } = await db.query<{ size: string }>("select pg_database_size(current_database()) as size");
  console.log(`${(Number(rows[0]?.size) / 2 ** 30).toFixed(2)} GiB in all`);

  const env = { ...process.env, DATA_DIR: tidings.dataDir };
  const { stdout } = await promisify(execFile)(process.execPath, [COMMAND, "doctor"], { env }).catch(
    (error: { stdout: string }) => error,
  );
  const lines = stdout.trimEnd().split("\n");
  const slowest = lines
    .map((line) => ({ line, ms: Number(/(\d+) ms/.exec(line)?.[1] ?? 0) }))
    .sort((a, b) => b.ms - a.ms)
    .slice(0, 8);
  for (const { line } of slowest) console.log(line);
  const sum = lines.find((line) => line.includes("differences in")) ?? stdout;
  console.log(sum);
  if (!sum.startsWith("0 ")) process.exitCode = 1;
} finally {
  await db.end();
  await tidings.stop();
}

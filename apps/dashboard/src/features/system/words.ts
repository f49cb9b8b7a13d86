import { counted, numberOf } from "../../platform/figures.ts";

export const words = {
  about: (time: string, zone: string) => `How this server is, as of ${time}, in the zone ${zone}.`,
  server: "Server",
  what: "What",
  value: "Value",
  version: "Tidings",
  versionOf: (version: string, commit: string | null) =>
    commit === null ? version : `${version}, commit ${commit.slice(0, 12)}`,
  node: "Node.js",
  postgres: "PostgreSQL",
  up: "This process",
  upSince: (time: string, span: string, roles: string) => `runs since ${time} (${span}): ${roles}`,
  roles: { api: "answers requests", worker: "works", agent: "looks after campaigns" },
  mode: "Mode",
  modes: { self_hosted: "self-hosted", managed: "managed service" },
  migrations: "Migrations",
  migrationsOf: (applied: string, last: string, time: string) =>
    `${applied} applied, the last ${last} on ${time}`,
  missing: (count: number) => `${counted(count, "is", "are")} missing: run npx tidings migrate`,

  processes: "Processes",
  processesAbout: "All that run on this database. Each writes a heartbeat every few seconds.",
  noProcesses:
    "None is on the list. A server with the embedded database that does not work (ROLES) writes no heartbeat.",
  noAgent:
    "No process has the role agent, so Tidings looks after no campaign and applies no approved change by itself. Start one with ROLES=api,worker,agent npm start.",
  process: "Process",
  does: "Does",
  seen: "Last heartbeat",
  state: "State",
  thisOne: "this one",
  serves: "answers requests",
  works: "works: plans, sends, keeps house",
  looksAfter: "looks after campaigns",
  neither: "nothing at the moment",
  alive: "alive",
  gone: "gone",

  turns: "Work that comes round",
  turnsAbout: "What one process at a time does. After a failure it is tried again, later each time.",
  noTurns: "None has had a turn yet.",
  turn: "Work",
  due: "Due next",
  running: "under way",
  waits: "rests",
  failing: (count: number) => (count === 1 ? "failed once" : `failed ${counted(count, "time")} in a row`),
  allTurns: (count: string) => `All ${count} of them`,
  allWell: (count: string) => `All ${count} of them go as they should.`,

  queues: "Queues",
  mailDue: "Mail that is due",
  pushDue: "Pushes that are due",
  mailUnknown: "Mail of unknown fate",

  database: "Database and disk",
  databaseOf: (size: string, isEmbedded: boolean) =>
    `${size}, ${isEmbedded ? "embedded: it lies in DATA_DIR" : "on your own PostgreSQL"}`,
  size: "Database",
  disk: "Disk of DATA_DIR",
  diskOf: (free: string, total: string, share: string, path: string) =>
    `${free} free of ${total} (${share} used), at ${path}`,
  diskLow:
    "Little is free on the disk of DATA_DIR. Make room before it is full: then nothing can be written any more.",
  noDisk: "There is no such folder.",
  table: "Table",
  rows: "Rows, about",
  notCounted: "not counted yet",
  withIndexes: "Size with indexes",

  backup: "Backup",
  backupUnknown:
    "Tidings does not make backups by itself and keeps no record of yours: only you know when the last one was made.",
  backupEmbedded:
    "The database is embedded. Stop the server, copy DATA_DIR with owners and permissions, start it again. A copy that was made while it ran is of no use. The file secret.key in it belongs to the copy.",
  backupOwn:
    "Dump your PostgreSQL while the server runs, and keep SECRET_KEY beside the dump: without it no stored password opens.",
  backupCommand: "Lines for a backup",
  backupAfter:
    "After a restore, run the doctor. A single project can be moved by npx tidings export and import.",

  doctor: "Doctor",
  doctorAbout:
    "Recounts every counter and checks every invariant on one snapshot of the database, as npx tidings doctor does. It changes nothing in it, and reads whole tables: with a million users it takes about a minute.",
  run: "Run the doctor",
  again: "Run it again",
  never: "It was not run from here yet.",
  requested: (by: string, time: string) => `Requested by ${by}, ${time}.`,
  waiting: "Waits for a process that works.",
  underWay: (done: number, all: number) =>
    `Under way: ${numberOf(done)} of ${counted(all, "check is", "checks are")} done.`,
  progress: "How far the doctor is",
  healthy: (checks: number, seconds: string) =>
    `0 differences in ${counted(checks, "check")}, in ${seconds} s.`,
  healthyTitle: "Everything is right",
  differences: (count: number) => counted(count, "difference"),
  failed: "It could not look",
  advice: {
    derived:
      "A number that is kept differs from the facts that it counts. The facts are right, and nothing was lost.",
    facts: "Rows contradict each other. Keep a copy of the database as it is before anything is changed.",
    service:
      "A push provider refuses a credential: its devices wait, and keep their tokens. The page Push of the project says which one, since when and why.",
    key: "The secret key is not the one that this database was used with: no stored password opens. Put the former key back.",
  },
  report: "Please report it, with the output of npx tidings doctor --json.",
  check: "Check",
  invariant: "Invariant",
  found: "Differences",
  took: "Took",
  ms: (count: string) => `${count} ms`,
  allChecks: (count: number) => `All ${counted(count, "check")}`,
} as const;

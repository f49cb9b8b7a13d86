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
  backupOwnAbout:
    "Tidings makes no backups of your own PostgreSQL and keeps no record of them: only you know when the last one was made.",
  backupAbout:
    "A whole copy of the embedded database, made while the server runs, in a folder that a server can be started from.",
  backupOwn:
    "Dump your PostgreSQL while the server runs, and keep SECRET_KEY beside the dump: without it no stored password opens.",
  backupByItself: "By itself",
  backupEvery: (span: string, keep: number) => `Every ${span}; the newest ${counted(keep, "stays", "stay")}`,
  backupNever: "No: set BACKUP_EVERY, such as 1d, and start the server again",
  backupNewest: "Newest",
  backupNewestOf: (ago: string, time: string, size: string, name: string) =>
    `${ago} ago (${time}), ${size}: ${name}`,
  backupNone: "There is none yet",
  backupFolder: "Folder",
  backupFolderOf: (path: string, count: number) =>
    count === 0 ? path : `${path}: ${counted(count, "backup")}`,
  backupFailed: (time: string) => `The last attempt failed, ${time}`,
  backupFailedAdvice: "It is tried again every ten minutes.",
  backupLate: "The newest backup is older than it should be",
  backupLateAdvice: "The server makes one as soon as it can. If this stays, the log of the server says why.",
  backupCommand: "Lines for a backup",
  backupApart: "Keep copies on another machine too: a disk that fails takes with it what lies on it.",
  backupAfter:
    "After a restore, run the doctor. A single project moves by npx tidings export and import, and all of them into your own PostgreSQL by npx tidings move.",

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

import { statfs } from "node:fs/promises";
import { basename } from "node:path";
import { build } from "../../platform/build.ts";
import { compareMigrations } from "../../platform/db/migrate.ts";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { processes, STALE_MS } from "../../platform/loops/processes.ts";
import type { App } from "../../platform/runtime.ts";
import { SECOND_MS } from "../../platform/time/clock.ts";
import { type Backup, backupsOf, faultOfBackups } from "../backups/public.ts";
import { countSendingAcrossProjects } from "../email/sending/public.ts";
import { countWaitingAcrossProjects } from "../push/sending/public.ts";
import { System } from "./schema.ts";
import { listLargestTables, listProcesses, listTurns, readDatabase } from "./store.ts";

const MOST_TABLES = 10;

/** The disk on which a folder lies, or null where there is no such folder. */
async function diskOf(path: string) {
  const disk = await statfs(path).catch(() => null);
  return disk && { path, freeBytes: disk.bavail * disk.bsize, totalBytes: disk.blocks * disk.bsize };
}

const newestView = ({ startedAt, endedAt, bytes, path }: Backup) => ({
  startedAt,
  endedAt,
  bytes,
  name: basename(path),
});

/** What the operator's folder has of backups, and what became of the last attempt; null where PostgreSQL is the operator's own. */
async function backupsView(app: App) {
  if (app.config.databaseUrl !== null) return null;
  const { folder, everyMs, keep } = app.config.backups;
  const [newest, ...older] = await backupsOf(app);
  return {
    folder,
    everyMs,
    keep,
    count: newest === undefined ? 0 : 1 + older.length,
    newest: newest === undefined ? null : newestView(newest),
    fault: faultOfBackups(app),
  };
}

export const getSystem = endpoint(
  {
    id: "getSystem",
    method: "GET",
    path: "/api/people/system",
    tag: "Server",
    summary: "How the server is: versions, processes, database, disk, queues",
    keys: [],
    people: "operator",
    scope: "organization",
    cost: "heavy",
    result: System,
  },
  async ({ app, db, now }) => {
    const { config, database } = app;
    const { version, bytes, ...migrations } = await readDatabase(db);
    const { missing } = await compareMigrations(database.pool);
    const mail = await countSendingAcrossProjects(db, now);
    const id = app.get(processes).leaseOwner();
    const known = await listProcesses(db, STALE_MS);
    return {
      evaluatedAt: now,
      ...(await app.get(build)),
      node: process.versions.node,
      postgres: version,
      mode: config.mode,
      startedAt: now - Math.round(process.uptime() * SECOND_MS),
      roles: [...config.roles],
      database: {
        isEmbedded: config.databaseUrl === null,
        bytes,
        tables: await listLargestTables(db, MOST_TABLES),
        migrations: { ...migrations, missing: missing.length },
      },
      disk: await diskOf(config.dataDir),
      backups: await backupsView(app),
      processes: known.map((each) => ({ ...each, isThis: each.id === id })),
      turns: await listTurns(db),
      queues: {
        mailDue: mail.waiting,
        mailUnknown: mail.unknown,
        pushDue: await countWaitingAcrossProjects(db, now),
      },
    };
  },
);

import { rmSync } from "node:fs";
import { join } from "node:path";
import { createProject, listProjectsAcrossProjects, type ProjectKeys } from "../features/access/public.ts";
import { pairLines, printable } from "../platform/cli/command.ts";
import type { Config } from "../platform/config.ts";
import type { Database } from "../platform/db/db.ts";
import { lockUntilCommit } from "../platform/db/transactions/lock.ts";
import { writeDurably } from "../platform/files/durable-file.ts";
import { makeFolder } from "../platform/files/make-folder.ts";

/** The keys of a first project, and the file that keeps them in case the screen was missed; `file` is null where none could be written. */
export type First = { keys: ProjectKeys; file: string | null };

/**
 * Writes a project's keys into a file of their own in DATA_DIR, down to the disk, readable by its owner alone. Answers its path, or
 * null where nothing can be written there: the keys are then shown on the screen only.
 */
function keepKeys(dataDir: string, keys: ProjectKeys): string | null {
  const path = join(dataDir, `keys-${keys.projectId}.txt`);
  try {
    makeFolder(dataDir);
    writeDurably(path, `${pairLines(keys)}\n`);
    return path;
  } catch {
    return null;
  }
}

/**
 * The first start makes a project, once, however many processes start together. The keys are written to a file before they are
 * committed, so that a crash cannot lose them.
 */
export async function makeFirstProject(database: Database, { dataDir }: Config): Promise<First | null> {
  let file: string | null = null;
  try {
    return await database.kysely.transaction().execute(async (tx) => {
      await lockUntilCommit(tx, "firstProject");
      if ((await listProjectsAcrossProjects(tx)).length > 0) return null;
      const keys = await createProject(tx, "My project", Date.now());
      file = keepKeys(dataDir, keys);
      return { keys, file };
    });
  } catch (error) {
    if (file !== null) rmSync(file, { force: true });
    throw error;
  }
}

/** The lines about the keys: on a screen all keys; in a log, which stays and is read by others, only the path of their file. */
export function keyLines({ keys, file }: First): string[] {
  const isScreen = process.stdout.isTTY === true || file === null;
  return [
    `  Project          ${keys.projectId}`,
    `  Publishable key  ${keys.publishableKey}`,
    ...(isScreen
      ? [
          `  Secret key       ${keys.secretKey}`,
          `  Agent key        ${keys.agentKey}`,
          "  The secret and the agent key are shown this once: only their hashes are stored.",
        ]
      : []),
    ...(file === null
      ? []
      : [`  All keys         in ${file} (delete it once you have put them where you keep secrets)`]),
  ];
}

/** The lines about the project at every later start: without secrets. */
export async function knownLines(database: Database): Promise<string[]> {
  const projects = (await listProjectsAcrossProjects(database.kysely)).filter(({ isDemo }) => !isDemo);
  const [first] = projects;
  if (first === undefined)
    return ['  Project          none: "npx tidings project create --name N" makes one'];
  const others = projects.length > 1 ? `, and ${projects.length - 1} more: "npx tidings project list"` : "";
  return [
    `  Project          ${first.id} (${printable(first.name)}${others})`,
    `  Publishable key  ${first.publishableKey ?? "none"}`,
    '  Secret key       shown when it was made; "npx tidings key rotate --kind secret" makes another',
  ];
}

import { type App, resource } from "../../platform/runtime.ts";
import { type Backup, listBackups } from "./backups-folder.ts";
import { findCluster } from "./copying/session-store.ts";

/** What a process keeps of the backups that it makes by itself. */
type State = { fault: { at: number; reason: string } | null; cluster: Promise<string> | null };

const states = resource((): State => ({ fault: null, cluster: null }));

/** Why the last attempt failed, and when; null where it did not. */
export const faultOfBackups = (app: App): State["fault"] => app.get(states).fault;

export function keepFault(app: App, fault: State["fault"]): void {
  app.get(states).fault = fault;
}

/** The backups of this server's database that are in the folder of the operator, the newest first. */
export async function backupsOf(app: App): Promise<Backup[]> {
  const state = app.get(states);
  // It is the same for as long as the process runs. A question that failed is put again.
  state.cluster ??= findCluster(app.database.background.pool).catch((cause: unknown) => {
    state.cluster = null;
    throw cause;
  });
  const { backups, dataDir } = app.config;
  return listBackups(backups.folder, { cluster: await state.cluster, dataDir });
}

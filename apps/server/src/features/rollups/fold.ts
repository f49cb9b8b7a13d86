import { z } from "zod";
import { enqueue, job } from "../../platform/db/jobs.ts";
import { type App, resource } from "../../platform/runtime.ts";
import { foldNotesAcrossProjects, haveNotesAcrossProjects } from "./fold-store.ts";

/** Everything that was committed before is in the rollups after this. */
export async function foldNotes({ database }: App): Promise<void> {
  if (!(await haveNotesAcrossProjects(database.kysely))) return;
  await database.kysely.transaction().execute(foldNotesAcrossProjects);
}

export const foldJob = job({
  name: "fold_rollups",
  payload: z.object({}),
  cron: "* * * * *",
  handle: foldNotes,
});

/** Notes that one process lets gather before it asks for a fold: what a reader may find, and has to fold, stays small. */
const MAX_NOTES = 1_000;

const gathered = resource(() => ({ notes: 0 }));

/** Called after every statement that notes something down. */
export function noted(app: App): void {
  const since = app.get(gathered);
  since.notes++;
  if (since.notes < MAX_NOTES) return;
  since.notes = 0;
  enqueue(app.database.kysely, foldJob, {}).catch((cause: unknown) =>
    app.log.warn({ err: cause }, "a fold of the rollups could not be asked for"),
  );
}

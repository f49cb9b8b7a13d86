import { aloneLoop } from "../../../platform/loops/alone-loop.ts";
import type { App } from "../../../platform/runtime.ts";
import { DAY_MS, MINUTE_MS } from "../../../platform/time/clock.ts";
import {
  findForgottenAcrossProjects,
  forgetBroughtParts,
  forgetRefusalsAcrossProjects,
  giveUpFile,
} from "./piece-store.ts";

/** How long a file is kept that was uploaded and not brought in. */
const KEPT_DAYS = 7;
/** How long it can be read which lines were not taken. */
const REFUSALS_DAYS = 30;

const FAULT = `Nothing was done with it for ${KEPT_DAYS} days, so its bytes were deleted: upload the file once more.`;

/** Deletes the bytes of files that are brought in, or that nothing was done with for a week, and old refusals. */
export async function forgetFiles(app: App): Promise<void> {
  const { kysely } = app.database.background;
  const now = app.clock();
  const before = now - KEPT_DAYS * DAY_MS;
  for (const { projectId, id, isBrought } of await findForgottenAcrossProjects(kysely, before)) {
    if (isBrought) while (await forgetBroughtParts(kysely, projectId, id));
    else await giveUpFile(kysely, projectId, { id, fault: FAULT, at: now, before });
  }
  await forgetRefusalsAcrossProjects(kysely, now - REFUSALS_DAYS * DAY_MS);
}

export const forgetFilesLoop = aloneLoop({
  name: "forget files",
  everyMs: 10 * MINUTE_MS,
  deletesByAge: true,
  turn: forgetFiles,
});

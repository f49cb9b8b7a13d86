import { houseChecks } from "../../platform/checks.ts";
import { stoppable } from "../../platform/db/stoppable.ts";
import { loop } from "../../platform/loops/loops.ts";
import { processes } from "../../platform/loops/processes.ts";
import type { App } from "../../platform/runtime.ts";
import { MINUTE_MS, SECOND_MS } from "../../platform/time/clock.ts";
import {
  addFinding,
  type BegunRun,
  beginRunAcrossProjects,
  endLostRunAcrossProjects,
  endRun,
} from "./doctor-store.ts";
import { examine } from "./examine.ts";

const LOOK_AGAIN_MS = 2 * SECOND_MS;
/** One million users take less than a minute; what takes so long is stopped. */
const MOST_MS = 30 * MINUTE_MS;

const LOST = "The process that looked has ended. Ask again.";
const STOPPED = "The server was stopped meanwhile. Ask again.";
const TOO_LONG = "It took longer than half an hour. Run it at the command line: tidings doctor.";
const FAILED = "The database could not be asked. The log of the server says more.";

/** Runs the checks and writes down what each of them finds; answers why it ended before the last one, or null. */
async function look(app: App, run: BegunRun, stopping: AbortSignal): Promise<string | null> {
  const tooLong = AbortSignal.timeout(MOST_MS);
  // A recount of a large table takes longer than a request may.
  const { pool } = app.database.background;
  const db = stoppable({ ...app.database, pool }, AbortSignal.any([stopping, tooLong]), app.log);
  try {
    for await (const finding of examine(app, db, null))
      if (!(await addFinding(app.database.kysely, run, finding))) return LOST;
    return null;
  } catch (cause) {
    if (stopping.aborted) return STOPPED;
    if (tooLong.aborted) return TOO_LONG;
    app.log.error({ err: cause }, "the doctor could not look");
    return FAILED;
  }
}

/** Makes the run of the doctor that a person has asked for. */
export const doctorLoop = loop({
  name: "doctor",
  restMs: LOOK_AGAIN_MS,
  async turn(app, signal) {
    const { kysely } = app.database;
    await endLostRunAcrossProjects(kysely, LOST, app.clock());
    const leaseOwner = app.get(processes).leaseOwner();
    const checks = app.ask(houseChecks)().length;
    const run = await beginRunAcrossProjects(kysely, { leaseOwner, checks, now: app.clock() });
    if (run === null) return false;
    await endRun(kysely, run, await look(app, run, signal), app.clock());
    return true;
  },
});

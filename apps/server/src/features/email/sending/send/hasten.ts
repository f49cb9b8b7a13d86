import { aloneLoop } from "../../../../platform/loops/alone-loop.ts";
import { MINUTE_MS } from "../../../../platform/time/clock.ts";
import { clockWatch } from "../../../../platform/time/clock-watch.ts";
import { hastenSendsAcrossProjects } from "./send-store.ts";

/** Few enough that other transactions hardly wait for their rows. */
const AT_ONCE = 1_000;

/**
 * Makes mail due that was queued or deferred by a clock that was ahead. A process whose own clock is behind must not judge: what others
 * deferred would look far ahead to it, and be tried too often.
 */
export const hastenLoop = aloneLoop({
  name: "hasten mail",
  everyMs: MINUTE_MS,
  async turn(app, signal) {
    if (app.get(clockWatch).isApart()) return;
    while (
      !signal.aborted &&
      (await hastenSendsAcrossProjects(app.database.kysely, app.clock(), AT_ONCE)) > 0
    );
  },
});

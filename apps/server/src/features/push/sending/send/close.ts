import { deliveryRef } from "../../../../domain/ids.ts";
import { clientOf } from "../../../../platform/db/batch/client-of.ts";
import { projectLoop } from "../../../../platform/loops/project-loop.ts";
import { closeSweep, findEndedSweepsAcrossProjects } from "../../../deliveries/public.ts";
import { closeEnded } from "./close-store.ts";
import { recordEndings } from "./endings.ts";

const PAGE = 500;
const LOOK_AGAIN_MS = 2_000;

/** Closes the open slots and recipients of campaigns that have ended, and withdraws the pushes that did not leave before. */
export const closeLoop = projectLoop({
  name: "close push",
  restMs: LOOK_AGAIN_MS,
  find: (app) => findEndedSweepsAcrossProjects(app.database.kysely, "push"),
  async turn(app, projectId, plans) {
    const { kysely } = app.database;
    let didSomething = false;
    let failure: { cause: unknown } | null = null;
    for (const { campaignId } of plans) {
      try {
        const at = app.clock();
        const { closed, isDone } = await kysely.transaction().execute(async (tx) => {
          const page = await closeEnded(tx, projectId, campaignId, PAGE);
          const ended = page.ended.map((key) => deliveryRef({ ...key, projectId }));
          await recordEndings(
            clientOf(tx),
            ended.map((ref) => ({ ...ref, at, event: "withdrawn" })),
          );
          return page;
        });
        didSomething ||= closed > 0;
        if (isDone) await closeSweep(kysely, projectId, campaignId, app.clock());
      } catch (cause) {
        failure ??= { cause };
      }
    }
    if (failure !== null) throw failure.cause;
    return didSomething;
  },
});

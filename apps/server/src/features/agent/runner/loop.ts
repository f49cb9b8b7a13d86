import { projectLoop } from "../../../platform/loops/project-loop.ts";
import { SECOND_MS } from "../../../platform/time/clock.ts";
import { lookAfter } from "./look-after.ts";
import { LAUNCHING } from "./policies.ts";
import { findDueProjectsAcrossProjects } from "./store.ts";

/** The most projects that are looked after at the same time. */
const PROJECTS_AT_ONCE = 4;
/** A turn ends after so many campaigns, so that a project whose model is slow does not keep others waiting for all of its campaigns. */
const CAMPAIGNS_A_TURN = 8;

/** Looks after the campaigns of every project that has a policy, in processes with the role agent. */
export const runnerLoop = projectLoop({
  name: "look after campaigns",
  role: "agent",
  restMs: 5 * SECOND_MS,
  atOnce: PROJECTS_AT_ONCE,
  find: ({ database, config }, { now, busy }) =>
    findDueProjectsAcrossProjects(database.kysely, {
      now,
      busy,
      launching: LAUNCHING,
      hasSourceWork: config.mode === "managed",
    }),
  turn: async (app, projectId, _due, signal) =>
    (await lookAfter(app, projectId, { signal, most: CAMPAIGNS_A_TURN })) > 0,
});

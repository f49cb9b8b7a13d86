import { aloneLoop } from "../../../../platform/loops/alone-loop.ts";
import { MINUTE_MS } from "../../../../platform/time/clock.ts";
import { agentSettings } from "../settings.pure.ts";
import { hastenEvaluationsAcrossProjects, planMissingAcrossProjects } from "../store.ts";

/**
 * Gives campaigns their first evaluation, where the project has a policy. It looks for those that have none, so that each way to begin
 * is covered alike: a launch, a goal that is linked or active again, a policy that is set while campaigns run.
 */
export const planEvaluations = aloneLoop({
  name: "plan evaluations",
  everyMs: MINUTE_MS,
  async turn({ database, clock }) {
    await hastenEvaluationsAcrossProjects(database.kysely, clock());
    const usualHours = agentSettings["agent.everyHours"].fallback;
    await planMissingAcrossProjects(database.kysely, { now: clock(), usualHours });
  },
});

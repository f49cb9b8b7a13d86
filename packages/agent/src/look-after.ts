import { type Agent, type Evaluated, evaluate } from "./evaluate.ts";

/** As many campaigns at once as the project allows, and no more than this. */
const MOST_AT_ONCE = 8;
/** Refusals of a claim that every other campaign would meet too. */
const STOPPING = ["budget_spent", "loop_paused", "concurrency"];

/** What a pass has to say as it goes. */
export type Watcher = {
  evaluated?(evaluated: Evaluated): void;
  /** An evaluation that broke off. Its lease runs out, and it is due again then. */
  failed?(campaignId: string, cause: unknown): void;
};

/** Campaigns that are due and that the policy has something to say about. */
async function findDue({ api, policy }: Agent): Promise<string[]> {
  const { campaigns } = await api.listDueEvaluations();
  return campaigns
    .filter(({ effectiveStatus }) => effectiveStatus !== "draft" || policy.launches)
    .map(({ campaignId }) => campaignId);
}

/** Evaluates what is due until nothing is left, the project's bounds are reached, or the program stops; answers how many it claimed. */
export async function lookAfter(agent: Agent, watcher: Watcher = {}): Promise<number> {
  const { api, policy, signal } = agent;
  const { loopPaused, maxConcurrentCampaigns, ai } = await api.getAgentSettings();
  if (loopPaused || (policy.usesModel && ai.limitReached)) return 0;
  let claimed = 0;
  /** Campaigns that were tried: one that failed or was proposed is not taken up again in this pass. */
  const tried = new Set<string>();
  for (let isStopped = false; !isStopped; ) {
    const due = (await findDue(agent)).filter((campaignId) => !tried.has(campaignId));
    if (due.length === 0) break;
    const take = async (): Promise<void> => {
      for (let next = due.shift(); next !== undefined && !isStopped; next = due.shift()) {
        isStopped ||= signal.aborted;
        if (isStopped) return;
        tried.add(next);
        try {
          const evaluated = await evaluate(agent, next);
          if (evaluated.result === "unclaimed") isStopped ||= STOPPING.includes(evaluated.reason);
          else claimed += 1;
          watcher.evaluated?.(evaluated);
        } catch (cause) {
          // The server may not answer at all: further campaigns wait for the next pass.
          isStopped = true;
          watcher.failed?.(next, cause);
        }
      }
    };
    const takers = Math.max(1, Math.min(maxConcurrentCampaigns, MOST_AT_ONCE));
    await Promise.all(Array.from({ length: takers }, take));
  }
  return claimed;
}

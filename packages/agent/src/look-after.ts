import { TidingsError } from "@tidings/client";
import { type Agent, type Evaluated, evaluate } from "./evaluate.ts";

/** As many campaigns at once as the project allows, and no more than this. */
const MOST_AT_ONCE = 8;
/** Refusals of a claim that every other campaign would meet too. */
const STOPPING = ["budget_spent", "loop_paused"];
/** Answers that are about the caller, or pass: other campaigns would meet them too. */
const ABOUT_ALL = [401, 403, 408, 429];

/**
 * Whether what broke off an evaluation is about its campaign alone: the server answered, and refused something of it. All else ends the
 * pass, so that a server that cannot be reached, or a defect of this program, does not use up the day's evaluations.
 */
const isAboutOne = (cause: unknown): boolean =>
  cause instanceof TidingsError && cause.status < 500 && !ABOUT_ALL.includes(cause.status);

/** What a pass has to say as it goes. */
export type Watcher = {
  evaluated?(evaluated: Evaluated): void;
  /** An evaluation that broke off. Its lease runs out, and it is due again then. */
  failed?(campaignId: string, cause: unknown): void;
};

/** Campaigns that are due and that the policy has something to say about. */
async function findDue({ api, policy }: Agent): Promise<string[]> {
  const query = policy.launches ? {} : ({ drafts: "false" } as const);
  const { campaigns } = await api.listDueEvaluations({ query });
  return campaigns.map(({ campaignId }) => campaignId);
}

/**
 * A pass over what is due, of at most `most` evaluations. `claimed` counts; `isStopped` once the project's bounds are reached, or the
 * server does not answer.
 */
type Pass = { tried: Set<string>; most: number; claimed: number; isStopped: boolean };

const mayGoOn = ({ tried, most, isStopped }: Pass): boolean => !isStopped && tried.size < most;

/** Evaluates one campaign after the other, until none is left or the pass stops. */
async function takeUp(agent: Agent, due: string[], pass: Pass, watcher: Watcher): Promise<void> {
  for (let next = due.shift(); next !== undefined; next = due.shift()) {
    if (agent.signal.aborted || !mayGoOn(pass)) return;
    pass.tried.add(next);
    try {
      const evaluated = await evaluate(agent, next);
      const reason = evaluated.result === "unclaimed" ? evaluated.reason : null;
      pass.isStopped ||= reason !== null && STOPPING.includes(reason);
      if (reason === null) pass.claimed += 1;
      watcher.evaluated?.(evaluated);
      // Others are at as many as the project allows. A taker of this pass that is at one goes on with the rest.
      if (reason === "concurrency") {
        pass.tried.delete(next);
        return void due.unshift(next);
      }
    } catch (cause) {
      pass.isStopped ||= !isAboutOne(cause);
      watcher.failed?.(next, cause);
    }
  }
}

/**
 * Evaluates what is due until nothing is left, the project's bounds are reached, or the program stops; answers how many it claimed.
 * @param most for a caller that has others to look after: it ends after so many campaigns
 */
export async function lookAfter(
  agent: Agent,
  watcher: Watcher = {},
  most = Number.POSITIVE_INFINITY,
): Promise<number> {
  const { api, policy, signal } = agent;
  const { loopPaused, maxConcurrentCampaigns, ai } = await api.getAgentSettings();
  if (loopPaused || (policy.usesModel && ai.limitReached)) return 0;
  const takers = Math.max(1, Math.min(maxConcurrentCampaigns, MOST_AT_ONCE));
  /** Campaigns that were tried: one that failed or was proposed is not taken up again in this pass. */
  const pass: Pass = { tried: new Set(), most, claimed: 0, isStopped: false };
  while (mayGoOn(pass) && !signal.aborted) {
    const due = (await findDue(agent)).filter((campaignId) => !pass.tried.has(campaignId));
    if (due.length === 0) break;
    await Promise.all(Array.from({ length: takers }, () => takeUp(agent, due, pass, watcher)));
    // Those that are left wait for others, who have as many leases as the project allows.
    if (due.length > 0) break;
  }
  return pass.claimed;
}

import { holdout } from "./campaigns.ts";
import { count, countsOf, deliveriesOf, servedSide, type Truth } from "./truth.ts";
import type { Facts, View } from "./view.ts";
import { listOf, number, percent, row } from "./written.ts";

type Goal = Truth["goals"][number];
type Campaign = Truth["campaigns"][number];

const LIMITS: Readonly<Record<string, string>> = {
  maxActiveCampaigns: "Campaigns at once",
  forbiddenPhrases: "Forbidden phrases",
  maxUnsubscribeRate: "Most unsubscriptions",
  maxComplaintRate: "Most complaints",
  minControlShare: "Least share of the control",
  errorBudget: "Error budget",
};

export function goalIn({ truth, names }: View): Goal {
  const found = truth.goals.find(({ id }) => id === names.$goalId);
  if (found === undefined) throw new Error(`There is no goal ${names.$goalId}.`);
  return found;
}

const campaignsOf = ({ campaigns }: Truth, { id }: Goal): Campaign[] =>
  campaigns.filter(({ goalId }) => goalId === id);

const limitsOf = ({ guardrails }: Goal): [string, unknown][] =>
  Object.keys(LIMITS).flatMap((key): [string, unknown][] =>
    guardrails?.[key] === undefined ? [] : [[key, guardrails[key]]],
  );

/** How many campaigns of a goal run or are scheduled. */
export const activeOf = (truth: Truth, goal: Goal): number =>
  count(campaignsOf(truth, goal), ({ effectiveStatus: is }) => is === "running" || is === "scheduled");

export function controlShare({ variants }: Campaign): number {
  const all = variants.reduce((sum, { weight }) => sum + weight, 0);
  const control = variants.length === 1 ? variants[0] : variants.find(({ isControl }) => isControl);
  return all === 0 ? 0 : (control?.weight ?? 0) / all;
}

/** What a campaign observes of a limit, by own count. Rates are of the messages that left. */
function observed(truth: Truth, campaign: Campaign, key: string): string | null {
  const { unsubscribed, complained } = countsOf(truth, campaign);
  const left = count(deliveriesOf(truth, campaign), ({ sentAt }) => sentAt !== null);
  const rate = (users: number): string => (left === 0 ? "not counted" : percent(users / left));
  if (key === "maxUnsubscribeRate") return rate(unsubscribed);
  if (key === "maxComplaintRate") return rate(complained);
  if (key === "minControlShare") return percent(controlShare(campaign));
  // No text of the shop says what its goals forbid.
  return key === "forbiddenPhrases" ? "none" : null;
}

const allowedBy = (key: string, value: unknown): string => {
  if (Array.isArray(value)) return key === "forbiddenPhrases" ? "none" : value.join(", ");
  return key === "maxActiveCampaigns" ? number(Number(value)) : percent(Number(value));
};

/** Those whose limits are watched: they were launched, and have not ended. */
const isWatched = ({ effectiveStatus: is }: Campaign): boolean =>
  is === "running" || is === "scheduled" || is === "paused";

async function limitFacts(truth: Truth, goal: Goal): Promise<string[]> {
  const { errorBudget } = await truth.client.getGoalLimits({ path: { id: goal.id } });
  const set = limitsOf(goal).flatMap(([key, value]) => {
    const now =
      key === "maxActiveCampaigns"
        ? number(activeOf(truth, goal))
        : key === "errorBudget"
          ? `${errorBudget?.verdicts ?? 0} verdicts`
          : "see below";
    const allowed = Array.isArray(value) ? value.join(", ") : allowedBy(key, value);
    return row(LIMITS[key] ?? key, { Allowed: allowed, Now: now });
  });
  const watched = campaignsOf(truth, goal)
    .filter(isWatched)
    .flatMap((campaign) =>
      limitsOf(goal).flatMap(([key, value]) => {
        const is = observed(truth, campaign, key);
        return is === null ? [] : row(LIMITS[key] ?? key, { Allowed: allowedBy(key, value), Now: is });
      }),
    );
  return [...set, ...watched];
}

async function resultFacts(truth: Truth, goal: Goal): Promise<string[]> {
  const { client } = truth;
  const { holdout: found } = await client.getGoalConversions({
    path: { id: goal.id },
    query: { event: goal.targetEvent ?? "" },
  });
  const { errorBudget } = await client.getGoalLimits({ path: { id: goal.id } });
  const served = servedSide(truth, goal);
  const { holdoutPercent: out } = goal;
  const shares = [`${percent(1 - out / 100)} may get messages`, `${percent(out / 100)} get none`];
  const users =
    out === 0
      ? [
          `${number(served.matured + served.pending)} users got messages while nobody was held out. They are in no comparison.`,
        ]
      : [
          ...holdout(served, found),
          ...shares,
          `Users: ${shares.join(", ")}`,
          `Of 100 users, ${100 - out} may get messages of this goal and ${out} get none. The ${out} show what would have happened anyway.`,
        ];
  if (errorBudget === null) return users;
  const limit = Number(goal.guardrails?.errorBudget);
  const { verdicts, treatments, nextEvidence } = errorBudget;
  const both = [`${percent(1 - limit)} have to be right`, `${percent(limit)} may be wrong`];
  return [
    ...users,
    ...both,
    `Verdicts of agents: ${both.join(", ")}`,
    `An agent that takes a variant from all users gives a verdict. At most ${percent(limit)} of the verdicts may be wrong. So far there ${verdicts === 1 ? "was 1" : `were ${verdicts}`}, on ${treatments} ${treatments === 1 ? "text" : "texts"}. The next text needs evidence that comes by chance in at most 1 of ${number(Math.ceil(nextEvidence))}; each text without a verdict raises that.`,
  ];
}

const CAMPAIGNS_A_PAGE = 25;

export async function goalFacts(view: View): Promise<Facts> {
  const { truth } = view;
  const goal = goalIn(view);
  const campaigns = campaignsOf(truth, goal);
  const { targetEvent, attributionDays: days } = goal;
  return {
    everywhere: [
      `Counts ${targetEvent} within ${days === 1 ? "a day" : `${days} days`} after a message, made ‹an instant› (UTC)`,
    ],
    Results: await resultFacts(truth, goal),
    Campaigns: [
      ...campaigns.flatMap((each) => row(each.name, { Converted: number(countsOf(truth, each).converted) })),
      ...listOf(campaigns.length, CAMPAIGNS_A_PAGE),
    ],
    Limits: await limitFacts(truth, goal),
  };
}

export const goalsFacts = ({ truth: { goals } }: View): Facts => ({
  everywhere: goals.flatMap((goal) =>
    row(goal.name, {
      "Held out": goal.holdoutPercent === 0 ? "nobody" : percent(goal.holdoutPercent / 100),
      Limits: number(Object.keys(goal.guardrails ?? {}).length),
    }),
  ),
});

export function goalEditFacts(view: View): Facts {
  const goal = goalIn(view);
  const typed = (value: unknown): string =>
    Array.isArray(value) ? value.join(" ") : String(Number((Number(value) * 100).toPrecision(12)));
  return {
    everywhere: [
      `[Time to convert (days)]: ${goal.attributionDays}`,
      `[Held out (%)]: ${goal.holdoutPercent}`,
      ...limitsOf(goal).map(([key, value]) =>
        key === "maxActiveCampaigns"
          ? `[${LIMITS[key]}]: ${String(value)}`
          : `[${LIMITS[key]} (%)]: ${typed(value)}`,
      ),
    ],
  };
}

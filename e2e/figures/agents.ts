import type { Answer } from "@tidings/client";
import { DAY_MS, HOUR_MS } from "../../apps/server/src/platform/time/clock.ts";
import { rateBeside } from "./campaigns.ts";
import { activeOf, controlShare } from "./goals.ts";
import { count, deliveriesOf, goalOf, type Truth, whole } from "./truth.ts";
import type { Facts, View } from "./view.ts";
import { json, listOf, number, percent, row, things, time } from "./written.ts";

type Run = Answer<"listAgentRuns">["runs"][number];

const RUNS_A_PAGE = 25;
const COST = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 4 });

const runsOf = ({ client }: Truth): Promise<Run[]> =>
  whole(async (page) => {
    const { runs, pageCount } = await client.listAgentRuns({ query: { page, perPage: 100 } });
    return { rows: runs, pageCount };
  });

/** What a run says of its reasons, with names in place of ids. */
function reason({ campaigns, goals }: Truth, { rationale }: Pick<Run, "rationale">): string {
  const things = [...campaigns, ...goals, ...campaigns.flatMap(({ variants }) => variants)];
  const names = new Map(things.map(({ id, name }) => [id, name]));
  return (rationale ?? "").replace(/\b(cmp|goal|var)_[0-9a-f-]{36}\b/g, (id) => names.get(id) ?? id);
}

export async function agentFacts({ truth }: View): Promise<Facts> {
  const { client, now } = truth;
  const runs = await runsOf(truth);
  const { everyHours, usage, atWork } = await client.getAgentActivity();
  const { maxRunsPerDay, maxConcurrentCampaigns, ai } = await client.getAgentSettings();
  const { evaluations } = await client.listEvaluations({ query: { perPage: 100 } });
  const { waiting } = await client.listApprovals();
  const [proposal] = waiting;
  const today = now - (now % DAY_MS);
  const decided = count(runs, ({ kind, createdAt }) => kind === "evaluate" && createdAt >= today);
  const credits = usage.models.reduce((sum, each) => sum + each.credits, 0);
  const hours = proposal && (proposal.proposal.expiresAt - proposal.proposal.createdAt) / HOUR_MS;
  return {
    everywhere: [
      ...(atWork.by === "process" ? [`Looks at each campaign every ${number(everyHours)} hours.`] : []),
      `Runs today (UTC): ${number(decided)} of ${number(maxRunsPerDay)}`,
      `Evaluated now: ${number(count(evaluations, ({ place }) => place === "evaluating"))} of ${number(maxConcurrentCampaigns)}`,
      `Credits this month: ${number(credits)} of ${number(ai.monthlyLimit)}`,
      `Each goal says whether people approve. A proposal can be decided for ${hours} hours.`,
    ],
    Campaigns: listOf(evaluations.length, RUNS_A_PAGE),
    Runs: [
      ...runs.slice(0, RUNS_A_PAGE).flatMap((run) => row(time(run.createdAt), { Why: reason(truth, run) })),
      ...listOf(runs.length, RUNS_A_PAGE),
    ],
    Credits: usage.models.flatMap((each) =>
      row(each.model ?? "", {
        Runs: number(each.runs),
        "Credits this month": number(each.credits),
        Cost: `$${COST.format(each.costMicros / 1_000_000)}`,
        "Tokens read": number(each.inputTokens),
        "Tokens written": number(each.outputTokens),
      }),
    ),
  };
}

type Seen = {
  takenAt: number;
  goal: { targetEvent: string; attributionDays: number };
  variants: readonly {
    id: string;
    weight: number;
    matured: { exposedUsers: number; convertedUsers: number };
    pending: { exposedUsers: number };
  }[];
};

/** A decision, with the figures that it was made from: they are those of then, so they are compared with the run itself. */
export async function runFacts({ truth, names }: View): Promise<Facts> {
  const { run } = await truth.client.getAgentRun({ path: { id: names.$runId ?? "" } });
  const campaign = truth.campaigns.find(({ id }) => id === run.campaignId);
  const { snapshot } = (run.input ?? {}) as { snapshot?: Seen };
  const { decision } = (run.output ?? {}) as {
    decision?: { mutation: { variants: readonly { id: string; weight: number }[] } | null };
  };
  const before = snapshot?.variants ?? [];
  const after = before.map(
    ({ id, weight }) => decision?.mutation?.variants.find((each) => each.id === id)?.weight ?? weight,
  );
  const all = (weights: readonly number[]) => weights.reduce((sum, weight) => sum + weight, 0);
  const total = all(before.map(({ weight }) => weight));
  const seen = before.flatMap(({ id, weight, matured, pending }, index) => {
    const { exposedUsers, convertedUsers } = matured;
    const shares = [weight / total, (after[index] ?? 0) / all(after)].map(percent);
    const waits = things(pending.exposedUsers, "more waits", "more wait");
    return row(campaign?.variants.find((variant) => variant.id === id)?.name ?? "", {
      Users: `${number(exposedUsers)}${pending.exposedUsers === 0 ? "" : ` / ${waits} for the end of the window`}`,
      Converted: `${number(convertedUsers)}, ${percent(convertedUsers / exposedUsers)}`,
      "Share of users": shares[0] === shares[1] ? String(shares[0]) : shares.join(" → "),
    });
  });
  return {
    everywhere: [
      reason(truth, run),
      `Number ${number(run.chain?.seq ?? 0)}`,
      ...(snapshot === undefined
        ? []
        : [
            `As it was ${time(snapshot.takenAt)}. Counted: who did “${snapshot.goal.targetEvent}” within ${things(snapshot.goal.attributionDays, "day")} after the message.`,
          ]),
      ...seen,
      `What it decided, as logged: ${json(run.output)}`,
      `What it saw, as logged: ${json(run.input)}`,
    ],
  };
}

export async function approvalsFacts({ truth: { client } }: View): Promise<Facts> {
  const { decided } = await client.listApprovals();
  return { everywhere: listOf(decided.length, RUNS_A_PAGE) };
}

export async function proposalFacts({ truth, names }: View): Promise<Facts> {
  const { proposal, payload, review } = await truth.client.getApproval({
    path: { id: names.$proposalId ?? "" },
  });
  const campaign = truth.campaigns.find(({ id }) => id === proposal.campaignId);
  const goal = campaign && goalOf(truth, campaign);
  if (campaign === undefined || !goal) throw new Error("The proposal is of no campaign with a goal.");
  const { mutation } = JSON.parse(payload) as {
    mutation: { variants: readonly { id: string; weight: number }[] };
  };
  const weights = campaign.variants.flatMap(({ id, name, weight }) => {
    const after = mutation.variants.find((variant) => variant.id === id)?.weight;
    const all = (weighted: readonly { weight: number }[]) =>
      weighted.reduce((sum, each) => sum + each.weight, 0);
    const shares = [weight / all(campaign.variants), (after ?? 0) / all(mutation.variants)].map(percent);
    return [
      `Variant ${name}: Weight: ${weight} ${after}`,
      `${shares.join(" → ")} of users`,
      rateBeside(truth, campaign, id),
    ];
  });
  // The campaign is for all who have been customers, which all of the month are.
  const matched = count(truth.users, ({ traits }) => traits.customer_since !== undefined);
  const delivered = deliveriesOf(truth, campaign).length;
  const { guardrails } = goal;
  return {
    everywhere: [
      ...weights,
      `Match now: ${number(matched)}`,
      `Have a delivery: ${number(delivered)}`,
      `Do not have it: ${number(matched - delivered)}`,
      reason(truth, { rationale: review.evidence?.rationale ?? null }),
      ...row("Campaigns at once", {
        Allowed: String(guardrails?.maxActiveCampaigns),
        Now: number(activeOf(truth, goal)),
      }),
      ...row("Forbidden phrases", { Allowed: "none", Now: "none" }),
      ...row("Least share of the control", {
        Allowed: percent(Number(guardrails?.minControlShare)),
        Now: percent(controlShare(campaign)),
      }),
      `The text: ${payload}`,
    ],
  };
}

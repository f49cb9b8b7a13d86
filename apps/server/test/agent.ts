import assert from "node:assert/strict";
import type { Input } from "@tidings/client";
import { uuidFor } from "../src/domain/ids.ts";
import { applyVerdict, type ProposalVerdict } from "../src/features/agent/evaluations/public.ts";
import { setSettings } from "./email.ts";
import { feedback, launchCampaign, messagesOf, toast } from "./factories.ts";
import type { SharedHouse, TestHouse, TestProject } from "./harness.ts";

type GoalBody = Input<"createGoal">["body"];
export type Mutation = Input<"mutateCampaign">["body"]["mutation"];
/** A change of a campaign by itself, and not of the journey of whose step it is the message. */
export type CampaignMutation = Exclude<Mutation, { type: "journey" }>;

export const PAUSE: Mutation = { type: "status", action: "pause" };
export const LAUNCH: Mutation = { type: "status", action: "launch" };
export const END: Mutation = { type: "status", action: "end" };

export const makeGoal = async ({ api }: TestProject, body: Partial<GoalBody> = {}) =>
  (await api.createGoal({ body: { name: "Upgrades", approvalMode: "auto", ...body } })).goal;

/** What the goal and the campaign are; a draft unless `launch`. */
type DueOptions = { goal?: Partial<GoalBody>; launch?: boolean; name?: string; pages?: string[] | null };

/** A campaign with two variants that an agent may evaluate now. */
export async function dueCampaign(
  house: SharedHouse,
  project: TestProject,
  { goal = {}, launch = true, name = "Campaign", pages = null }: DueOptions = {},
) {
  const { id: goalId } = await makeGoal(project, goal);
  const variants = [
    { message: toast("A"), weight: 50 },
    { message: toast("B"), weight: 50 },
  ];
  const campaign = await launchCampaign(project, { name, goalId, variants, launch, pages });
  const evaluationAt = house.now();
  await project.api.scheduleEvaluation({
    path: { id: campaign.id },
    body: { nextEvaluationAt: evaluationAt },
  });
  return { goalId, campaign, id: campaign.id, evaluationAt };
}

export const claim = ({ agent }: TestProject, id: string, leaseSeconds = 300) =>
  agent.claimEvaluation({ path: { id }, body: { leaseSeconds } });

export const complete = (
  { agent }: TestProject,
  id: string,
  leaseToken: string,
  nextEvaluationAt: number | null,
) => agent.completeEvaluation({ path: { id }, body: { leaseToken, nextEvaluationAt } });

/** A campaign whose evaluation an agent has claimed. */
export async function leasedCampaign(...args: Parameters<typeof dueCampaign>) {
  const made = await dueCampaign(...args);
  const { leaseToken } = await claim(args[1], made.id);
  return { ...made, leaseToken };
}

export type Leased = Pick<Awaited<ReturnType<typeof leasedCampaign>>, "id" | "evaluationAt" | "leaseToken">;

export const mutate = (
  { agent }: TestProject,
  { id, evaluationAt, leaseToken }: Leased,
  mutation: Mutation,
  more: { approvalId?: string; runId?: string } = {},
) => agent.mutateCampaign({ path: { id }, body: { leaseToken, evaluationAt, mutation, ...more } });

export const propose = (
  { agent }: TestProject,
  { id, evaluationAt, leaseToken }: Leased,
  mutation: Mutation,
  more: { proposedRunId?: string } = {},
) => agent.createProposal({ body: { campaignId: id, evaluationAt, leaseToken, mutation, ...more } });

/** Decides as a person at the command line does; throws the reason where it cannot be. */
export async function decideAs(
  house: SharedHouse,
  { projectId }: TestProject,
  proposalId: string,
  status: ProposalVerdict["status"],
  more: Partial<ProposalVerdict> = {},
): Promise<void> {
  const verdict = { status, by: "Grace", reason: null, forGood: false, hashPrefix: null, ...more };
  const decided = await house.database.kysely
    .transaction()
    .execute((db) => applyVerdict({ db, projectId, now: house.now() }, uuidFor("prop", proposalId), verdict));
  if ("refusal" in decided) throw new Error(decided.refusal.message);
}

/** The title of a web message. */
export const titleOf = (content: object): string => ("title" in content ? String(content.title) : "");

/**
 * Shows a campaign to users until each variant has `each` of them; those of the second variant (B) convert. Users get a variant by a hash
 * of their id, so that this asks for as many as it takes.
 */
export async function showTo(
  project: TestProject,
  { campaign }: Pick<Awaited<ReturnType<typeof dueCampaign>>, "campaign">,
  each: number,
  from = 0,
): Promise<void> {
  const counts = new Map(campaign.variants.map(({ content }) => [titleOf(content), 0]));
  for (let i = from; [...counts.values()].some((count) => count < each); i++) {
    const userId = `user-${i}`;
    const [message] = await messagesOf(project, userId);
    assert.ok(message);
    const title = titleOf(message.content);
    const count = counts.get(title) ?? 0;
    if (count >= each) continue;
    counts.set(title, count + 1);
    await feedback(project, message.deliveryId, userId, "shown");
    if (title === "B") await project.sdk.track({ body: { userId, event: "paid" } });
  }
}

/** Of each title, to how many users it is shown, and how many of them pay then. */
type Wanted = Readonly<Record<string, { shown: number; paid: number }>>;

/** Users who come at once: enough to share their writes, few enough to stay below every limit. */
const AT_ONCE = 20;

/**
 * Shows a campaign to so many users of each title, as many of whom pay as is said. Users get a variant by a hash of their id, so that
 * this asks for as many as it takes, from number `from` on; answers the number after the last one.
 */
export async function showExactly(project: TestProject, wanted: Wanted, from = 0): Promise<number> {
  const counts = new Map(Object.keys(wanted).map((title) => [title, 0]));
  const isShort = (): boolean =>
    Object.entries(wanted).some(([title, { shown }]) => (counts.get(title) ?? 0) < shown);
  let next = from;
  for (; isShort(); next += AT_ONCE) {
    const users = Array.from({ length: AT_ONCE }, (_, index) => `user-${next + index}`);
    await Promise.all(
      users.map(async (userId) => {
        const [message] = await messagesOf(project, userId);
        assert.ok(message);
        const title = titleOf(message.content);
        const count = counts.get(title) ?? 0;
        const { shown = 0, paid = 0 } = wanted[title] ?? {};
        if (count >= shown) return;
        counts.set(title, count + 1);
        await feedback(project, message.deliveryId, userId, "shown");
        if (count < paid) await project.sdk.track({ body: { userId, event: "paid" } });
      }),
    );
  }
  return next;
}

/** As if a page had lost nearly every message of the first variant (A): all but one that were shown are of the other one. */
export async function showOneArm(project: TestProject): Promise<void> {
  for (let i = 0, shown = 0; shown < 300; i++) {
    const [message] = await messagesOf(project, `user-${i}`);
    assert.ok(message);
    if (titleOf(message.content) === "A" && shown > 0) continue;
    await feedback(project, message.deliveryId, `user-${i}`, "shown");
    shown++;
  }
}

/** What agents and people did: changes, proposals in every state, and a lease that is live. */
export async function agentHistory(house: TestHouse, project: TestProject): Promise<void> {
  await setSettings(house, project, { "safety.maxConcurrentCampaigns": "10" });
  const goal = {
    name: "For agents",
    approvalMode: "require_human",
    targetEvent: "renewed",
    guardrails: { errorBudget: 0.05 },
  } as const;
  const leased = (name: string) => {
    // Of things of one instant an export may change the order.
    house.advance(1);
    return leasedCampaign(house, project, { goal, name, pages: ["/for-agents"] });
  };
  const used = await leased("For an agent");
  const { proposal } = await propose(project, used, PAUSE);
  await decideAs(house, project, proposal.id, "approved");
  const { leaseToken } = await claim(project, used.id);
  await mutate(project, { ...used, leaseToken }, PAUSE, { approvalId: proposal.id });
  await complete(project, used.id, leaseToken, house.now() + 86_400_000);
  for (const status of ["approved", "rejected"] as const) {
    const made = await leased(`A proposal that was ${status}`);
    const { proposal: other } = await propose(project, made, END);
    await decideAs(house, project, other.id, status, { forGood: status === "rejected", reason: "No" });
  }
  await propose(project, await leased("A proposal that waits"), END);
  await leased("A lease");
}

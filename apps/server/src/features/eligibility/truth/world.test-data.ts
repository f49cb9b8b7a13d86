import { type Answer, createPeopleClient, type PeopleClient } from "@tidings/client";
import { any, expression, trait, user } from "../../../../test/audience/trees.ts";
import { type Explanation, gateOf } from "../../../../test/eligibility.ts";
import { makeMany } from "../../../../test/factories.ts";
import type { SharedHouse, TestProject } from "../../../../test/harness.ts";
import { makePerson } from "../../../../test/people.ts";
import type { Dice } from "./dice.test-data.ts";

type CampaignBody = Parameters<TestProject["api"]["createCampaign"]>[0]["body"];
export type Campaign = Answer<"createCampaign">["campaign"];
export type Traits = Record<string, unknown>;

/** A project with its users, to whom more come. */
export type World = {
  dice: Dice;
  project: TestProject;
  /** An editor of the project. */
  people: PeopleClient;
  /** The users' ids. */
  users: string[];
  /** Where censuses counted users, and what became of them, in all worlds of a file: a test that meets few of it would prove little. */
  seen: Set<string>;
};

/** The operations of a person who may edit all projects of a house; made once for a house, because a password costs much. */
export function editorsOf(house: SharedHouse): (project: TestProject) => Promise<PeopleClient> {
  let made: ReturnType<typeof makePerson> | null = null;
  return async ({ projectId }) => {
    made ??= makePerson(house, { role: "editor" });
    const person = await made;
    return createPeopleClient(house.url, person.headers(projectId));
  };
}

/** The traits by which audiences choose. */
export function audienceTraits(dice: Dice): Traits {
  const plan = dice.pick(["pro", "pro", "free", null]);
  return { ...(plan === null ? {} : { plan }), score: dice.int(0, 9) };
}

/** An audience of any kind, for a campaign of a world whose users are known. */
export async function randomAudience({
  dice,
  project,
  users,
}: World): Promise<NonNullable<CampaignBody["audience"]>> {
  const kind = dice.pick(["all", "trait", "segment", "list"]);
  if (kind === "all") return { kind: "all" };
  if (kind === "trait") return { kind: "expression", expression: expression(trait("plan", "eq", "pro")) };
  if (kind === "list")
    return {
      kind: "expression",
      expression: expression(user("id", "in", dice.some(users, 0.7).slice(0, 50))),
    };
  const key = `segment-${dice.int(0, 1_000_000_000)}`;
  const either = any(trait("score", "gt", 6), trait("plan", "eq", "free"));
  await project.api.createSegment({ body: { key, name: key, expression: expression(either) } });
  return { kind: "segment", segment: key };
}

/** Weights of so many variants, of which at least one is not 0. */
export function randomWeights(dice: Dice, count: number): number[] {
  const weights = Array.from({ length: count }, () => dice.pick([0, 1, 1, 3]));
  return weights.some((weight) => weight > 0) ? weights : weights.map((_, n) => (n === 0 ? 1 : 0));
}

const HOLDOUTS = [0, 20, 50, 50] as const;
/** Lowered more often than raised: users of whom a delivery was withheld are not to get it then. */
const LATER_HOLDOUTS = [0, 0, 20, 50] as const;

/** A goal that may hold users out; null for a campaign without one. */
export async function randomGoal({ dice, project }: World): Promise<string | null> {
  if (dice.chance(0.15)) return null;
  const { goal } = await project.api.createGoal({
    body: { name: "Sales", targetEvent: "paid", holdoutPercent: dice.pick(HOLDOUTS) },
  });
  return goal.id;
}

/** Whether a campaign delivers nothing any more, so that it can be neither launched nor changed. */
const isOver = ({ status, deliverUntil }: Campaign, now: number): boolean =>
  status === "ended" || (deliverUntil !== null && deliverUntil <= now);

/** Moves a holdout up or down, and the weights of a campaign's variants. */
export async function shiftCampaign(
  { dice, project: { api } }: World,
  id: string,
  now: number,
): Promise<void> {
  const path = { id };
  const { campaign } = await api.getCampaign({ path });
  if (campaign.goalId !== null)
    await api.updateGoal({
      path: { id: campaign.goalId },
      body: { holdoutPercent: dice.pick(LATER_HOLDOUTS) },
    });
  if (isOver(campaign, now) || dice.chance(0.5)) return;
  const weights = randomWeights(dice, campaign.variants.length);
  const variants = campaign.variants.map((variant, n) => ({ id: variant.id, weight: weights[n] ?? 0 }));
  await api.updateCampaign({ path, body: { variants } });
}

/** Launches a campaign, or has it go on, and answers whether it runs. One that has ended, or whose window is over, does not. */
export async function goOn({ project: { api } }: World, id: string, now: number): Promise<boolean> {
  const path = { id };
  const { campaign } = await api.getCampaign({ path });
  if (isOver(campaign, now)) return false;
  if (campaign.status !== "running") await api.setCampaignStatus({ path, body: { action: "launch" } });
  return true;
}

/** Pauses a campaign that runs, unless its window is over: then it stays as it is. */
export async function pause({ project: { api } }: World, id: string, now: number): Promise<void> {
  const path = { id };
  const { campaign } = await api.getCampaign({ path });
  if (campaign.status === "running" && !isOver(campaign, now))
    await api.setCampaignStatus({ path, body: { action: "pause" } });
}

/** The users with a delivery of a campaign, and its state. Worlds have fewer users than a page has deliveries. */
export async function statesOf({ project: { api } }: World, id: string): Promise<Map<string, string>> {
  const { deliveries } = await api.listCampaignDeliveries({ path: { id }, query: { perPage: 100 } });
  return new Map(deliveries.map(({ externalUserId, state }) => [externalUserId, state]));
}

/**
 * Those from whom a campaign was withheld since they were explained. Only users of the audience without a delivery are looked at: from
 * others nothing can be withheld.
 */
export async function newlyWithheld(
  { people }: World,
  id: string,
  explained: ReadonlyMap<string, Explanation>,
  states: ReadonlyMap<string, string>,
): Promise<Set<string>> {
  const candidates = [...explained].flatMap(([user, explanation]) => {
    const { known } = gateOf(explanation, "user");
    const isFree = gateOf(explanation, "withheld").withheldAt === null && !states.has(user);
    return known && isFree && gateOf(explanation, "audience").matched === true ? [user] : [];
  });
  const found = await makeMany(candidates.length, async (at) => {
    const { withheld } = await people.listUserWithheld({ path: { id: candidates[at] ?? "" } });
    return withheld.some(({ campaignId }) => campaignId === id);
  });
  return new Set(candidates.filter((_, at) => found[at]));
}

import { until } from "../apps/server/test/commands/spawned.ts";
import { recorded } from "../apps/server/test/factories.ts";
import type { TestHouse, TestProject } from "../apps/server/test/harness.ts";

/** What the server counted of a campaign. */
export type Counted = { shown: number; clicked: number; dismissed: number };

/** What the server counted of a campaign. */
export async function countsOf({ api }: TestProject, id: string): Promise<Counted> {
  const { shown, clicked, dismissed } = (await api.getCampaign({ path: { id } })).campaign.stats;
  return { shown, clicked, dismissed };
}

/** Waits until the server has counted at least this much of something. */
export async function counts(
  project: TestProject,
  id: string,
  what: keyof Counted,
  atLeast = 1,
): Promise<void> {
  await until(async () => (await countsOf(project, id))[what] >= atLeast, `${what}: ${atLeast}`);
}

/** The numbers in the props of a user's events of one name, in order: what arrived, and how often. */
export async function arrived(
  house: TestHouse,
  project: TestProject,
  { userId = "ada", name = "step" }: { userId?: string; name?: string } = {},
): Promise<number[]> {
  const events = await recorded(house, project, userId, name);
  return events.map(({ props }) => Number((props as { n?: unknown }).n)).sort((a, b) => a - b);
}

export const oneTo = (n: number): number[] => Array.from({ length: n }, (_, index) => index + 1);

/** Waits until events came, as many as there should be, and answers which. */
export async function allArrived(
  house: TestHouse,
  project: TestProject,
  count: number,
  query: { userId?: string; name?: string } = {},
): Promise<number[]> {
  await until(async () => (await arrived(house, project, query)).length >= count, `${count} events arrive`);
  return arrived(house, project, query);
}

import type { Answer } from "@tidings/client";
import { newUuid } from "../src/platform/uuid.ts";
import type { TestHouse, TestProject } from "./harness.ts";

/** As long as any process may believe what it knows of an organization. */
export const BELIEVED_MS = 5_000;

/** Projects in an organization of their own. */
export async function organization(house: TestHouse, projects = 1): Promise<TestProject[]> {
  const { kysely } = house.database;
  const made: TestProject[] = [];
  for (let i = 0; i < projects; i++) made.push(await house.project());
  const id = newUuid(house.now());
  // Younger than the first one, which all other projects get.
  const createdAt = Date.UTC(2100, 0);
  await kysely.insertInto("organizations").values({ id, name: "Another", createdAt }).execute();
  for (const [i, { projectId }] of made.entries())
    await kysely
      .updateTable("projects")
      .set({ organizationId: id, name: `Project ${i}`, createdAt: house.now() + i })
      .where("id", "=", projectId)
      .execute();
  return made;
}

/** An organization of one project. */
export async function loneProject(house: TestHouse): Promise<TestProject> {
  const [project] = await organization(house);
  if (project === undefined) throw new Error("An organization was made without its project.");
  return project;
}

/** Users who do something, so that they are active. */
export async function active({ sdk }: TestProject, ids: readonly string[]): Promise<void> {
  await Promise.all(ids.map((userId) => sdk.track({ body: { userId, event: "came_by" } })));
}

export const usageOf = ({ api }: TestProject): Promise<Answer<"getUsage">> => api.getUsage();

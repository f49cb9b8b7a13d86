import type { Answer } from "@tidings/client";
import { userRef } from "../src/domain/ids.ts";
import type { SharedHouse, TestHouse, TestProject } from "./harness.ts";

type CampaignBody = Parameters<TestProject["api"]["createCampaign"]>[0]["body"];

export const toast = (title = "Hello"): { presentation: "toast"; title: string } => ({
  presentation: "toast",
  title,
});

/** A launched campaign for everyone, with whatever is given on top. */
export async function launchCampaign(
  project: TestProject,
  body: Partial<CampaignBody> = {},
): Promise<Answer<"createCampaign">["campaign"]> {
  const content = body.variants === undefined ? { message: toast() } : {};
  const { campaign } = await project.api.createCampaign({
    body: { name: "Campaign", launch: true, ...content, ...body },
  });
  return campaign;
}

/** The messages of a user, in order. */
export async function messagesOf(
  project: TestProject,
  userId: string,
  path?: string,
): Promise<Answer<"getMessages">["messages"]> {
  const { messages } = await project.sdk.getMessages({
    query: { userId, ...(path === undefined ? {} : { path }) },
  });
  return messages;
}

let feedbacks = 0;

/** Reports what a user did with a message, each time under an id of its own. */
export const feedback = (
  project: TestProject,
  deliveryId: string,
  userId: string,
  type: "shown" | "clicked" | "dismissed" | "converted",
): Promise<Answer<"sendDeliveryFeedback">> =>
  project.sdk.sendDeliveryFeedback({
    path: { id: deliveryId },
    body: { userId, type, feedbackId: `feedback-${feedbacks++}` },
  });

/** What is recorded of a user's events of one name, oldest first, with the sender's ids, which no operation shows. */
export async function recorded(house: SharedHouse, { projectId }: TestProject, userId: string, name: string) {
  const { lane, userKey } = userRef(projectId, userId);
  return house.database.kysely
    .selectFrom("events")
    .select(["name", "props", "ts", "eventId"])
    .where("projectId", "=", projectId)
    .where("lane", "=", lane)
    .where("userKey", "=", userKey)
    .where("name", "=", name)
    .orderBy("ts")
    .execute();
}

/** A campaign that was paused because its goal forbids what it says. */
export async function pausedByGuardrail(
  house: TestHouse,
  project: TestProject,
): Promise<{ id: string; goalId: string }> {
  const { goal } = await project.api.createGoal({ body: { name: "Careful" } });
  const { id } = await launchCampaign(project, { name: "Risky", goalId: goal.id, pages: ["/risky"] });
  await project.api.updateGoal({
    path: { id: goal.id },
    body: { guardrails: { forbiddenPhrases: ["hello"] } },
  });
  await house.drain();
  return { id, goalId: goal.id };
}

const AT_ONCE = 10;

/** Makes so many things, ten at a time: they only prepare a test, and a busy computer refuses hundreds at once. */
export async function makeMany<Made>(count: number, make: (index: number) => Promise<Made>): Promise<Made[]> {
  const made: Made[] = [];
  while (made.length < count) {
    const some = Math.min(AT_ONCE, count - made.length);
    made.push(...(await Promise.all(Array.from({ length: some }, (_, i) => make(made.length + i)))));
  }
  return made;
}

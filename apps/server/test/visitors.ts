import { userRef } from "../src/domain/ids.ts";
import { setSettings } from "./email.ts";
import { launchCampaign, messagesOf } from "./factories.ts";
import type { SharedHouse, TestHouse, TestProject } from "./harness.ts";

/** A browser whose visitor is not signed in, as the SDK would call for it. */
export type Browser = {
  anonymousId: string;
  track(event: string, eventId?: string): Promise<unknown>;
  messages(): Promise<{ deliveryId: string; campaignId: string; variantId: string }[]>;
  feedback(deliveryId: string, type: "shown" | "clicked" | "dismissed" | "converted"): Promise<unknown>;
  identify(traits: Record<string, unknown>): Promise<unknown>;
  /** The visitor signs in. */
  signIn(userId: string): Promise<unknown>;
};

/** A project that keeps visitors. */
export async function visitedProject(house: SharedHouse): Promise<TestProject> {
  const project = await house.project();
  await setSettings(house, project, { "visitors.enabled": "true" });
  return project;
}

/** A launched campaign that meets users and visitors. */
export const launchForVisitors: typeof launchCampaign = (project, body) =>
  launchCampaign(project, { visitors: "also", ...body });

let feedbacks = 0;

/** A browser of a project, by the random id of its visitor. */
export function openBrowser({ sdk }: TestProject, anonymousId: string): Browser {
  const headers = { "x-anonymous-id": anonymousId };
  return {
    anonymousId,
    track: (event, eventId) =>
      sdk.track({ body: { anonymousId, event, ...(eventId === undefined ? {} : { eventId }) } }),
    messages: async () => (await sdk.getMessages({ query: {}, headers })).messages,
    feedback: (id, type) =>
      sdk.sendDeliveryFeedback({
        path: { id },
        body: { anonymousId, type, feedbackId: `visitor-${++feedbacks}` },
      }),
    identify: (traits) => sdk.identify({ body: { anonymousId, traits } }),
    signIn: (userId) => sdk.identify({ body: { userId, anonymousId } }),
  };
}

const MAX_BATCH = 500;

/** Events of a visitor that a server sends, each with its instant (epoch ms). */
export async function bringEventsOf(
  { api }: TestProject,
  anonymousId: string,
  events: readonly { name: string; id: string; ts: number }[],
): Promise<void> {
  for (let at = 0; at < events.length; at += MAX_BATCH) {
    const some = events.slice(at, at + MAX_BATCH);
    await api.trackBatch({
      body: { events: some.map(({ name, id, ts }) => ({ anonymousId, event: name, eventId: id, ts })) },
    });
  }
}

/** How many rows each table has under the key of a user or visitor, by table. */
export async function rowsOfPerson(
  house: SharedHouse,
  { projectId }: TestProject,
  externalId: string,
): Promise<Record<string, number>> {
  const { pool } = house.database;
  const { rows: tables } = await pool.query<{ name: string }>(
    `select c.table_name as name from information_schema.columns c join information_schema.tables using (table_schema, table_name)
    where c.table_schema = 'public' and c.column_name = 'user_key' and table_type = 'BASE TABLE'`,
  );
  const counts = tables.map(
    ({ name }) => `select '${name}' as name, count(*) as count from ${name} where user_key = $1`,
  );
  const { rows } = await pool.query<{ name: string; count: number }>(
    `select * from (${counts.join(" union all ")}) found where count > 0`,
    [userRef(projectId, externalId).userKey],
  );
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

/**
 * Visitors of every kind: one who has only been there; one who became a user with what they got; one who became a user who had the same, and
 * left some of it; and one whose user was erased.
 */
export async function livedVisitors(house: TestHouse, project: TestProject): Promise<void> {
  await setSettings(house, project, { "visitors.enabled": "true" });
  // A user who has not seen what a visitor has, before they turn out to be one person.
  await messagesOf(project, "una");
  for (const [anonymousId, user] of [
    ["only-there", null],
    ["seen-before", "una"],
    ["new-user", "vera"],
    ["known-user", "bob"],
    ["erased-user", "gone visitor"],
  ] as const) {
    house.advance(1_000);
    const browser = openBrowser(project, anonymousId);
    await browser.track("looked", `${anonymousId}-looked`);
    await browser.identify({ plan: "pro", from: anonymousId });
    const [message] = await browser.messages();
    if (message !== undefined) await browser.feedback(message.deliveryId, "shown");
    house.advance(1_000);
    await browser.track("paid", `${anonymousId}-paid`);
    if (user !== null) await browser.signIn(user);
  }
  await project.api.eraseUser({ path: { id: "gone visitor" } });
}

import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type pg from "pg";
import { type DeliveryName, deliveryId } from "../apps/server/src/domain/ids.ts";
import { fillDeliveries, fillUsers } from "./filled.ts";
import { httpRequest } from "./load.ts";
import type { TidingsUnderLoad } from "./processes.ts";

// Requests that change what webhooks are about: users, what became of messages, and goals that were reached.

const USERS = 200_000;
/** Campaigns whose messages everybody got. */
const CAMPAIGNS = 3;
const TARGET = "upgraded";

type Campaign = { id: string; variants: { id: string }[] };
type Made = { goal: { id: string }; campaign: Campaign };

async function create<Thing extends keyof Made>(
  { port, secretKey }: TidingsUnderLoad,
  path: string,
  body: object,
): Promise<Pick<Made, Thing>> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${secretKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (response.status !== 201) throw new Error(await response.text());
  return (await response.json()) as Pick<Made, Thing>;
}

/**
 * A webhook that wants all of it. Its server takes connections and never answers, so that next to nothing is sent, and what is measured is
 * what its messages cost those who cause them.
 */
export async function createWebhook(tidings: TidingsUnderLoad): Promise<void> {
  const receiver = createServer(() => undefined);
  receiver.listen(0, "127.0.0.1").unref();
  await once(receiver, "listening");
  const types = ["*", "delivery.shown", "delivery.clicked", "delivery.converted"];
  const { port } = receiver.address() as AddressInfo;
  await create(tidings, "webhooks", { url: `http://127.0.0.1:${port}/`, types });
}

/** Users, and messages to all of them that are queued. */
async function fill(tidings: TidingsUnderLoad, more: object = {}): Promise<pg.Client> {
  const db = await tidings.connect();
  await fillUsers(db, tidings.projectId, { until: USERS });
  for (let n = 0; n < CAMPAIGNS; n++) {
    const message = { presentation: "toast", title: "Hello" };
    const body = { name: `To all ${n}`, launch: true, message, ...more };
    const { campaign } = await create<"campaign">(tidings, "campaigns", body);
    await fillDeliveries(db, campaign, "people");
  }
  return db;
}

/** The next request of a load, complete, by its key. */
type Requests = (key: string) => string;

/** Requests that make a user known, or change a trait of one: every fifth is of a user who is new. */
export async function identifyRequests(tidings: TidingsUnderLoad): Promise<Requests> {
  const db = await tidings.connect();
  await fillUsers(db, tidings.projectId, { until: USERS });
  await db.query("vacuum analyze");
  await db.end();
  let sequence = 0;
  return (key) => {
    const n = sequence++;
    const user = n % 5 === 0 ? `new-${n}` : `user-${Math.floor(Math.random() * USERS)}`;
    const traits = `{"plan":"pro","seats":${n},"company":{"name":"Acme ${n % 90}","city":"Ghent"}}`;
    return httpRequest("POST", "/api/v1/identify", key, `{"userId":"${user}","traits":${traits}}`);
  };
}

/** Requests that say of a message that it was shown, and later that it was clicked. */
export async function feedbackRequests(tidings: TidingsUnderLoad): Promise<Requests> {
  const db = await fill(tidings);
  await db.query("vacuum analyze");
  const { rows } = await db.query<DeliveryName>(
    'select user_key as "userKey", campaign_id as "campaignId", occasion from deliveries order by random()',
  );
  await db.end();
  const ids = rows.map(deliveryId);
  /** A click comes so many requests after what it follows, so that this was answered. */
  const between = 1_000;
  let sequence = 0;
  return (key) => {
    const n = sequence++;
    const isClick = n >= between && n % 2 === 1;
    const which = isClick ? (n - between - 1) / 2 : n < between ? n : between + (n - between) / 2;
    const id = ids[which];
    if (id === undefined) throw new Error("All messages have been shown: fewer rounds, or shorter ones.");
    const body = `{"type":"${isClick ? "clicked" : "shown"}"}`;
    return httpRequest("POST", `/api/v1/deliveries/${id}/event`, key, body);
  };
}

/** Requests that track the event which a goal counts: user after user, each of whom has seen messages of it. */
export async function goalRequests(tidings: TidingsUnderLoad): Promise<Requests> {
  const { goal } = await create<"goal">(tidings, "goals", { name: "Upgrades", targetEvent: TARGET });
  const db = await fill(tidings, { goalId: goal.id });
  await db.query("update deliveries set state = 'shown', shown_at = $1, exposed_at = $1", [
    Date.now() - 60_000,
  ]);
  await db.query("vacuum full analyze deliveries");
  await db.query("vacuum analyze");
  await db.end();
  let sequence = 0;
  return (key) => {
    const n = sequence++;
    const body = `{"userId":"user-${n % USERS}","event":"${TARGET}","props":{"plan":"pro"},"eventId":"load-${n}"}`;
    return httpRequest("POST", "/api/v1/track", key, body);
  };
}

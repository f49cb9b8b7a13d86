/**
 * `node bench/journeys.ts [--users 1000000] [--rounds 3] [--moved 50000] [--seconds 30]`: what a journey costs in which so many users wait for
 * weeks: processor time of a server at rest, before they are there and with them; then how many users a second go from a wait to a mail that is
 * queued, in turn with a campaign to everybody that queues as many. No message leaves: the spend cap of the organization is 0. Exits 1
 * where users move at less than 0.4 times the pace of the campaign.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createClient } from "@tidings/client";
import { setSender } from "./campaign.ts";
import { fillUsers } from "./filled.ts";
import { startTidings } from "./processes.ts";
import { median, verdict } from "./report.ts";

const { values } = parseArgs({
  options: {
    users: { type: "string", default: "1000000" },
    rounds: { type: "string", default: "3" },
    moved: { type: "string", default: "50000" },
    seconds: { type: "string", default: "30" },
  },
});
const [USERS, ROUNDS, MOVED, SECONDS] = [values.users, values.rounds, values.moved, values.seconds].map(
  Number,
) as [number, number, number, number];
const LEAST_PACE = 0.4;
const DAY_MS = 86_400_000;

const tidings = await startTidings({ RATE_LIMITS: "off", LOG_LEVEL: "error" });
const db = await tidings.connect();
const { projectId, secretKey, command, port } = tidings;
const api = createClient(`http://127.0.0.1:${port}`, secretKey);
const uuid = (id: string): string => id.slice(id.indexOf("_") + 1);

/** Processor time a second of a server that has nothing to do, in milliseconds. */
async function restOf(what: string): Promise<void> {
  // What was just written is cleaned up and cached first.
  await sleep(5_000);
  const before = tidings.cpu();
  await sleep(SECONDS * 1_000);
  const after = tidings.cpu();
  const ms = (used: number): string => ((used * 1_000) / SECONDS).toFixed(1);
  console.log(
    `at rest, ${what}: ${ms(after.node - before.node)} ms of Node and ${ms(after.postgres - before.postgres)} ms of PostgreSQL a second`,
  );
}

/** How many rows a query counts. */
async function countOf(text: string, ...parameters: unknown[]): Promise<number> {
  const { rows } = await db.query<{ count: number }>(`select (${text})::float8 as count`, parameters);
  return rows[0]?.count ?? 0;
}

/** Waits until so many rows are counted; answers how many seconds that took. */
async function until(count: () => Promise<number>, wanted: number): Promise<number> {
  const began = performance.now();
  while ((await count()) < wanted) await sleep(50);
  return (performance.now() - began) / 1_000;
}

/** A journey of a wait and a mail, in which all users wait. */
async function fillJourney(): Promise<{ id: string; campaignId: string }> {
  const { journey } = await api.createJourney({
    body: {
      name: "Trial",
      entry: { on: "request" },
      steps: [
        { id: "pause", kind: "wait", for: { amount: 30, unit: "days" } },
        { id: "mail", kind: "send", channel: "email", message: { subject: "Hello", body: "Hello." } },
      ],
    },
  });
  await api.setJourneyStatus({ path: { id: journey.id }, body: { action: "launch" } });
  const now = Date.now();
  await db.query(
    `insert into journey_entries (lane, user_key, journey_id, occasion, project_id, step_id, arrived_at, due_at, version, entered_at)
    select lane, user_key, $1, 0, project_id, 'pause', $2::int8, $2::int8 + $3::int8 + n * 1000::int8, 1, $2::int8 from people`,
    [uuid(journey.id), now, 2 * DAY_MS],
  );
  await db.query(
    `insert into journey_counts (journey_id, step_id, did, project_id, count)
    values ($1, 'pause', 'here', $2, $3), ($1, '', 'entered', $2, $3)`,
    [uuid(journey.id), projectId, USERS],
  );
  await db.query("vacuum analyze journey_entries");
  const [, step] = journey.steps;
  if (step?.kind !== "send") throw new Error("The journey has no mail.");
  return { id: journey.id, campaignId: step.campaignId };
}

/** Makes some users due, and waits until the mail of each is queued; answers users a second. */
async function move({ id, campaignId }: { id: string; campaignId: string }, round: number): Promise<number> {
  const queued = () => countOf("select count(*) from email_sends where campaign_id = $1", uuid(campaignId));
  const before = await queued();
  await db.query(
    `update journey_entries e set due_at = 1, arrived_at = $2::int8 from people p
    where p.n >= $3 and p.n < $4 and e.lane = p.lane and e.user_key = p.user_key and e.journey_id = $1`,
    [uuid(id), Date.now() - 31 * DAY_MS, round * MOVED, (round + 1) * MOVED],
  );
  // A change of its name: a management write, after which loops look.
  await api.updateJourney({ path: { id }, body: { name: `Round ${round}` } });
  return MOVED / (await until(queued, before + MOVED));
}

/** Launches a campaign to everybody, and waits until as many mails are queued; answers users a second. */
async function plan(): Promise<number> {
  const { campaign } = await api.createCampaign({
    body: { name: "To all", channel: "email", message: { subject: "Hello", body: "Hello." } },
  });
  const path = { id: campaign.id };
  const queued = () => countOf("select count(*) from email_sends where campaign_id = $1", uuid(campaign.id));
  await api.setCampaignStatus({ path, body: { action: "launch" } });
  const began = performance.now();
  await until(queued, MOVED);
  const planned = await queued();
  const seconds = (performance.now() - began) / 1_000;
  await api.setCampaignStatus({ path, body: { action: "pause" } });
  return planned / seconds;
}

try {
  await setSender({ projectId, command }, "smtp://127.0.0.1:9", "org.spendCapUsd=0");
  await fillUsers(db, projectId, { until: USERS });
  await db.query("vacuum analyze users");
  await db.query("analyze people");
  await restOf(`${USERS} users, none in a journey`);
  const journey = await fillJourney();
  await restOf(`all of them wait in a journey`);
  const paces: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const [moved, planned] = [await move(journey, round), await plan()];
    paces.push(moved / planned);
    console.log(
      `round ${round + 1}: ${moved.toFixed(0)} users a second move to their mail, ${planned.toFixed(0)} are planned for a campaign`,
    );
  }
  verdict("moving, as a part of the pace of a campaign", median(paces), LEAST_PACE);
} finally {
  await db.end();
  await tidings.stop();
}

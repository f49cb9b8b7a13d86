/**
 * `node bench/rest.ts [--other ../before] [--seconds 60] [--launches 20] [--webhooks 0]`: what a server costs that gets no request (transactions,
 * processor time, memory), and how soon the first mail of a campaign is in the hands of a mail server after the launch. With `--other`
 * beside another version, in a checkout of its own (with `npm ci`): both rest at the same time, and launch in turn. With --webhooks this
 * version has so many, for which nothing waits.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createClient } from "@tidings/client";
import { insertRecipients, setSender } from "./campaign.ts";
import { createWebhook } from "./changes-load.ts";
import { startBaseline, startTidings, type TidingsUnderLoad } from "./processes.ts";
import { median } from "./report.ts";

const { values } = parseArgs({
  options: {
    other: { type: "string" },
    seconds: { type: "string", default: "60" },
    launches: { type: "string", default: "20" },
    webhooks: { type: "string", default: "0" },
  },
});
const [SECONDS, LAUNCHES] = [values.seconds, values.launches].map(Number) as [number, number];
/** What follows a start is over by then: loops have looked, and found nothing. */
const AFTER_START_MS = 45_000;
/** How long a server has no work between two launches, and how much longer at most, so that they come at any time. */
const BETWEEN_MS = 1_000;
const LONGER_MS = 1_000;

type Idle = { transactions: number; node: number; postgres: number };

async function transactionsOf(tidings: TidingsUnderLoad): Promise<number> {
  // Of another database, so that it counts no transaction of its own.
  const client = await tidings.connect("postgres");
  const { rows } = await client.query<{ count: number }>(
    "select xact_commit + xact_rollback as count from pg_stat_database where datname = 'tidings'",
  );
  await client.end();
  return Number(rows[0]?.count);
}

/** What a second costs: transactions, and processor time in milliseconds. */
async function idle(tidings: TidingsUnderLoad): Promise<Idle> {
  const [before, cpuBefore] = [await transactionsOf(tidings), tidings.cpu()];
  await sleep(SECONDS * 1_000);
  const [after, cpuAfter] = [await transactionsOf(tidings), tidings.cpu()];
  const each = (used: number): number => (used * 1_000) / SECONDS;
  return {
    transactions: (after - before) / SECONDS,
    node: each(cpuAfter.node - cpuBefore.node),
    postgres: each(cpuAfter.postgres - cpuBefore.postgres),
  };
}

const sink = await startBaseline("./smtp-sink.ts");
const countsOfSink = async () =>
  (await fetch(`http://127.0.0.1:${sink.port}/`)).json() as Promise<{
    port: number;
    messages: number;
    lastAt: number;
  }>;

/** Milliseconds from the request that launches a campaign to the first mail. */
async function launch(tidings: TidingsUnderLoad): Promise<number> {
  const { messages } = await countsOfSink();
  const api = createClient(`http://127.0.0.1:${tidings.port}`, tidings.secretKey);
  const began = Date.now();
  await api.createCampaign({
    body: { name: "News", channel: "email", launch: true, message: { subject: "News", body: "Hello." } },
  });
  for (;;) {
    const now = await countsOfSink();
    if (now.messages > messages) return now.lastAt - began;
    await sleep(20);
  }
}

const ours = await startTidings({ WEBHOOKS_PRIVATE: "1" });
const versions = new Map([["this", ours]]);
if (values.other !== undefined) versions.set("other", await startTidings({}, values.other));
try {
  for (const tidings of versions.values()) {
    await setSender(tidings, `smtp://127.0.0.1:${(await countsOfSink()).port}`);
    await insertRecipients(tidings, 1);
  }
  // What was there before they are is not announced.
  for (let n = 0; n < Number(values.webhooks); n++) await createWebhook(ours);
  await sleep(AFTER_START_MS);
  await Promise.all(
    [...versions].map(async ([name, tidings]) => {
      const { transactions, node, postgres } = await idle(tidings);
      console.log(
        `${name.padEnd(6)} at rest: ${transactions.toFixed(2)} transactions/s; of a second of a processor node ${node.toFixed(1)} ms, postgres ${postgres.toFixed(1)} ms; ${tidings.memoryMb()} MB`,
      );
    }),
  );
  const took = new Map([...versions.keys()].map((name) => [name, [] as number[]]));
  for (let round = 0; round < LAUNCHES; round++) {
    for (const [name, tidings] of versions) {
      await sleep(BETWEEN_MS + Math.random() * LONGER_MS);
      took.get(name)?.push(await launch(tidings));
    }
  }
  for (const [name, each] of took)
    console.log(
      `${name.padEnd(6)} from a launch to the first mail: ${median(each)} ms (${Math.min(...each)} to ${Math.max(...each)})`,
    );
} finally {
  for (const tidings of versions.values()) await tidings.stop();
  await sink.stop();
}

/**
 * `node bench/messages.ts [--rounds 3] [--seconds 6] [--asks windows] [--holdout 10]`: the feed with 50 running campaigns, 100,000 users
 * with traits and 1,000,000 events, 1,000,000 deliveries present. 20 of the campaigns ask for events within a window or with a
 * property; with `--asks counts` for none of them, with `--asks traits` for no events. With --holdout all campaigns are of a goal that holds out so many per cent. Of the requests, 80 % come from those users, who have a
 * message to see, and 20 % from visitors seen for the first time, for whom a user and a delivery are written. 64
 * connections, then half of that load for the latency.
 */
import { parseArgs } from "node:util";
import { load } from "./load.ts";
import { asksOf, messagesRequests, prepareMessages, USERS } from "./messages-load.ts";
import { startBaseline, startTidings } from "./processes.ts";
import { inTurn, median, printCpu, ratio, verdict } from "./report.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "6" },
    asks: { type: "string", default: "windows" },
    holdout: { type: "string", default: "0" },
  },
});
const seconds = Number(values.seconds);
const CONNECTIONS = 64;

const tidings = await startTidings();
const noop = await startBaseline("./noop.ts");
try {
  const db = await tidings.connect();
  await prepareMessages(tidings, { asks: asksOf(values.asks), holdoutPercent: Number(values.holdout) });
  const { rows } = await db.query<{ count: number }>("select count(*)::int from deliveries");
  console.log(`${rows[0]?.count} deliveries of ${USERS} users, 50 running campaigns`);

  const next = messagesRequests();
  const drive = (port: number, key: string, connections = CONNECTIONS, duration = seconds) =>
    load({ port, connections, seconds: duration, request: () => next(key) });
  await drive(noop.port, "noop", CONNECTIONS, 2);
  await drive(tidings.port, tidings.publishableKey, CONNECTIONS, 2);
  let memory = 0;
  const results = await inTurn(Number(values.rounds), {
    "no-op Fastify": () => drive(noop.port, "noop"),
    async messages() {
      const before = tidings.cpu();
      const result = await drive(tidings.port, tidings.publishableKey);
      printCpu(before, tidings.cpu(), result);
      memory = Math.max(memory, tidings.memoryMb());
      return result;
    },
    "messages, half load": () => drive(tidings.port, tidings.publishableKey, CONNECTIONS / 2),
  });
  verdict("messages / no-op Fastify", ratio(results, "messages", "no-op Fastify"), 0.25);
  const p99 = median((results["messages, half load"] ?? []).map((each) => each.p99));
  console.log(`p99 at half load: ${p99.toFixed(2)} ms (below 10)`);
  console.log(`memory of the Node process under load: ${memory} MB (below 250)`);
  const made = await db.query<{ count: number }>(
    "select count(*)::int from deliveries where state = 'queued'",
  );
  console.log(`${made.rows[0]?.count} deliveries were made by these requests`);
  await db.end();
} finally {
  await noop.stop();
  await tidings.stop();
}

/** `node bench/track.ts [--rounds 3] [--seconds 6]`: one event per request, 64 connections, durable. */
import { parseArgs } from "node:util";
import { httpRequest, load } from "./load.ts";
import { startBaseline, startOneByOne, startTidings } from "./processes.ts";
import { inTurn, median, printCpu, ratio, verdict } from "./report.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "6" },
  },
});
const seconds = Number(values.seconds);
const CONNECTIONS = 64;
const USERS = 100_000;
const EVENTS = ["page_viewed", "product_viewed", "cart_opened", "checkout_started", "purchase", "searched"];

let sequence = 0;
const trackBody = (): string => {
  const n = sequence++;
  const user = Math.floor(Math.random() * USERS);
  return `{"userId":"user-${user}","event":"${EVENTS[n % EVENTS.length]}","props":{"$pathname":"/products/${n % 500}","price":${n % 90}},"eventId":"e-${n}"}`;
};

const tidings = await startTidings();
const noop = await startBaseline("./noop.ts");
const oneByOne = await startOneByOne();
try {
  const drive = (port: number, key: string, duration = seconds) =>
    load({
      port,
      connections: CONNECTIONS,
      seconds: duration,
      request: () => httpRequest("POST", "/api/v1/track", key, trackBody()),
    });
  for (const [port, key] of [
    [noop.port, "noop"],
    [tidings.port, tidings.publishableKey],
    [oneByOne.port, "noop"],
  ] as const) {
    await drive(port, key, 2);
  }
  let memory = 0;
  const results = await inTurn(Number(values.rounds), {
    "no-op Fastify": () => drive(noop.port, "noop"),
    async track() {
      const before = tidings.cpu();
      const result = await drive(tidings.port, tidings.publishableKey);
      printCpu(before, tidings.cpu(), result);
      memory = Math.max(memory, tidings.memoryMb());
      return result;
    },
    "one by one": () => drive(oneByOne.port, "noop"),
  });
  verdict("track / no-op Fastify", ratio(results, "track", "no-op Fastify"), 0.35);
  verdict("track / the same work one request at a time", ratio(results, "track", "one by one"), 2);
  console.log(`track p99: ${median((results.track ?? []).map((each) => each.p99)).toFixed(2)} ms`);
  console.log(`memory of the Node process under load: ${memory} MB (below 250)`);
} finally {
  await noop.stop();
  await oneByOne.stop();
  await tidings.stop();
}

/**
 * `node bench/track.ts [--rounds 3] [--seconds 6] [--users 100000] [--repeated 0] [--besides 0,0]`: one event per request, 64
 * connections, durable. With --users 2000 users come back within seconds, as in sessions; --repeated is how many per cent of the
 * requests repeat an earlier `eventId`; --besides 1000000,10000000 fills so many users and events in before.
 */
import { parseArgs } from "node:util";
import { load } from "./load.ts";
import { startBaseline, startOneByOne, startTidings } from "./processes.ts";
import { inTurn, median, printCpu, ratio, verdict } from "./report.ts";
import { prepareTrack, trackRequests } from "./track-load.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "6" },
    users: { type: "string", default: "100000" },
    repeated: { type: "string", default: "0" },
    besides: { type: "string", default: "0,0" },
  },
});
const seconds = Number(values.seconds);
const CONNECTIONS = 64;
const [users = 0, events = 0] = values.besides.split(",").map(Number);

const tidings = await startTidings();
const noop = await startBaseline("./noop.ts");
const bare = await startBaseline("./bare.ts");
const oneByOne = await startOneByOne();
try {
  await prepareTrack(tidings, { users, events });
  const next = trackRequests({ users: Number(values.users), repeatedPercent: Number(values.repeated) });
  const drive = (port: number, key: string, duration = seconds) =>
    load({ port, connections: CONNECTIONS, seconds: duration, request: () => next(key) });
  for (const [port, key] of [
    [noop.port, "noop"],
    [bare.port, "noop"],
    [tidings.port, tidings.publishableKey],
    [oneByOne.port, "noop"],
  ] as const) {
    await drive(port, key, 2);
  }
  let memory = 0;
  const results = await inTurn(Number(values.rounds), {
    "bare node:http": () => drive(bare.port, "noop"),
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
  await bare.stop();
  await oneByOne.stop();
  await tidings.stop();
}

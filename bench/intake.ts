/**
 * `node bench/intake.ts [--rounds 5] [--seconds 4] [--users 100000]`: the same events as track calls of the libraries of other services
 * (`POST /v1/batch` with 20 of them, and `/v1/t`) and as events of our own API (`/api/v1/track/batch`, `/api/v1/track`), in turn, durable;
 * 64 connections for single ones, 8 for batches. The processor time of a call is that of its request, divided by the calls in it.
 */
import { parseArgs } from "node:util";
import { httpRequest, type Load, load } from "./load.ts";
import { startTidings } from "./processes.ts";
import { inTurn, median, printCpu, ratio } from "./report.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "4" },
    users: { type: "string", default: "100000" },
  },
});
const seconds = Number(values.seconds);
const users = Number(values.users);
const BATCH = 20;
/** A call of a batch may cost so many times what an event of our own API costs. */
const MOST = 1.25;

const EVENTS = ["product_viewed", "cart_opened", "checkout_started", "purchase", "searched", "signed_up"];

const tidings = await startTidings();
let sequence = 0;

/** An event of a user, as our API, with its time where that may be said, and as a library of another service says it. */
function drawn(): { own: string; timed: string; foreign: string } {
  const n = sequence++;
  const about = `"userId":"user-${Math.floor(Math.random() * users)}","event":"${EVENTS[n % EVENTS.length]}"`;
  const props = `{"$pathname":"/products/${n % 500}","price":${n % 90}}`;
  const context = `{"library":{"name":"@segment/analytics-node","version":"3.1.0"}}`;
  const messageId = `node-next-${n}-bench`;
  const timestamp = new Date().toISOString();
  return {
    own: `{${about},"props":${props},"eventId":"${messageId}"}`,
    timed: `{${about},"props":${props},"eventId":"${messageId}","ts":"${timestamp}"}`,
    foreign: `{"type":"track",${about},"properties":${props},"integrations":{},"context":${context},"timestamp":"${timestamp}","messageId":"${messageId}","_metadata":{"nodeVersion":"24.21.0","jsRuntime":"node"}}`,
  };
}
type Kind = keyof ReturnType<typeof drawn>;
const some = (kind: Kind): string => Array.from({ length: BATCH }, () => drawn()[kind]).join(",");

const key = tidings.secretKey;
const requests = {
  "track/batch": () => httpRequest("POST", "/api/v1/track/batch", key, `{"events":[${some("timed")}]}`),
  "v1/batch": () =>
    httpRequest(
      "POST",
      "/v1/batch",
      key,
      `{"batch":[${some("foreign")}],"writeKey":"${key}","sentAt":"${new Date().toISOString()}"}`,
    ),
  track: () => httpRequest("POST", "/api/v1/track", key, drawn().own),
  "v1/t": () => httpRequest("POST", "/v1/t", key, drawn().foreign),
} as const;
type Name = keyof typeof requests;
const names = Object.keys(requests) as Name[];
const callsIn = (name: Name): number => (name.endsWith("batch") ? BATCH : 1);

type Cost = { node: number; postgres: number };
const costs: Record<Name, Cost[]> = { "track/batch": [], "v1/batch": [], track: [], "v1/t": [] };

const drive = (name: Name, duration = seconds): Promise<Load> =>
  load({
    port: tidings.port,
    connections: callsIn(name) > 1 ? 8 : 64,
    seconds: duration,
    request: requests[name],
  });

/** Microseconds of the processor that a call cost. */
async function measured(name: Name): Promise<Load> {
  const before = tidings.cpu();
  const result = await drive(name);
  const after = tidings.cpu();
  printCpu(before, after, result);
  const calls = result.requestsPerSecond * result.seconds * callsIn(name);
  const each = (part: keyof Cost): number => ((after[part] - before[part]) * 1e6) / calls;
  costs[name].push({ node: each("node"), postgres: each("postgres") });
  return result;
}

/** Median over the rounds of what a call of one costs, divided by that of another in the same round. */
const costRatio = (name: Name, baseline: Name, cost: (each: Cost) => number): number =>
  median(
    costs[name].map((each, round) => cost(each) / cost(costs[baseline][round] ?? { node: 0, postgres: 0 })),
  );

try {
  for (const name of names) await drive(name, 2);
  const results = await inTurn(
    Number(values.rounds),
    Object.fromEntries(names.map((name) => [name, () => measured(name)])),
  );
  for (const name of names) {
    const middle = (part: keyof Cost): string => median(costs[name].map((each) => each[part])).toFixed(1);
    console.log(`${name}: a call costs ${middle("node")} µs of Node, ${middle("postgres")} µs of PostgreSQL`);
  }
  for (const [name, baseline] of [
    ["v1/batch", "track/batch"],
    ["v1/t", "track"],
  ] as const) {
    const all = costRatio(name, baseline, ({ node, postgres }) => node + postgres);
    const parts = (["node", "postgres"] as const).map((part) =>
      costRatio(name, baseline, (each) => each[part]),
    );
    // A single call waits for two commits, one after the other: its event, and then its count.
    const judged = callsIn(name) === 1 ? "for scale" : all <= MOST ? "reached" : "MISSED ";
    console.log(
      `${judged}  ${name} / ${baseline}: ${all.toFixed(2)} times the processor time (of a batch at most ${MOST}; Node ${parts[0]?.toFixed(2)}, PostgreSQL ${parts[1]?.toFixed(2)}); ${ratio(results, name, baseline).toFixed(2)} of the requests a second`,
    );
    if (judged === "MISSED ") process.exitCode = 1;
  }
} finally {
  await tidings.stop();
}

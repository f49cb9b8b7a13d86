/**
 * `node bench/versions.ts --other ../before [--load track] [--rounds 40] [--seconds 0.7] [--users 100000] [--repeated 0] [--besides 0,0] [--asks windows] [--webhooks]`:
 * what a request costs this version, beside another one in a checkout of its own (with `npm ci`): both servers under the load of `track`,
 * `messages`, `identify`, `feedback` or `goals`, in short turns. Prints the medians of the ratios this / other in each round: a machine that
 * drifts, drifts for both. With --webhooks this version has one that wants all of it, whose server never answers.
 */
import { parseArgs } from "node:util";
import { createWebhook, feedbackRequests, goalRequests, identifyRequests } from "./changes-load.ts";
import { type Load, load } from "./load.ts";
import { asksOf, messagesRequests, prepareMessages } from "./messages-load.ts";
import { startTidings, type TidingsUnderLoad } from "./processes.ts";
import { median } from "./report.ts";
import { prepareTrack, trackRequests } from "./track-load.ts";

const { values } = parseArgs({
  options: {
    other: { type: "string" },
    load: { type: "string", default: "track" },
    rounds: { type: "string", default: "40" },
    seconds: { type: "string", default: "0.7" },
    users: { type: "string", default: "100000" },
    repeated: { type: "string", default: "0" },
    besides: { type: "string", default: "0,0" },
    asks: { type: "string", default: "windows" },
    webhooks: { type: "boolean", default: false },
  },
});
if (values.other === undefined) throw new Error("--other has to name the folder of another checkout");
const [users = 0, events = 0] = values.besides.split(",").map(Number);
const CONNECTIONS = 64;

/** Prepares a server, and answers the requests of its load. */
type Loading = (tidings: TidingsUnderLoad) => Promise<(key: string) => string>;

const loads = new Map<string, Loading>([
  [
    "track",
    async (tidings) => {
      await prepareTrack(tidings, { users, events });
      return trackRequests({ users: Number(values.users), repeatedPercent: Number(values.repeated) });
    },
  ],
  [
    "messages",
    async (tidings) => {
      await prepareMessages(tidings, { asks: asksOf(values.asks), holdoutPercent: 0 });
      return messagesRequests();
    },
  ],
  ["identify", identifyRequests],
  ["feedback", feedbackRequests],
  ["goals", goalRequests],
]);
const prepare = loads.get(values.load);
if (prepare === undefined) throw new Error(`--load has to be one of ${[...loads.keys()].join(", ")}`);

/** What a turn cost: processor time per request in microseconds, and requests a second. */
type Turn = { node: number; postgres: number; rate: number };
const MEASURED = ["node", "postgres", "rate"] as const;

/** Starts a version with what its load needs; answers a function that gives it a turn of so many seconds. */
async function start(prepared: Loading, folder?: string) {
  const tidings = await startTidings({ WEBHOOKS_PRIVATE: "1" }, folder);
  const next = await prepared(tidings);
  async function turn(seconds: number): Promise<Turn> {
    const before = tidings.cpu();
    const result: Load = await load({
      port: tidings.port,
      connections: CONNECTIONS,
      seconds,
      request: () => next(tidings.publishableKey),
    });
    const after = tidings.cpu();
    const count = result.requestsPerSecond * result.seconds;
    if (Object.keys(result.statuses).some((status) => status !== "200") || result.errors > 0)
      throw new Error(`Not all answers are 200: ${JSON.stringify(result.statuses)}`);
    return {
      node: ((after.node - before.node) * 1e6) / count,
      postgres: ((after.postgres - before.postgres) * 1e6) / count,
      rate: result.requestsPerSecond,
    };
  }
  return { tidings, turn };
}

const versions = [await start(prepare), await start(prepare, values.other)];
try {
  const turns: Turn[][] = versions.map(() => []);
  const [first] = versions;
  if (values.webhooks && first !== undefined) await createWebhook(first.tidings);
  for (const { turn } of versions) await turn(3);
  for (let round = 0; round < Number(values.rounds); round++) {
    const order = [...versions.entries()];
    // Each goes first as often as the other.
    for (const [index, { turn }] of round % 2 === 0 ? order : order.toReversed())
      turns[index]?.push(await turn(Number(values.seconds)));
  }
  const [ours = [], theirs = []] = turns;
  const ratioOf = (measure: (turn: Turn) => number): string =>
    median(ours.map((turn, round) => measure(turn) / measure(theirs[round] ?? turn))).toFixed(3);
  for (const [name, each] of [
    ["this", ours],
    ["other", theirs],
  ] as const)
    console.log(
      `${name.padEnd(6)} ${MEASURED.map((what) => `${what} ${median(each.map((turn) => turn[what])).toFixed(1)}`).join("  ")}`,
    );
  console.log(
    `this / other: ${MEASURED.map((what) => `${what} ${ratioOf((turn) => turn[what])}`).join("  ")}  both ${ratioOf(({ node, postgres }) => node + postgres)}`,
  );
} finally {
  for (const { tidings } of versions) await tidings.stop();
}

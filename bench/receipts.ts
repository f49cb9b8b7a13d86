/**
 * `node bench/receipts.ts [--rounds 3] [--mails 20000] [--seconds 10] [--every 50] [--connections 16] [--load 4]`: receipts from the request
 * to the last byte in a mail server's hands, one every 50 ms: for so many seconds alone, then for as long as a campaign of so many mails leaves through
 * the same Tidings and the same mail server; in turn. Then requests a second of `/send`, while they leave, beside those of
 * `track` and of a management write that changes a goal, from so many connections for so many seconds each, in turn.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createClient } from "@tidings/client";
import { insertRecipients, setSender } from "./campaign.ts";
import { BODY, SUBJECT } from "./library-mail.ts";
import { httpRequest, type Load, load } from "./load.ts";
import { startBaseline, startTidings } from "./processes.ts";
import { inTurn, median, printCpu, ratio } from "./report.ts";
import { trackRequests } from "./track-load.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    mails: { type: "string", default: "20000" },
    seconds: { type: "string", default: "10" },
    every: { type: "string", default: "50" },
    connections: { type: "string", default: "16" },
    load: { type: "string", default: "4" },
  },
});
const [ROUNDS, MAILS, SECONDS, EVERY_MS, CONNECTIONS, LOAD_SECONDS] = [
  values.rounds,
  values.mails,
  values.seconds,
  values.every,
  values.connections,
  values.load,
].map(Number) as [number, number, number, number, number, number];
/** What 99 of 100 receipts may take beside a campaign, in milliseconds. */
const MOST_MS = 1_000;
/** How long a run waits at most for mail that is on its way, in milliseconds. */
const PATIENCE_MS = 600_000;
/** Goals that are changed in turn, so that requests at once do not wait for each other. */
const GOALS = 64;

const sink = await startBaseline("./smtp-sink.ts");
const tidings = await startTidings();
const api = createClient(`http://127.0.0.1:${tidings.port}`, tidings.secretKey);
const sinkUrl = `http://127.0.0.1:${sink.port}`;

const countsOfSink = async (path = "/") =>
  (await fetch(`${sinkUrl}${path}`)).json() as Promise<{ port: number; messages: number; doubled: number }>;

async function until(isSo: () => Promise<boolean>, what: string): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !(await isSo()); await sleep(100))
    if (Date.now() > end) throw new Error(`It took too long until ${what}.`);
}

let sequence = 0;
const addressOf = (n: number): string => `receipt-${n}@example.com`;

/** The body of a request for a receipt with ten lines, to an address that is new. */
const bodyOf = (n: number): string =>
  JSON.stringify({
    template: "receipt",
    to: { email: addressOf(n), name: `Person ${n}` },
    data: {
      order: { number: `A-${n}`, total: "240.00" },
      items: Array.from({ length: 10 }, (_, item) => ({ name: `Item ${item}`, price: "24.00" })),
    },
  });

async function request(n: number): Promise<number> {
  const began = performance.timeOrigin + performance.now();
  const response = await fetch(`http://127.0.0.1:${tidings.port}/api/v1/send`, {
    method: "POST",
    headers: { authorization: `Bearer ${tidings.secretKey}`, "content-type": "application/json" },
    body: bodyOf(n),
  });
  if (response.status !== 201) throw new Error(await response.text());
  await response.arrayBuffer();
  return began;
}

type Waits = { p50: number; p99: number; count: number };

/** Requests receipts, one every so many milliseconds, while `goesOn`; answers how long they took, in milliseconds. */
async function receiptsWhile(goesOn: () => boolean): Promise<Waits> {
  const first = sequence;
  const requests: Promise<number>[] = [];
  for (let next = performance.now(); goesOn() || requests.length === 0; next += EVERY_MS) {
    await sleep(Math.max(0, next - performance.now()));
    requests.push(request(sequence++));
  }
  const began = await Promise.all(requests);
  const taken: Record<string, number> = {};
  await until(async () => {
    Object.assign(taken, await (await fetch(`${sinkUrl}/receipts`)).json());
    return began.every((_, index) => taken[addressOf(first + index)] !== undefined);
  }, "each receipt was taken");
  const waits = began
    .map((at, index) => (taken[addressOf(first + index)] ?? Number.NaN) - at)
    .toSorted((a, b) => a - b);
  const at = (share: number): number =>
    waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? 0;
  return { p50: at(0.5), p99: at(0.99), count: waits.length };
}

async function alone(): Promise<Waits> {
  const end = performance.now() + SECONDS * 1_000;
  return receiptsWhile(() => performance.now() < end);
}

/** Receipts from the first mail of a campaign to its last one; and its mails a second, these receipts left out. */
async function besideCampaign(): Promise<Waits & { mailsPerSecond: number }> {
  await countsOfSink("/?reset");
  const { campaign } = await api.createCampaign({
    body: { name: "News", channel: "email", launch: true, message: { subject: SUBJECT, body: BODY } },
  });
  await until(async () => (await countsOfSink()).messages > 0, "a campaign began");
  const began = performance.now();
  let leaves = true;
  let seconds = 0;
  const ending = until(async () => {
    const { accepted } = await api.getCampaignEmail({ path: { id: campaign.id } });
    return accepted >= MAILS;
  }, "a campaign had left").finally(() => {
    leaves = false;
    seconds = (performance.now() - began) / 1_000;
  });
  const [waits] = await Promise.all([receiptsWhile(() => leaves), ending]);
  await api.setCampaignStatus({ path: { id: campaign.id }, body: { action: "end" } });
  return { ...waits, mailsPerSecond: MAILS / seconds };
}

async function measureWaits(): Promise<void> {
  const rounds: { alone: Waits; beside: Waits }[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const [before, beside] = [await alone(), await besideCampaign()];
    rounds.push({ alone: before, beside });
    const shown = ({ p50, p99, count }: Waits): string =>
      `p50 ${p50.toFixed(1)} ms  p99 ${p99.toFixed(1)} ms (${count} receipts)`;
    console.log(
      `round ${round}  alone ${shown(before)}; beside a campaign ${shown(beside)}, whose mails left at ${beside.mailsPerSecond.toFixed(0)}/s; ${tidings.memoryMb()} MB`,
    );
  }
  const times = (part: "p50" | "p99"): string =>
    median(rounds.map((each) => each.beside[part] / each.alone[part])).toFixed(1);
  const p99 = median(rounds.map(({ beside }) => beside.p99));
  const isReached = p99 <= MOST_MS;
  console.log(
    `${isReached ? "reached" : "MISSED "}  a receipt beside a campaign of ${MAILS} / alone: ${times("p50")} times the median, ${times("p99")} times the p99, which is ${p99.toFixed(0)} ms (at most ${MOST_MS})`,
  );
  if (!isReached) process.exitCode = 1;
}

async function measureRates(): Promise<void> {
  const goals: string[] = [];
  for (let n = 0; n < GOALS; n++)
    goals.push((await api.createGoal({ body: { name: `Goal ${n}`, targetEvent: "upgraded" } })).goal.id);
  const key = tidings.secretKey;
  const track = trackRequests({ users: 100_000, repeatedPercent: 0 });
  let changes = 0;
  const requests = {
    "/send": () => httpRequest("POST", "/api/v1/send", key, bodyOf(sequence++)),
    track: () => track(tidings.publishableKey),
    "a goal is changed": () => {
      const n = changes++;
      return httpRequest("PATCH", `/api/v1/goals/${goals[n % GOALS]}`, key, `{"name":"Goal ${n}"}`);
    },
  } as const;
  type Name = keyof typeof requests;
  const drive = async (name: Name, seconds = LOAD_SECONDS): Promise<Load> => {
    const { messages } = await countsOfSink();
    const before = tidings.cpu();
    const result = await load({
      port: tidings.port,
      connections: CONNECTIONS,
      seconds,
      request: requests[name],
    });
    // What was requested leaves before others have their turn, and its processor time is theirs.
    const wanted = name === "/send" ? messages + (result.statuses["201"] ?? 0) : messages;
    await until(async () => (await countsOfSink()).messages >= wanted, "what was requested had left");
    printCpu(before, tidings.cpu(), result);
    return result;
  };
  const names = Object.keys(requests) as Name[];
  for (const name of names) await drive(name, 1);
  const results = await inTurn(ROUNDS, Object.fromEntries(names.map((name) => [name, () => drive(name)])));
  for (const baseline of ["track", "a goal is changed"] as const)
    console.log(
      `/send / ${baseline}: ${ratio(results, "/send", baseline).toFixed(2)} of the requests a second`,
    );
  console.log(`${(await countsOfSink()).doubled} mails doubled`);
}

try {
  const { port } = await countsOfSink();
  await setSender(tidings, `smtp://127.0.0.1:${port}?connections=10`);
  await insertRecipients(tidings, MAILS);
  await api.createCampaign({
    body: {
      name: "Receipt",
      channel: "email",
      purpose: "transactional",
      key: "receipt",
      launch: true,
      message: {
        subject: "Your receipt for order {{ data.order.number }}",
        body: "Thank you!\n\n| Item | Price |\n|:--|--:|\n{% for item in data.items %}| {{ item.name }} | {{ item.price }} |\n{% endfor %}| **Total** | **{{ data.order.total }}** |\n",
      },
    },
  });
  await measureWaits();
  await measureRates();
} finally {
  await tidings.stop();
  await sink.stop();
}

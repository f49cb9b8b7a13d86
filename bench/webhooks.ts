/**
 * `node bench/webhooks.ts [--rounds 3] [--messages 30000] [--latencies 0,20] [--backlog 1000000]`: messages that wait for a webhook, until all of them are
 * delivered to a server on loopback in a process of its own, which answers at once, or after 20 ms. Beside it a loop that posts the last of
 * these bodies as often, with 20 requests under way, and writes nothing down. Then what looking at a webhook costs for which a million wait.
 */
import { once } from "node:events";
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type pg from "pg";
import { fillUsers } from "./filled.ts";
import { startBaseline, startTidings } from "./processes.ts";
import { median, verdict } from "./report.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    messages: { type: "string", default: "30000" },
    latencies: { type: "string", default: "0,20" },
    backlog: { type: "string", default: "1000000" },
  },
});
const [ROUNDS, COUNT, BACKLOG] = [values.rounds, values.messages, values.backlog].map(Number) as [
  number,
  number,
  number,
];
const IN_FLIGHT = 20;
const LATENCIES_MS = values.latencies.split(",").map(Number);

const receiver = await startBaseline("./webhook-receiver.ts");
const receiverUrl = `http://127.0.0.1:${receiver.port}`;
const tidings = await startTidings({ WEBHOOKS_PRIVATE: "1" });
const api = `http://127.0.0.1:${tidings.port}/api/v1`;
const headers = { authorization: `Bearer ${tidings.secretKey}`, "content-type": "application/json" };

async function makeWebhook(url: string): Promise<{ id: string; uuid: string }> {
  const body = JSON.stringify({ url, types: ["*"] });
  const response = await fetch(`${api}/webhooks`, { method: "POST", headers, body });
  if (!response.ok) throw new Error(await response.text());
  const { id } = ((await response.json()) as { webhook: { id: string } }).webhook;
  return { id, uuid: id.slice(id.indexOf("_") + 1) };
}

/** Writes messages about `people`, as identify would have. */
const writeMessages = (db: pg.Client, webhook: string, count: number) =>
  db.query(
    `insert into webhook_messages (lane, webhook_id, project_id, type, happened_at, object, user_key)
    select p.lane, $1, p.project_id, 'user.identified', $2::int8, p.user_key, p.user_key
    from generate_series(0, $3::int - 1) g join people p on p.n = g % $4`,
    [webhook, Date.now(), count, COUNT],
  );

type Sent = { rate: number; node: number; postgres: number };

/** Messages a second from the commit that wrote them to the one that says of the last that it is delivered; µs of the processor of each. */
async function send(db: pg.Client, webhook: string): Promise<Sent> {
  await writeMessages(db, webhook, COUNT);
  const [began, before] = [performance.now(), tidings.cpu()];
  for (let left = true; left; ) {
    await sleep(50);
    const open =
      "select 1 from webhook_messages where webhook_id = $1 and state in ('waiting', 'sending') limit 1";
    left = (await db.query(open, [webhook])).rows.length > 0;
  }
  const [seconds, after] = [(performance.now() - began) / 1_000, tidings.cpu()];
  await db.query("vacuum analyze webhook_messages, webhook_attempts");
  const each = (used: number): number => (used * 1e6) / COUNT;
  return {
    rate: COUNT / seconds,
    node: each(after.node - before.node),
    postgres: each(after.postgres - before.postgres),
  };
}

/** The same number of posts of the last body by a loop that does nothing else; per second. */
async function sendBare(latencyMs: number): Promise<number> {
  const { last } = (await (await fetch(receiverUrl)).json()) as {
    last: { headers: Record<string, string>; body: string };
  };
  const agent = new Agent({ keepAlive: true });
  const { host: _host, connection: _connection, ...theirs } = last.headers;
  let left = COUNT;
  const work = async (): Promise<void> => {
    while (left-- > 0) {
      const sent = request(`${receiverUrl}/${latencyMs}`, { method: "POST", agent, headers: theirs });
      sent.end(last.body);
      const [answer] = await once(sent, "response");
      answer.resume();
      await once(answer, "end");
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  agent.destroy();
  return (COUNT * 1_000) / (performance.now() - began);
}

async function timed(what: string, run: () => Promise<unknown>): Promise<void> {
  const took: number[] = [];
  for (let n = 0; n < 5; n++) {
    const began = performance.now();
    await run();
    took.push(performance.now() - began);
  }
  console.log(`with ${BACKLOG} that wait  ${what.padEnd(30)} ${median(took).toFixed(1)} ms`);
}

async function get(path: string): Promise<void> {
  const response = await fetch(`${api}${path}`, { headers });
  if (!response.ok) throw new Error(await response.text());
  await response.arrayBuffer();
}

/** What looking costs while a million messages wait for a server that is not there. */
async function measureBacklog(db: pg.Client): Promise<void> {
  const { id, uuid } = await makeWebhook("http://127.0.0.1:9/");
  await writeMessages(db, uuid, BACKLOG);
  await db.query("vacuum analyze webhook_messages");
  const cpu = tidings.cpu();
  await sleep(20_000);
  const after = tidings.cpu();
  const { rows } = await db.query<{ count: number }>(
    "select count(*)::int as count from webhook_attempts where webhook_id = $1",
    [uuid],
  );
  console.log(
    `with ${BACKLOG} that wait  20 s: ${rows[0]?.count} attempts since they were written; of a second of a processor node ${((after.node - cpu.node) * 50).toFixed(0)} ms, postgres ${((after.postgres - cpu.postgres) * 50).toFixed(0)} ms`,
  );
  await timed("list of webhooks", () => get("/webhooks"));
  for (const state of ["waiting", "delivered", "given_up"])
    await timed(`list of messages, ${state}`, () => get(`/webhooks/${id}/messages?state=${state}`));
  await timed("list of messages", () => get(`/webhooks/${id}/messages`));
  // The users were written by hand, so that other checks find what was never counted, and the command fails.
  const doctor = await tidings.command("doctor").catch((cause: { stdout: string }) => cause.stdout);
  for (const line of doctor.split("\n").filter((each) => each.includes("webhooks:")))
    console.log(line.trim());
}

try {
  const db = await tidings.connect();
  await fillUsers(db, tidings.projectId, { until: COUNT });
  const webhooks = new Map<number, string>();
  for (const latencyMs of LATENCIES_MS)
    webhooks.set(latencyMs, (await makeWebhook(`${receiverUrl}/${latencyMs}`)).uuid);
  await db.query("vacuum analyze");
  const ratios = new Map(LATENCIES_MS.map((latencyMs) => [latencyMs, [] as number[]]));
  for (let round = 1; round <= ROUNDS; round++) {
    for (const [latencyMs, webhook] of webhooks) {
      const sent = await send(db, webhook);
      const bare = await sendBare(latencyMs);
      ratios.get(latencyMs)?.push(sent.rate / bare);
      console.log(
        `round ${round}  ${latencyMs} ms: ${sent.rate.toFixed(0)}/s (${sent.node.toFixed(0)} µs of Node, ${sent.postgres.toFixed(0)} µs of PostgreSQL), bare ${bare.toFixed(0)}/s`,
      );
    }
  }
  for (const [latencyMs, each] of ROUNDS > 0 ? ratios : [])
    verdict(`messages a second / a bare loop, ${latencyMs} ms`, median(each), latencyMs === 0 ? 0.15 : 0.6);
  if (BACKLOG > 0) await measureBacklog(db);
  await db.end();
} finally {
  await tidings.stop();
  await receiver.stop();
}

/**
 * `node bench/email-soak.ts [--recipients 200000]`: two campaigns to everyone, the second launched while the first goes out. One in
 * fifty addresses does not exist; one in a hundred who got the first message complains, one in a hundred unsubscribes with one
 * click, while both go out. No recipient may get a message that was planned after they were suppressed. Exits 1 if one did.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createClient } from "@tidings/client";
import { insertRecipients, setSender } from "./campaign.ts";
import { startTidings } from "./processes.ts";
import { startSink } from "./sink.ts";

const { values } = parseArgs({ options: { recipients: { type: "string", default: "200000" } } });
const RECIPIENTS = Number(values.recipients);
const CONNECTIONS = 20;

const numberOf = (address: string): number => Number(/\d+/.exec(address)?.[0]);
const doesNotExist = (address: string): boolean => numberOf(address) % 50 === 3;
const complains = (address: string): boolean => numberOf(address) % 100 === 11;
const unsubscribes = (address: string): boolean => numberOf(address) % 100 === 12;

const headerOf = (message: Buffer, name: string): string =>
  new RegExp(`^${name}:\\s*<([^>]+)>`, "im").exec(
    message.toString("latin1", 0, 4_000).replace(/\r\n[ \t]+/g, ""),
  )?.[1] ?? "";

/** A complaint as mailbox providers report it (RFC 5965). */
const abuseReport = (messageId: string): string =>
  [
    "From: <fbl@mailbox.example>",
    "To: <abuse@acme.example>",
    "Subject: complaint",
    "MIME-Version: 1.0",
    'Content-Type: multipart/report; report-type=feedback-report; boundary="b"',
    "",
    "--b",
    "Content-Type: text/plain",
    "",
    "This is an abuse report.",
    "--b",
    "Content-Type: message/feedback-report",
    "",
    "Feedback-Type: abuse",
    "User-Agent: mailbox/1.0",
    "Version: 1",
    "--b",
    "Content-Type: text/rfc822-headers",
    "",
    `Message-ID: <${messageId}>`,
    "Subject: First",
    "",
    "--b--",
    "",
  ].join("\r\n");

/** When each address was suppressed for certain: its request was answered, or its recipient refused. */
const suppressedAt = new Map<string, number>();
const got = { First: new Map<string, number>(), Second: new Map<string, number>() };
const reports: (() => Promise<void>)[] = [];

const sink = await startSink({
  refuses(to) {
    if (!doesNotExist(to)) return false;
    if (!suppressedAt.has(to)) suppressedAt.set(to, Date.now());
    return true;
  },
  takes(to, message) {
    const subject = message.includes("Subject: First") ? "First" : "Second";
    got[subject].set(to, (got[subject].get(to) ?? 0) + 1);
    if (subject !== "First") return;
    if (complains(to)) {
      const report = abuseReport(headerOf(message, "Message-ID"));
      reports.push(() => post(to, `${url}/hooks/email/inbound`, report, "message/rfc822"));
    } else if (unsubscribes(to)) {
      const link = headerOf(message, "List-Unsubscribe");
      reports.push(() => post(to, link, "List-Unsubscribe=One-Click", "application/x-www-form-urlencoded"));
    }
  },
});
const tidings = await startTidings();
const url = `http://127.0.0.1:${tidings.port}`;
const failed = { count: 0 };

async function post(to: string, address: string, body: string, contentType: string): Promise<void> {
  const answer = await fetch(address, { method: "POST", body, headers: { "content-type": contentType } });
  await answer.arrayBuffer();
  if (answer.ok) suppressedAt.set(to, Date.now());
  else failed.count++;
}

let isOver = false;
/** Works the reports off as they come in. */
async function reporter(): Promise<void> {
  for (;;) {
    const report = reports.shift();
    if (report !== undefined) await report();
    else if (isOver) return;
    else await sleep(20);
  }
}

try {
  await setSender(tidings, `smtp://127.0.0.1:${sink.port}?connections=${CONNECTIONS}`);
  await insertRecipients(tidings, RECIPIENTS);
  const api = createClient(url, tidings.secretKey);
  const launch = async (subject: string): Promise<string> => {
    const message = { subject, body: "Hello {{ user.name }}, [read on](https://acme.example/)" };
    const { campaign } = await api.createCampaign({
      body: { name: subject, channel: "email", launch: true, message },
    });
    return campaign.id;
  };
  const began = Date.now();
  const reporters = Promise.all(Array.from({ length: 8 }, reporter));
  const first = await launch("First");
  while (got.First.size < RECIPIENTS * 0.6) await sleep(100);
  const suppressedBefore = new Set(suppressedAt.keys());
  const second = await launch("Second");
  const read = (id: string) => api.getCampaignEmail({ path: { id } });
  for (;;) {
    const [a, b] = [await read(first), await read(second)];
    const isDone = [a, b].every(
      ({ planning, waiting, sending }) =>
        planning.passes > 0 && !planning.underWay && waiting + sending === 0,
    );
    if (isDone) break;
    await sleep(500);
  }
  isOver = true;
  await reporters;
  const seconds = (Date.now() - began) / 1_000;
  for (const [name, id] of [
    ["first", first],
    ["second", second],
  ] as const) {
    const { planned, accepted, unknown, failed: refused, frequencyCapped, suppressed } = await read(id);
    const sum = accepted + unknown + refused + frequencyCapped + suppressed;
    console.log(
      `${name}: ${planned} planned = ${accepted} accepted + ${unknown} unknown + ${refused} failed + ${frequencyCapped} capped + ${suppressed} suppressed${sum === planned ? "" : "  DOES NOT ADD UP"}`,
    );
    if (sum !== planned) process.exitCode = 1;
  }
  const db = await tidings.connect();
  const { rows } = await db.query<{ late: number }>(
    `select count(*)::int as late from email_sends s
    join deliveries d using (lane, user_key, campaign_id)
    join email_addresses a on a.lane = s.address_lane and a.address_key = s.address_key
    where s.status in ('accepted', 'unknown') and a.suppressed_at < d.queued_at`,
  );
  await db.end();
  const late = rows[0]?.late ?? 0;
  const wronged = [...suppressedBefore].filter((address) => got.Second.has(address)).length;
  const doubled = [...got.First.values(), ...got.Second.values()].filter((count) => count > 1).length;
  console.log(
    `${suppressedAt.size} suppressed while sending, ${suppressedBefore.size} of them before the second campaign was planned; ${failed.count} reports refused`,
  );
  console.log(
    `${wronged} got a message that was planned after they were suppressed; ${doubled} got one twice`,
  );
  console.log(
    `${((got.First.size + got.Second.size) / seconds).toFixed(0)} messages/s with all of it, ${tidings.memoryMb()} MB`,
  );
  if (wronged > 0 || late > 0 || doubled > 0 || failed.count > 0) process.exitCode = 1;
} finally {
  await tidings.stop();
  sink.server.close();
}

import { setTimeout as sleep } from "node:timers/promises";
import { type Client, createClient } from "@tidings/client";
import { ask, keysFrom, until } from "../commands/spawned.ts";
import { startSmtp, type Taken } from "../peers/smtp.ts";
import { randomFrom } from "./random.ts";
import { type CrashServer, createCrashServer, type KillMode } from "./server.ts";

export type ReceiptCrashOptions = {
  kills: number;
  mails: number;
  seed: number;
  say: (line: string) => void;
};

export type ReceiptCrashReport = {
  /** Mails that were requested, each answered with 201 in the end. */
  requested: number;
  accepted: number;
  unknown: number;
  /** Requests that were sent again, because no answer came. */
  repeated: number;
  /** What contradicts what was promised, in words. */
  faults: string[];
  differences: number;
};

const CONNECTIONS = 5;
/** Messages that one connection has under way when the server dies: on the wire, and begun while that one waits for its outcome. */
const UNDER_WAY = 2 * CONNECTIONS;
const CLIENTS = 8;
const ANSWER_MS = 20_000;
const DONE_MS = 120_000;
/** How many recipients there are: few, so that mails of one template to one recipient come at once. */
const RECIPIENTS = 12;
const FILE = Buffer.from("%PDF-1.7 a receipt").toString("base64");

/** The body of the mail of a number: of a template, of a sensitive one, or written by code, which has a file. */
function bodyOf(number: number) {
  const to = { email: `user-${number % RECIPIENTS}@example.com` };
  const kind = number % 3;
  if (kind === 2) {
    const attachments = [{ name: "receipt.pdf", contentType: "application/pdf", content: FILE }];
    return { to, message: { subject: `Mail ${number}`, text: "Thank you." }, attachments };
  }
  return { to, template: kind === 0 ? "receipt" : "reset", data: { number } };
}

const numberOf = ({ raw }: Taken): number =>
  Number(/^Subject: Mail (\d+)\r$/m.exec(raw.toString("latin1"))?.[1]);

async function prepare(server: CrashServer, url: string, smtpPort: number): Promise<string> {
  const { projectId, secretKey } = keysFrom(server.lastLog());
  await server.command(
    "settings",
    "set",
    "--project",
    projectId,
    "--json",
    "email.from=Acme <news@acme.example>",
    "email.domainVerified=true",
    `transactional.smtpUrl=smtp://127.0.0.1:${smtpPort}?connections=${CONNECTIONS}`,
  );
  const api = createClient(url, secretKey);
  for (const [key, sensitive] of [
    ["receipt", false],
    ["reset", true],
  ] as const)
    await api.createCampaign({
      body: {
        name: key,
        channel: "email",
        purpose: "transactional",
        key,
        sensitive,
        launch: true,
        message: { subject: "Mail {{ data.number }}", body: "Number {{ data.number }}" },
      },
    });
  return secretKey;
}

type Requesting = { address: { url: string }; secretKey: string; report: ReceiptCrashReport };

/** Requests a mail until it is answered, under one Idempotency-Key; answers its id, or null where it was refused. */
async function request(
  { address, secretKey, report }: Requesting,
  number: number,
  end: number,
): Promise<string | null> {
  for (; Date.now() < end; await sleep(50), report.repeated++) {
    try {
      const response = await fetch(`${address.url}/api/v1/send`, {
        method: "POST",
        body: JSON.stringify(bodyOf(number)),
        headers: {
          authorization: `Bearer ${secretKey}`,
          "content-type": "application/json",
          "idempotency-key": `mail-${number}`,
        },
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      const text = await response.text();
      if (response.status === 201) return (JSON.parse(text) as { send: { id: string } }).send.id;
      // Another request with the key is under way in a server that is about to die; or the database is gone before its server.
      if (response.status !== 409 && response.status < 500) {
        report.faults.push(`mail ${number}: ${response.status} ${text}`);
        return null;
      }
    } catch {
      // The server was killed.
    }
  }
  report.faults.push(`mail ${number} was never answered`);
  return null;
}

const OPEN = "select count(*)::int as open from email_sends where status in ('waiting', 'sending')";

async function compare(
  api: Client,
  ids: ReadonlyMap<number, string>,
  taken: readonly Taken[],
  report: ReceiptCrashReport,
): Promise<void> {
  const tookOf = Map.groupBy(taken, numberOf);
  for (const [number, id] of ids) {
    const took = tookOf.get(number)?.length ?? 0;
    const { state } = (await api.getSend({ path: { id } })).send;
    if (state === "unknown") report.unknown++;
    else if (state === "delivered") report.accepted++;
    else report.faults.push(`mail ${number} is ${state}`);
    if (took > 1) report.faults.push(`mail ${number} arrived ${took} times`);
    if (took === 0 && state !== "unknown") report.faults.push(`mail ${number} is ${state} and never arrived`);
  }
  for (const number of tookOf.keys())
    if (!ids.has(number)) report.faults.push(`mail ${number} arrived, and was never answered`);
  if (new Set(ids.values()).size < ids.size) report.faults.push("two requests were answered with one mail");
}

/**
 * Requests transactional mail without a pause while the server is killed again and again, repeats what was not answered, and compares what the mail
 * server took with what was answered.
 */
export async function receiptCrashRounds(options: ReceiptCrashOptions): Promise<ReceiptCrashReport> {
  const { kills, mails, say } = options;
  const random = randomFrom(options.seed);
  const report: ReceiptCrashReport = {
    requested: mails,
    accepted: 0,
    unknown: 0,
    repeated: 0,
    faults: [],
    differences: 0,
  };
  const smtp = await startSmtp();
  const server = await createCrashServer();
  try {
    const address = await server.start();
    const secretKey = await prepare(server, address.url, smtp.port);
    const ids = new Map<number, string>();
    let next = 0;
    /** Mails may be requested up to this number: the rest waits for the kills that are still to come. */
    let allowed = 0;
    const end = Date.now() + DONE_MS;
    const client = async (): Promise<void> => {
      while (next < mails && Date.now() < end) {
        if (next >= allowed) await sleep(5);
        else {
          const number = next++;
          const id = await request({ address, secretKey, report }, number, end);
          if (id !== null) ids.set(number, id);
        }
      }
    };
    const clients = Promise.all(Array.from({ length: CLIENTS }, client));
    for (let kill = 1; kill <= kills; kill++) {
      allowed = Math.floor((mails * kill) / (kills + 1));
      const [answered, arrived] = [ids.size, smtp.taken.length];
      await until(() => ids.size > answered, "requests are answered after a start");
      // Some kills come while the first requests are answered, most of them while mail leaves.
      if (random.chance(0.7)) await until(() => smtp.taken.length > arrived, "mail leaves after a start");
      await sleep(random.between(0, 250));
      const mode: KillMode = random.chance(0.7) ? "node" : "node+postgres";
      const first = random.chance(0.5) ? "node" : "postgres";
      await server.kill(mode, { first, gapMs: random.between(0, 20) });
      say(`kill ${kill} (${mode}): ${ids.size} answered, ${smtp.taken.length} arrived`);
      address.url = (await server.start()).url;
    }
    allowed = mails;
    await clients;
    await until(
      async () => (await ask<{ open: number }>(server.dataDir, OPEN))[0]?.open === 0,
      "all mails have reached their end",
      DONE_MS,
    );
    await compare(createClient(address.url, secretKey), ids, smtp.taken, report);
    if (report.unknown > kills * UNDER_WAY)
      report.faults.push(`${report.unknown} are unknown after ${kills} kills, more than were under way`);
    const checked = JSON.parse(await server.command("doctor", "--json")) as { differences: number };
    report.differences = checked.differences;
  } finally {
    await server.dispose();
    await smtp.close();
  }
  return report;
}

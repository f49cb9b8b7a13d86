/**
 * `node bench/email.ts [--rounds 3] [--recipients 50000] [--connections 20] [--baseline 10000]`: a campaign with
 * personal fields to everyone, from its launch to the last message in the hands of a mail server on loopback, everything
 * written down; in turn with nodemailer's pool, which sends messages of the same size to the same server and writes nothing down.
 * With `--pressure`, each campaign is sent once more in a project that limits what a reader gets, which no reader reaches.
 */
import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs, promisify } from "node:util";
import { createClient } from "@tidings/client";
import { insertRecipients, setSender } from "./campaign.ts";
import { BODY, SUBJECT } from "./library-mail.ts";
import { type Started, startBaseline, startTidings, type TidingsUnderLoad } from "./processes.ts";
import { median } from "./report.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    recipients: { type: "string", default: "50000" },
    connections: { type: "string", default: "20" },
    baseline: { type: "string", default: "10000" },
    pressure: { type: "boolean", default: false },
  },
});
const [ROUNDS, RECIPIENTS, CONNECTIONS, BASELINE] = [
  values.rounds,
  values.recipients,
  values.connections,
  values.baseline,
].map(Number) as [number, number, number, number];

const run = promisify(execFile);
const pathOf = (file: string): string => new URL(file, import.meta.url).pathname;

type Counts = {
  port: number;
  messages: number;
  bytes: number;
  distinct: number;
  doubled: number;
  lastAt: number;
};

const counts = async ({ port }: Started, reset = false): Promise<Counts> =>
  (await fetch(`http://127.0.0.1:${port}/${reset ? "?reset" : ""}`)).json() as Promise<Counts>;

async function pooled(sink: Started): Promise<number> {
  const { port } = await counts(sink, true);
  const args = [pathOf("./pooled.ts"), String(port), String(BASELINE), String(CONNECTIONS)];
  const { stdout } = await run(process.execPath, args);
  return (JSON.parse(stdout) as { perSecond: number }).perSecond;
}

/** What a campaign costs: messages a second, and microseconds of processor time each. */
async function measured(tidings: TidingsUnderLoad, sink: Started) {
  const before = tidings.cpu();
  const sent = await campaign(tidings, sink);
  const after = tidings.cpu();
  const each = (seconds: number): number => (seconds / RECIPIENTS) * 1e6;
  return { ...sent, node: each(after.node - before.node), postgres: each(after.postgres - before.postgres) };
}

async function campaign(tidings: TidingsUnderLoad, sink: Started): Promise<Counts & { perSecond: number }> {
  await counts(sink, true);
  const api = createClient(`http://127.0.0.1:${tidings.port}`, tidings.secretKey);
  const began = Date.now();
  await api.createCampaign({
    body: { name: "News", channel: "email", launch: true, message: { subject: SUBJECT, body: BODY } },
  });
  for (let now = await counts(sink); ; now = await counts(sink)) {
    if (now.messages >= RECIPIENTS) return { ...now, perSecond: RECIPIENTS / ((now.lastAt - began) / 1_000) };
    await sleep(250);
  }
}

/** Sets how many messages a reader gets within a week, or goes back to any number. */
async function setPressure({ projectId, command }: TidingsUnderLoad, max: string): Promise<void> {
  await command("settings", "set", "--project", projectId, `pressure.max=${max}`);
}

const sink = await startBaseline("./smtp-sink.ts");
const tidings = await startTidings();
try {
  await setSender(tidings, `smtp://127.0.0.1:${(await counts(sink)).port}?connections=${CONNECTIONS}`);
  await insertRecipients(tidings, RECIPIENTS);
  const rates: { tidings: number; pooled: number }[] = [];
  const limits: number[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const baseline = await pooled(sink);
    const sent = await measured(tidings, sink);
    rates.push({ tidings: sent.perSecond, pooled: baseline });
    console.log(
      `round ${round}  tidings ${sent.perSecond.toFixed(0)}/s  nodemailer's pool ${baseline.toFixed(0)}/s  ratio ${(sent.perSecond / baseline).toFixed(2)}  ` +
        `${(sent.bytes / sent.messages / 1_024).toFixed(1)} KB each, ${sent.doubled} doubled; µs per message: node ${sent.node.toFixed(0)}, ` +
        `postgres ${sent.postgres.toFixed(0)}; ${tidings.memoryMb()} MB`,
    );
    if (!values.pressure) continue;
    await setPressure(tidings, "1000");
    const limited = await measured(tidings, sink);
    await setPressure(tidings, "");
    limits.push(limited.perSecond / sent.perSecond);
    console.log(
      `  with pressure ${limited.perSecond.toFixed(0)}/s, ${(limited.perSecond / sent.perSecond).toFixed(2)} of that without; µs per message: ` +
        `node ${limited.node.toFixed(0)}, postgres ${limited.postgres.toFixed(0)}; ${limited.doubled} doubled`,
    );
  }
  console.log(
    `${values.pressure ? `median with pressure / without ${median(limits).toFixed(2)}; ` : ""}median ratio ${median(rates.map((rate) => rate.tidings / rate.pooled)).toFixed(2)}, median ${median(rates.map((rate) => rate.tidings)).toFixed(0)}/s`,
  );
} finally {
  await tidings.stop();
  await sink.stop();
}

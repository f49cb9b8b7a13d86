import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@tidings/client";
import { startSmtp } from "../peers/smtp.ts";
import { randomFrom } from "./random.ts";
import { sendingKeys } from "./sender.ts";
import { createCrashServer, type KillMode } from "./server.ts";

export type EmailCrashOptions = {
  rounds: number;
  recipients: number;
  seed: number;
  say: (line: string) => void;
};

export type EmailCrashReport = {
  kills: Record<KillMode, number>;
  planned: number;
  accepted: number;
  unknown: number;
  failed: number;
  /** Messages that the mail server took more than once, of one campaign. */
  doubled: number;
  /** What contradicts what was promised, in words. */
  faults: string[];
  differences: number;
};

const CONNECTIONS = 10;
const DONE_MS = 120_000;
/** Addresses that the mail server does not know: one in fifty. */
const isUnknownAddress = (address: string): boolean => address.startsWith("ghost");

/**
 * Sends campaigns to everyone, kills the server at random instants while they go out, starts it again and lets it finish; then
 * compares what the mail server took with what the house says. Every round is a campaign of its own.
 */
export async function emailCrashRounds(options: EmailCrashOptions): Promise<EmailCrashReport> {
  const { rounds, recipients, say } = options;
  const random = randomFrom(options.seed);
  const report: EmailCrashReport = {
    kills: { node: 0, "node+postgres": 0 },
    planned: 0,
    accepted: 0,
    unknown: 0,
    failed: 0,
    doubled: 0,
    faults: [],
    differences: 0,
  };
  const smtp = await startSmtp({
    onRecipient: (to) => (isUnknownAddress(to) ? { code: 550, text: "5.1.1 No such user" } : null),
  });
  const server = await createCrashServer();
  try {
    let { url } = await server.start();
    const { projectId, secretKey, publishableKey } = await sendingKeys(
      server,
      { port: smtp.port, connections: CONNECTIONS },
      // All recipients come within one hour, with the public key.
      "identity.newAddressesPerHour=1000000",
    );
    const sdk = createClient(url, publishableKey);
    for (let first = 0; first < recipients; first += 100) {
      await Promise.all(
        Array.from({ length: Math.min(100, recipients - first) }, (_, i) => {
          const name = `${(first + i) % 50 === 7 ? "ghost" : "user"}-${first + i}`;
          return sdk.identify({ body: { userId: name, traits: { email: `${name}@example.com` } } });
        }),
      );
    }
    const setCap = (max: number) =>
      server.command(
        "settings",
        "set",
        "--project",
        projectId,
        `email.capMax=${max}`,
        "email.overCap=postpone",
      );
    const killTimes = async (times: number): Promise<void> => {
      for (let kill = 0; kill < times; kill++) {
        await sleep(random.between(0, 60 + recipients / 4));
        const mode: KillMode = random.chance(0.7) ? "node" : "node+postgres";
        const first = random.chance(0.5) ? "node" : "postgres";
        await server.kill(mode, { first, gapMs: random.between(0, 20) });
        report.kills[mode]++;
        ({ url } = await server.start());
      }
    };
    for (let round = 1; round <= rounds; round++) {
      const before = smtp.taken.length;
      // All recipients had a mail in the rounds before, so that a cap of one postpones those of this round.
      const isPostponed = round % 2 === 0;
      const once = round % 3 !== 0;
      if (isPostponed) await setCap(1);
      const { campaign } = await createClient(url, secretKey).createCampaign({
        body: {
          name: `Round ${round}`,
          channel: "email",
          launch: true,
          once,
          message: { subject: `Round ${round}`, body: "Hello {{ user.id }}" },
        },
      });
      const kills = random.between(1, 3);
      await killTimes(kills);
      if (isPostponed) {
        await setCap(0);
        await killTimes(1);
      }
      const api = createClient(url, secretKey);
      const read = () => api.getCampaignEmail({ path: { id: campaign.id } });
      let now = await read();
      if (now.frequencyCapped > 0)
        report.faults.push(`round ${round}: ${now.frequencyCapped} were left out, and not postponed`);
      const until = Date.now() + DONE_MS;
      const isDone = () =>
        now.planning.passes > 0 && !now.planning.underWay && now.waiting === 0 && now.sending === 0;
      for (; !isDone() && Date.now() < until; now = await read()) await sleep(100);
      if (!isDone()) report.faults.push(`round ${round} did not end: ${JSON.stringify(now)}`);
      const took = smtp.taken.slice(before).filter(({ raw }) => raw.includes(`Subject: Round ${round}\r\n`));
      const distinct = new Set(took.map(({ to }) => to)).size;
      report.doubled += took.length - distinct;
      report.planned += now.planned;
      report.accepted += now.accepted;
      report.unknown += now.unknown;
      report.failed += now.failed;
      const sum = now.accepted + now.unknown + now.failed + now.frequencyCapped + now.suppressed;
      if (sum !== now.planned)
        report.faults.push(`round ${round}: ${sum} of ${now.planned} are accounted for`);
      if (now.accepted > distinct)
        report.faults.push(`round ${round}: ${now.accepted} accepted, ${distinct} arrived`);
      if (distinct > now.accepted + now.unknown)
        report.faults.push(
          `round ${round}: ${distinct} arrived, ${now.accepted} accepted, ${now.unknown} unknown`,
        );
      if (now.planned + (round === 1 ? 0 : report.failed) < recipients)
        report.faults.push(`round ${round}: ${now.planned} of ${recipients} were planned`);
      const readCampaign = async () => (await api.getCampaign({ path: { id: campaign.id } })).campaign;
      // One that is sent once ends by itself, but waits for a person where a message is unknown.
      const endsSoon = once && now.unknown === 0;
      let after = await readCampaign();
      for (; endsSoon && after.status !== "ended" && Date.now() < until; after = await readCampaign())
        await sleep(100);
      if ((after.status === "ended") !== endsSoon)
        report.faults.push(`round ${round}: ${after.status}, with ${now.unknown} unknown`);
      if (after.stats.sent !== now.accepted)
        report.faults.push(
          `round ${round}: stats say ${after.stats.sent} sent, ${now.accepted} were accepted`,
        );
      say(
        `round ${round}: ${kills} kills${isPostponed ? " and one after the cap was taken away" : ""}, ${now.planned} planned, ${now.accepted} accepted, ${now.unknown} unknown, ${now.failed} failed, ${distinct} arrived, ${took.length - distinct} doubled`,
      );
    }
    const checked = JSON.parse(await server.command("doctor", "--json")) as { differences: number };
    report.differences = checked.differences;
  } finally {
    await server.dispose();
    await smtp.close();
  }
  return report;
}

import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@tidings/client";
import type { ProjectKeys } from "../../src/features/access/public.ts";
import { pushFaults, untilFinished } from "../crash/push-rounds.ts";
import { type ApnsPeer, startApns } from "../peers/apns.ts";
import { type SmtpPeer, startSmtp } from "../peers/smtp.ts";
import { asProject, PUSH, putCredential, reachable, MESSAGE as WORDS } from "../push.ts";

/** Campaigns that leave the house while it is disturbed, one after the other, and what became of them. */
export type Sends = {
  campaigns: number;
  accepted: number;
  unknown: number;
  doubled: number;
  faults: string[];
};

export type Sending = {
  /** What the processes have to know of where it goes. */
  environment: Record<string, string>;
  /** Launches campaigns until it is over, then waits until all are finished and compares them with what arrived. */
  email(url: string, keys: ProjectKeys, isOver: () => boolean): Promise<Sends>;
  push(url: string, keys: ProjectKeys, isOver: () => boolean): Promise<Sends>;
  /** Those whom it goes to. */
  invite(url: string, mail: ProjectKeys, push: ProjectKeys, counts: Audience): Promise<void>;
  settings(): string[];
  close(): Promise<void>;
};

export type Audience = { recipients: number; devices: number };

const SMTP_LATENCY_MS = 30;
const APNS_LATENCY_MS = 300;
const CONNECTIONS = 4;
const AT_ONCE = 40;
const FINISHED_WITHIN_MS = 150_000;
const LOOK_AGAIN_MS = 100;
/** The next campaign comes when the one before is out, or has had this long for it. */
const NEXT_AFTER_MS = 4_000;

const projectOf = (keys: ProjectKeys, url: string) => asProject(keys, url, (key) => createClient(url, key));

async function inGroups(count: number, act: (index: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < count; from += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, n) => act(from + n)));
}

async function emailCampaigns(smtp: SmtpPeer, url: string, keys: ProjectKeys, isOver: () => boolean) {
  const { api } = projectOf(keys, url);
  const found: Sends = { campaigns: 0, accepted: 0, unknown: 0, doubled: 0, faults: [] };
  const launched: string[] = [];
  const read = (id: string) => api.getCampaignEmail({ path: { id } });
  const isFinished = async (id: string): Promise<boolean> => {
    const { planning, waiting, sending } = await read(id);
    return planning.passes > 0 && !planning.underWay && waiting === 0 && sending === 0;
  };
  while (!isOver()) {
    const subject = `Campaign ${launched.length}.`;
    const { campaign } = await api.createCampaign({
      body: {
        name: subject,
        channel: "email",
        launch: true,
        message: { subject, body: "Hello {{ user.id }}" },
      },
      headers: { "idempotency-key": subject },
    });
    launched.push(campaign.id);
    // What is in flight in a stopped process does not delay the next campaign.
    const next = Date.now() + NEXT_AFTER_MS;
    while (!isOver() && Date.now() < next && !(await isFinished(campaign.id))) await sleep(LOOK_AGAIN_MS);
  }
  found.campaigns = launched.length;
  const until = Date.now() + FINISHED_WITHIN_MS;
  for (const [index, id] of launched.entries()) {
    while (!(await isFinished(id)) && Date.now() < until) await sleep(LOOK_AGAIN_MS);
    const now = await read(id);
    const took = smtp.taken.filter(({ raw }) => raw.includes(`Subject: Campaign ${index}.\r\n`));
    const arrived = new Set(took.map(({ to }) => to)).size;
    const { planned, accepted, unknown, failed } = now;
    found.accepted += accepted;
    found.unknown += unknown;
    found.doubled += took.length - arrived;
    const isSound = accepted <= arrived && arrived <= accepted + unknown && failed === 0;
    if (!isSound || accepted + unknown !== planned)
      found.faults.push(`email campaign ${index}: ${arrived} arrived, ${JSON.stringify(now)}`);
    const { campaign } = await api.getCampaign({ path: { id } });
    if (campaign.stats.sent !== accepted)
      found.faults.push(`email campaign ${index}: stats say ${campaign.stats.sent}, ${accepted} accepted`);
  }
  return found;
}

async function pushCampaigns(apns: ApnsPeer, url: string, keys: ProjectKeys, isOver: () => boolean) {
  const project = projectOf(keys, url);
  const isOut = async (id: string): Promise<boolean> => {
    const { slots } = await project.api.getCampaignPush({ path: { id }, query: { perPage: 100 } });
    return slots.length > 0 && slots.every(({ state }) => state.kind === "accepted");
  };
  const found: Sends = { campaigns: 0, accepted: 0, unknown: 0, doubled: 0, faults: [] };
  const launched: string[] = [];
  while (!isOver()) {
    const name = `Push ${launched.length}`;
    const { campaign } = await project.api.createCampaign({
      body: { name, channel: "push", launch: true, push: PUSH, message: WORDS },
      headers: { "idempotency-key": name },
    });
    launched.push(campaign.id);
    const next = Date.now() + NEXT_AFTER_MS;
    while (!isOver() && Date.now() < next && !(await isOut(campaign.id))) await sleep(LOOK_AGAIN_MS);
  }
  found.campaigns = launched.length;
  for (const id of launched) {
    const records = await untilFinished(project, id);
    const slots = new Set(records.slots.map((slot) => slot.id));
    const ofThis = <Push extends ApnsPeer["taken"][number]>(pushes: readonly Push[]): Push[] =>
      pushes.filter((push) => slots.has(slotOf(push)));
    const peer = { ...apns, taken: ofThis(apns.taken), requests: ofThis(apns.requests) };
    const unknown = records.outcomes.filter(({ result }) => result.kind === "unknown").length;
    const devices = new Set(peer.taken.map(({ payload }) => payload.tidings.installationId)).size;
    found.accepted += records.slots.filter(({ state }) => state.kind === "accepted").length;
    found.unknown += unknown;
    found.doubled += Math.max(0, peer.taken.length - devices - unknown);
    found.faults.push(...pushFaults(records, peer));
  }
  return found;
}

/** An attempt's id contains that of its slot. */
const slotOf = ({ payload }: ApnsPeer["taken"][number]): string =>
  payload.tidings.attemptId.replace(/^pat_([0-9a-f]+)_\d+$/, "psl_$1");

export async function startSending(): Promise<Sending> {
  const smtp = await startSmtp();
  smtp.behave({ onMessage: () => sleep(SMTP_LATENCY_MS, null) });
  const apns = await startApns({ latencyMs: APNS_LATENCY_MS });
  return {
    environment: { APNS_URL: apns.url, NODE_EXTRA_CA_CERTS: apns.caFile },
    settings: () => [
      "email.from=Acme <news@acme.example>",
      "email.postalAddress=Acme, 1 Main Street",
      "email.domainVerified=true",
      "email.capMax=0",
      `email.smtpUrl=smtp://127.0.0.1:${smtp.port}?connections=${CONNECTIONS}`,
    ],
    async invite(url, mail, push, { recipients, devices }) {
      const { sdk } = projectOf(mail, url);
      await inGroups(recipients, (index) =>
        sdk.identify({ body: { userId: `user-${index}`, traits: { email: `user-${index}@example.com` } } }),
      );
      const project = projectOf(push, url);
      await putCredential(project, apns.credential);
      await inGroups(devices, (index) => reachable(project, `user-${index}`));
    },
    email: (url, keys, isOver) => emailCampaigns(smtp, url, keys, isOver),
    push: (url, keys, isOver) => pushCampaigns(apns, url, keys, isOver),
    async close() {
      await Promise.all([smtp.close(), apns.close()]);
    },
  };
}

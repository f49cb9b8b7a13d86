/**
 * `node bench/push.ts [--to phones|browsers] [--rounds 3] [--installations 100000] [--latency 40]`: a push campaign to a device of each
 * of 100,000 users, to an APNs on loopback (HTTP/2, TLS, a process of its own) that answers after 40 ms, or to the push service of
 * browsers (HTTP/1.1). Beside it a bare client that sends the same number of requests to the same peer and writes nothing down: to
 * phones ready-made ones, to browsers each encrypted for one of them.
 */
import { type ChildProcess, fork } from "node:child_process";
import { createECDH, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { connect } from "node:http2";
import { Agent, request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { importPKCS8, SignJWT } from "jose";
import type pg from "pg";
import { encryptFor } from "../apps/server/src/features/push/providers/encrypt.ts";
import type { ApnsCredential } from "../apps/server/src/features/push/providers/schema.ts";
import { subscriptionText } from "../apps/server/src/features/users/devices/tokens/subscription.ts";
import { countUsers } from "./filled.ts";
import { startTidings, type TidingsUnderLoad } from "./processes.ts";
import { median, verdict } from "./report.ts";

const { values } = parseArgs({
  options: {
    to: { type: "string", default: "phones" },
    rounds: { type: "string", default: "3" },
    installations: { type: "string", default: "100000" },
    latency: { type: "string", default: "40" },
  },
});
const COUNT = Number(values.installations);
const APP = "com.example.app";
const PLATFORM = values.to === "browsers" ? "web" : "ios";
const isToBrowsers = values.to === "browsers";
const CONNECTIONS = 4;
/** As many as the server opens to one push service. */
const BROWSER_CONNECTIONS = 200;
const IN_FLIGHT = 1_000;

type Peer = { url: string; caFile: string; credential: object; process: ChildProcess };

/** One browser stands for all: what is encrypted for it costs as much as for any other. */
const BROWSER = {
  p256dh: createECDH("prime256v1").generateKeys("base64url"),
  auth: randomBytes(16).toString("base64url"),
};
/** How a token begins and ends around its number, as it is stored. */
const aroundNumber = (url: string): readonly [string, string] => {
  const [before = "", after = ""] = isToBrowsers
    ? subscriptionText({ endpoint: `${url}/push/#`, ...BROWSER, applicationServerKey: null }).split("#")
    : ["token-"];
  return [before, after];
};

async function startPeer(): Promise<Peer> {
  const child = fork(new URL("./push-peer.ts", import.meta.url).pathname, [values.to, values.latency]);
  const [started] = (await once(child, "message")) as [Omit<Peer, "process">];
  return { ...started, process: child };
}

const PAYLOAD = JSON.stringify({
  aps: { alert: { title: "Hello there", body: "Something new for you." }, "mutable-content": 1 },
  tidings: { version: 1, content: "x".repeat(400) },
});

/** The same pushes to browsers by a client that does nothing but encrypt and send; per second. */
async function sendBareToBrowsers({ url, caFile }: Peer): Promise<number> {
  const agent = new Agent({ ca: await readFile(caFile), keepAlive: true, maxSockets: BROWSER_CONNECTIONS });
  let next = 0;
  async function work(): Promise<void> {
    while (next < COUNT) {
      const sent = request(`${url}/push/${next++}`, { method: "POST", agent });
      sent.end(encryptFor(BROWSER, PAYLOAD));
      const [answer] = (await once(sent, "response")) as [IncomingMessage];
      if (answer.statusCode !== 201) throw new Error(`The peer answered ${answer.statusCode}.`);
      answer.resume();
      await once(answer, "end");
    }
  }
  const began = performance.now();
  await Promise.all(Array.from({ length: BROWSER_CONNECTIONS }, work));
  const rate = (COUNT * 1_000) / (performance.now() - began);
  agent.destroy();
  return rate;
}

/** The same pushes to phones by a client that does nothing but send; per second. */
async function sendBareToPhones({ url, caFile, credential: given }: Peer): Promise<number> {
  const credential = given as ApnsCredential;
  const ca = await readFile(caFile);
  const jwt = await new SignJWT({})
    .setProtectedHeader({ alg: "ES256", kid: credential.keyId })
    .setIssuer(credential.teamId)
    .setIssuedAt()
    .sign(await importPKCS8(credential.privateKey, "ES256"));
  const sessions = Array.from({ length: CONNECTIONS }, () => connect(url, { ca }));
  await Promise.all(sessions.map((session) => once(session, "remoteSettings")));
  let next = 0;
  async function work(session: ReturnType<typeof connect>): Promise<void> {
    while (next < COUNT) {
      const n = next++;
      const id = `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
      const stream = session.request({
        ":method": "POST",
        ":path": `/3/device/token-${n}`,
        authorization: `bearer ${jwt}`,
        "apns-topic": credential.topic,
        "apns-push-type": "alert",
        "apns-priority": "10",
        "apns-id": id,
        "apns-expiration": "1900000000",
        "apns-collapse-id": id,
      });
      stream.end(PAYLOAD);
      const [headers] = (await once(stream, "response")) as [Record<string, unknown>];
      if (headers[":status"] !== 200) throw new Error(`The peer answered ${String(headers[":status"])}.`);
      stream.resume();
    }
  }
  const began = performance.now();
  await Promise.all(
    sessions.flatMap((session) => Array.from({ length: IN_FLIGHT / CONNECTIONS }, () => work(session))),
  );
  const rate = (COUNT * 1_000) / (performance.now() - began);
  for (const session of sessions) session.close();
  return rate;
}

const KEYS = `
  select n, get_byte(u, 0) >> 2 as user_lane, encode(substring(u from 1 for 16), 'hex')::uuid as user_key,
    get_byte(i, 0) >> 2 as lane, encode(substring(i from 1 for 16), 'hex')::uuid as installation_key,
    get_byte(t, 0) >> 2 as token_lane, encode(substring(t from 1 for 16), 'hex')::uuid as token_key
  from (
    select n, sha256(convert_to($1, 'UTF8') || '\\x00' || convert_to('user-' || n, 'UTF8')) as u,
      sha256(convert_to($1, 'UTF8') || '\\x00' || convert_to('installation', 'UTF8') || '\\x00'
        || convert_to('device-' || n, 'UTF8')) as i,
      sha256(convert_to($1, 'UTF8') || '\\x00' || convert_to('token', 'UTF8') || '\\x00' || convert_to($4, 'UTF8')
        || '\\x00' || convert_to('production', 'UTF8') || '\\x00' || convert_to($3, 'UTF8') || '\\x00'
        || convert_to($5 || n, 'UTF8')) as t
    from generate_series(0, $2::int - 1) n
  ) digests`;

/** Users with a device each, as months of use would have left them. */
async function seed(db: pg.Client, projectId: string, url: string): Promise<void> {
  const [before, after] = aroundNumber(url);
  // A subscription is named by its address.
  const name = isToBrowsers ? `${url}/push/` : before;
  const provider = isToBrowsers ? "webpush" : "apns";
  await db.query(`create temp table seeded as ${KEYS}`, [projectId, COUNT, APP, provider, name]);
  await db.query(
    `insert into users (lane, user_key, project_id, external_id, traits, first_seen_at, last_seen_at)
    select user_lane, user_key, $1, 'user-' || n, jsonb_build_object('name', 'User ' || n, 'plan', 'pro'), $2, $2 from seeded`,
    [projectId, Date.now()],
  );
  await countUsers(db);
  await db.query(
    `insert into installations (lane, installation_key, project_id, installation_id, app_id, platform, environment, verifier,
      user_lane, user_key, user_external_id, binding_generation, revision, token_revision, token_lane, token_key, permission,
      consent, capabilities, last_active_at, created_at)
    select lane, installation_key, $1, 'device-' || n, $3, $4, 'production', '\\x00', user_lane, user_key, 'user-' || n, 1, 3,
      1, token_lane, token_key, 'granted', true, '{"actions": [], "channels": [], "richImages": true}', $2, $2
    from seeded`,
    [projectId, Date.now(), APP, PLATFORM],
  );
  await db.query(
    `insert into installation_tokens (lane, token_key, project_id, installation_lane, installation_key, token)
    select token_lane, token_key, $1, lane, installation_key, $2 || n || $3 from seeded`,
    [projectId, before, after],
  );
  await db.query("drop table seeded");
  await db.query("vacuum analyze");
}

async function call({ port, secretKey }: TidingsUnderLoad, method: string, path: string, body: object) {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${secretKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as { campaign?: { id: string } };
}

type Sent = { perSecond: number; allInMs: number; memoryMb: number };

/** One campaign to everybody: from its launch to the last acceptance. */
async function sendCampaign(tidings: TidingsUnderLoad, db: pg.Client, round: number): Promise<Sent> {
  const cpuBefore = tidings.cpu();
  const began = performance.now();
  const { campaign } = await call(tidings, "POST", "/campaigns", {
    name: `Push ${round}`,
    channel: "push",
    launch: true,
    push: { appId: APP, selection: { kind: "last_active" } },
    message: {
      title: "Hello {{ user.name | default: 'there' }}",
      body: "Something new for you, in a sentence of usual length.",
      destination: { kind: "website", url: "https://shop.tidings.dev/news" },
    },
  });
  const id = campaign?.id.slice("cmp_".length);
  let memoryMb = 0;
  for (let accepted = 0; accepted < COUNT; ) {
    await sleep(250);
    memoryMb = Math.max(memoryMb, tidings.memoryMb());
    const { rows } = await db.query(
      "select coalesce(sum(sent), 0)::int as accepted from campaign_stats where campaign_id = $1",
      [id],
    );
    accepted = rows[0].accepted;
  }
  const allInMs = performance.now() - began;
  const { rows } = await db.query(
    `select (select min(started_at) from push_attempts where campaign_id = $1)::float8 as first,
      max(observed_at)::float8 as last, count(*)::int as outcomes, count(*) filter (where kind = 'accepted')::int as accepted
    from push_outcomes where campaign_id = $1`,
    [id],
  );
  const { first, last, outcomes, accepted } = rows[0];
  if (accepted !== COUNT || outcomes !== COUNT)
    throw new Error(`${outcomes} outcomes, ${accepted} of them accepted`);
  const cpu = tidings.cpu();
  const per = (used: number): string => ((used * 1e6) / COUNT).toFixed(0);
  console.log(
    `         per push: ${per(cpu.node - cpuBefore.node)} µs of Node, ${per(cpu.postgres - cpuBefore.postgres)} µs of PostgreSQL, planning included`,
  );
  return { perSecond: (COUNT * 1_000) / (last - first), allInMs, memoryMb };
}

const peer = await startPeer();
const tidings = await startTidings({
  ...(isToBrowsers ? { WEBPUSH_HOSTS: new URL(peer.url).host } : { APNS_URL: peer.url }),
  NODE_EXTRA_CA_CERTS: peer.caFile,
});
const db = await tidings.connect();
const ratios: number[] = [];
const rates: number[] = [];
try {
  await seed(db, tidings.projectId, peer.url);
  await call(tidings, "PUT", "/push/credentials", {
    appId: APP,
    platform: PLATFORM,
    environment: "production",
    expectedRevision: 0,
    credential: peer.credential,
  });
  for (let round = 1; round <= Number(values.rounds); round++) {
    const bare = await (isToBrowsers ? sendBareToBrowsers(peer) : sendBareToPhones(peer));
    const { perSecond, allInMs, memoryMb } = await sendCampaign(tidings, db, round);
    ratios.push(perSecond / bare);
    rates.push(perSecond);
    console.log(
      `round ${round}  ${perSecond.toFixed(0)} accepted/s (${((COUNT * 1_000) / allInMs).toFixed(0)} from the launch, planning included)  bare client ${bare.toFixed(0)}/s  ${memoryMb} MB`,
    );
  }
  console.log(`of the bare client: ${median(ratios).toFixed(2)}`);
  if (!isToBrowsers) verdict("accepted per second", median(rates), 5_000);
} finally {
  await db.end();
  await tidings.stop();
  peer.process.disconnect();
}

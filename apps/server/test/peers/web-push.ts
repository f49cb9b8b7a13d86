import { createECDH, type ECDH, hash, randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decrypt } from "http_ece";
import { importJWK, jwtVerify } from "jose";
import type { PushEnvelope } from "../../src/features/content/push/payload.pure.ts";
import { trustedCertificate } from "./certificate.ts";

/** A push as the browser of its subscription reads it. */
export type WebPush = {
  endpoint: string;
  /** What the browser decrypted. */
  text: string;
  envelope: PushEnvelope;
  tag: string;
  /** Seconds. */
  ttl: number;
  topic: string;
  urgency: string;
  /** The origin that it came in at, and the sender's token. */
  audience: string;
  vapidToken: string;
};

export type WebPushAnswer =
  | { status: number; headers?: Readonly<Record<string, string>>; body?: string }
  | "silence"
  | "drop";

/** A browser's subscription, as `PushSubscription.toJSON` gives it, with the key that it subscribed with. */
export type BrowserSubscription = {
  endpoint: string;
  expirationTime: null;
  keys: { p256dh: string; auth: string };
  applicationServerKey: string;
};

export type WebPushPeer = {
  /** `https://127.0.0.1:port`, and the same server under its other name. */
  url: string;
  otherUrl: string;
  /** Both as `WEBPUSH_HOSTS` has them. */
  hosts: readonly string[];
  /** NODE_EXTRA_CA_CERTS of another process that should trust it. */
  caFile: string;
  /** A browser subscribes with the key of a sender. */
  subscribe(applicationServerKey: string, at?: string): BrowserSubscription;
  /** The browser ends its subscription. */
  end(subscription: Pick<BrowserSubscription, "endpoint">): void;
  /** In the order in which they were taken. */
  taken: WebPush[];
  /** Every push that was sound, whatever it was answered. */
  requests: WebPush[];
  /** Connections so far. */
  connections(): number;
  behave(next: (push: WebPush) => WebPushAnswer | null): void;
  close(): Promise<void>;
};

type Kept = { key: ECDH; auth: Buffer; applicationServerKey: string; isEnded: boolean };

const refusal = (status: number, reason: string): WebPushAnswer => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ reason }),
});

/** RFC 8292, 2: who sends, to this push service, for a day at most. */
async function senderOf(
  headers: IncomingHttpHeaders,
  now: number,
): Promise<{ token: string; key: string; audience: string } | string> {
  const [, token = "", key = ""] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(headers.authorization ?? "") ?? [];
  const audience = `https://${headers.host}`;
  try {
    const point = Buffer.from(key, "base64url");
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString("base64url"));
    const jwk = { kty: "EC", crv: "P-256", x: x ?? "", y: y ?? "" };
    const { payload } = await jwtVerify(token, await importJWK(jwk, "ES256"), {
      audience,
      algorithms: ["ES256"],
      currentDate: new Date(now),
    });
    if (payload.exp === undefined || payload.exp * 1_000 > now + 86_400_000)
      return "exp is more than a day ahead";
    if (!/^(mailto:.+@.+\..+|https:\/\/.+)$/.test(payload.sub ?? "")) return "sub is no address";
    return { token, key, audience };
  } catch (error) {
    return String(error);
  }
}

/** What is wrong with the headers of a push (RFC 8030, 5); null where nothing is. */
function faultOf(headers: IncomingHttpHeaders): string | null {
  if (!/^\d+$/.test(String(headers.ttl))) return "BadTtl";
  // As Windows' does.
  if (headers.ttl === "0") return "Ttl value conflicts with X-WNS-Cache-Policy.";
  if (!/^[\w-]{1,32}$/.test(String(headers.topic))) return "BadWebPushTopic";
  if (!["very-low", "low", "normal", "high"].includes(String(headers.urgency))) return "BadUrgency";
  return headers["content-encoding"] === "aes128gcm" ? null : "BadEncoding";
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** A push service of browsers on loopback, over HTTP/1.1 with TLS: it judges senders, and reads what it is given as its browsers do. */
export async function startWebPush({
  clock = Date.now,
  latencyMs = 0,
}: {
  clock?: () => number;
  latencyMs?: number;
} = {}): Promise<WebPushPeer> {
  const certificate = await trustedCertificate();
  const folder = mkdtempSync(join(tmpdir(), "tidings-peer-"));
  const caFile = join(folder, "ca.pem");
  writeFileSync(caFile, certificate.cert);
  const known = new Map<string, Kept>();
  const taken: WebPush[] = [];
  const requests: WebPush[] = [];
  let behaviour: (push: WebPush) => WebPushAnswer | null = () => null;
  let connections = 0;

  async function answer(request: IncomingMessage): Promise<WebPushAnswer> {
    const { headers, url = "", method } = request;
    const body = await bytesOf(request);
    const kept = known.get(url);
    if (method !== "POST" || kept === undefined) return refusal(404, "NotFound");
    if (kept.isEnded) return refusal(410, "Unregistered");
    const sender = await senderOf(headers, clock());
    if (typeof sender === "string") return refusal(403, "BadJwtToken");
    if (sender.key !== kept.applicationServerKey) return refusal(403, "BadJwtToken");
    const fault = faultOf(headers);
    if (fault !== null) return { status: 400, headers: { "x-wns-error-description": fault } };
    if (body.length > 4_096) return refusal(413, "PayloadTooLarge");
    const text = decrypt(body, {
      version: "aes128gcm",
      privateKey: kept.key,
      authSecret: kept.auth,
    }).toString();
    const { tidings, tidings_tag } = JSON.parse(text) as { tidings: PushEnvelope; tidings_tag: string };
    const push: WebPush = {
      endpoint: sender.audience + url,
      text,
      envelope: tidings,
      tag: tidings_tag,
      ttl: Number(headers.ttl),
      topic: String(headers.topic),
      urgency: String(headers.urgency),
      audience: sender.audience,
      vapidToken: sender.token,
    };
    requests.push(push);
    const verdict = behaviour(push);
    if (verdict !== null) return verdict;
    taken.push(push);
    return { status: 201, headers: { location: `${sender.audience}/message/${randomUUID()}` } };
  }

  function give(response: ServerResponse, given: WebPushAnswer): void {
    if (given === "silence") return;
    if (given === "drop") response.socket?.destroy();
    else response.writeHead(given.status, given.headers).end(given.body);
  }

  const server = createServer(certificate, (request, response) => {
    void answer(request).then((given) => setTimeout(() => give(response, given), latencyMs));
  });
  server.on("secureConnection", () => {
    connections++;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `https://127.0.0.1:${port}`;
  return {
    url,
    otherUrl: `https://localhost:${port}`,
    hosts: [`127.0.0.1:${port}`, `localhost:${port}`],
    caFile,
    subscribe(applicationServerKey, at = url) {
      const key = createECDH("prime256v1");
      const p256dh = key.generateKeys("base64url");
      const auth = randomBytes(16);
      const path = `/push/${hash("sha256", p256dh, "base64url")}`;
      known.set(path, { key, auth, applicationServerKey, isEnded: false });
      const keys = { p256dh, auth: auth.toString("base64url") };
      return { endpoint: at + path, expirationTime: null, keys, applicationServerKey };
    },
    end({ endpoint }) {
      const kept = known.get(new URL(endpoint).pathname);
      if (kept !== undefined) kept.isEnded = true;
    },
    taken,
    requests,
    connections: () => connections,
    behave(next) {
      behaviour = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

import { createPublicKey } from "node:crypto";
import { text } from "node:stream/consumers";
import { exportPKCS8, generateKeyPair, jwtVerify } from "jose";
import type { PushEnvelope } from "../../src/features/content/push/payload.pure.ts";
import type { FcmCredential } from "../../src/features/push/providers/schema.ts";
import { type Http2Peer, type PeerAnswer, type PeerRequest, startHttp2Peer } from "./http2-peer.ts";

/** A push as the peer took it. */
export type FcmPush = {
  token: string;
  data: Record<string, string>;
  android: { priority: string; ttl: string; collapse_key?: string };
  envelope: PushEnvelope;
  accessToken: string;
};

/** What the token endpoint answers instead of a token. `silence` says nothing, ever. */
export type TokenAnswer = { status: number; headers?: Record<string, string>; body: string } | "silence";

export type FcmPeer = Http2Peer & {
  /** Where access tokens are given out: the same server, over HTTP/1.1. */
  tokenUrl: string;
  credential: FcmCredential;
  /** In the order in which they were taken. */
  taken: FcmPush[];
  /** Every request that was sound, whatever it was answered. */
  requests: FcmPush[];
  /** How often an access token was asked for. */
  tokenRequests(): number;
  /** Takes none of the access tokens that it gave out any more. */
  revoke(): void;
  behave(next: (push: FcmPush) => PeerAnswer | null): void;
  behaveTokens(next: () => TokenAnswer | null): void;
};

export type FcmPeerOptions = {
  clock?: () => number;
  port?: number;
  latencyMs?: number;
  maxConcurrentStreams?: number;
  behaviour?: (push: FcmPush) => PeerAnswer | null;
  credential?: FcmCredential;
  /** How long an access token lives, seconds. */
  expiresIn?: number;
  keeps?: boolean;
};

const OF_FCM = "type.googleapis.com/google.firebase.fcm.v1.FcmError";

/** As FCM refuses: the status of Google's API, and FCM's own code where it has one. */
export const fcmRefuses = (
  code: number,
  status: string,
  errorCode?: string,
  more: { retryAfter?: string; message?: string; field?: string } = {},
): PeerAnswer => ({
  status: code,
  headers: { ...(more.retryAfter !== undefined && { "retry-after": more.retryAfter }) },
  body: JSON.stringify({
    error: {
      code,
      status,
      message: more.message ?? "Refused.",
      details: [
        ...(errorCode === undefined ? [] : [{ "@type": OF_FCM, errorCode }]),
        ...(more.field === undefined
          ? []
          : [
              {
                "@type": "type.googleapis.com/google.rpc.BadRequest",
                fieldViolations: [{ field: more.field }],
              },
            ]),
      ],
    },
  }),
});

/** A service account of its own: an RSA key that was made for it. */
export async function newFcmCredential(projectId = "example-app"): Promise<FcmCredential> {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  return {
    provider: "fcm",
    projectId,
    clientEmail: `push@${projectId}.iam.gserviceaccount.com`,
    privateKey: await exportPKCS8(privateKey),
  };
}

type Json = Record<string, unknown>;
const isTexts = (value: unknown): value is Record<string, string> =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every((entry) => typeof entry === "string");

/** The push of a body that FCM would take, or the field at fault. */
function readPush(body: string, accessToken: string): FcmPush | { field: string } {
  const { message = {} } = JSON.parse(body) as { message?: Json };
  const { token, data, android, ...more } = message;
  const unknown = Object.keys(more)[0];
  if (unknown !== undefined) return { field: `message.${unknown}` };
  if (typeof token !== "string" || token === "") return { field: "message.token" };
  if (!isTexts(data) || data.tidings === undefined) return { field: "message.data" };
  const size = Object.entries(data).reduce((sum, [key, value]) => sum + Buffer.byteLength(key + value), 0);
  if (size > 4_096) return { field: "message" };
  const delivery = android as FcmPush["android"];
  if (!["HIGH", "NORMAL"].includes(delivery.priority)) return { field: "message.android.priority" };
  const seconds = Number(/^(\d+)s$/.exec(delivery.ttl)?.[1] ?? "-1");
  if (seconds < 0 || seconds > 2_419_200) return { field: "message.android.ttl" };
  return { token, data, android: delivery, envelope: JSON.parse(data.tidings) as PushEnvelope, accessToken };
}

/** Starts an FCM, with the token endpoint, that takes every push of its credential that is sound, unless `options` say otherwise. */
export async function startFcm(options: FcmPeerOptions = {}): Promise<FcmPeer> {
  const { clock = Date.now, keeps = true, expiresIn = 3_600 } = options;
  const credential = options.credential ?? (await newFcmCredential());
  const publicKey = createPublicKey(credential.privateKey);
  /** Access tokens and when they end, epoch ms. */
  const access = new Map<string, number>();
  let behaviour = options.behaviour ?? (() => null);
  let tokenBehaviour: () => TokenAnswer | null = () => null;
  let tokenRequests = 0;
  const taken: FcmPush[] = [];
  const requests: FcmPush[] = [];

  function answer({ headers, body }: PeerRequest): PeerAnswer {
    const accessToken = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1] ?? "";
    if ((access.get(accessToken) ?? 0) <= clock()) return fcmRefuses(401, "UNAUTHENTICATED");
    if (headers[":path"] !== `/v1/projects/${credential.projectId}/messages:send`)
      return fcmRefuses(404, "NOT_FOUND");
    const push = readPush(body, accessToken);
    if ("field" in push)
      return fcmRefuses(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", { field: push.field });
    if (keeps) requests.push(push);
    const verdict = behaviour(push);
    if (verdict !== null) return verdict;
    if (keeps) taken.push(push);
    const name = `projects/${credential.projectId}/messages/0:${push.envelope.attemptId}`;
    return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify({ name }) };
  }

  /** RFC 7523: an assertion, signed with the key of the service account, for an hour at most. */
  async function grant(form: URLSearchParams): Promise<Exclude<TokenAnswer, string>> {
    const refused = (error: string) => ({ status: 400, body: JSON.stringify({ error }) });
    if (form.get("grant_type") !== "urn:ietf:params:oauth:grant-type:jwt-bearer")
      return refused("unsupported_grant_type");
    try {
      const { payload } = await jwtVerify(form.get("assertion") ?? "", publicKey, {
        algorithms: ["RS256"],
        issuer: credential.clientEmail,
        audience: `${peer.url}/token`,
        currentDate: new Date(clock()),
        maxTokenAge: "1h",
      });
      if (payload.scope !== "https://www.googleapis.com/auth/firebase.messaging")
        return refused("invalid_scope");
    } catch {
      return refused("invalid_grant");
    }
    const token = `ya29.${access.size}`;
    access.set(token, clock() + expiresIn * 1_000);
    return {
      status: 200,
      body: JSON.stringify({ access_token: token, expires_in: expiresIn, token_type: "Bearer" }),
    };
  }

  const peer = await startHttp2Peer({
    ...(options.port !== undefined && { port: options.port }),
    ...(options.latencyMs !== undefined && { latencyMs: options.latencyMs }),
    ...(options.maxConcurrentStreams !== undefined && { maxConcurrentStreams: options.maxConcurrentStreams }),
    answer,
    async onHttp1(request, response) {
      tokenRequests++;
      const form = new URLSearchParams(await text(request));
      const given = tokenBehaviour() ?? (await grant(form));
      if (given === "silence") return;
      response.writeHead(given.status, { "content-type": "application/json", ...given.headers });
      response.end(given.body);
    },
  });
  return {
    ...peer,
    tokenUrl: `${peer.url}/token`,
    credential,
    taken,
    requests,
    tokenRequests: () => tokenRequests,
    revoke: () => {
      for (const token of access.keys()) access.set(token, 0);
    },
    behave(next) {
      behaviour = next;
    },
    behaveTokens(next) {
      tokenBehaviour = next;
    },
  };
}

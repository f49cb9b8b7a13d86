import { createPublicKey } from "node:crypto";
import { exportPKCS8, generateKeyPair, jwtVerify } from "jose";
import type { PushEnvelope } from "../../src/features/content/push/payload.pure.ts";
import type { ApnsCredential } from "../../src/features/push/providers/schema.ts";
import { type Http2Peer, type PeerAnswer, type PeerRequest, startHttp2Peer } from "./http2-peer.ts";

/** A push as the peer took it. */
export type ApnsPush = {
  token: string;
  id: string;
  collapseId: string;
  /** Epoch seconds. */
  expiration: number;
  payload: { aps: Record<string, unknown>; tidings: PushEnvelope };
  providerToken: string;
};

/** What a peer answers to a push, now or later; null takes it. */
type Behaviour = (push: ApnsPush) => PeerAnswer | null | Promise<PeerAnswer | null>;

export type ApnsPeer = Http2Peer & {
  /** What the peer knows by its public part; no other peer does. */
  credential: ApnsCredential;
  /** In the order in which they were taken. */
  taken: ApnsPush[];
  /** Every request that was sound, whatever it was answered. */
  requests: ApnsPush[];
  /** Says what it answers from now on; null, or nothing, takes the push. */
  behave(next: Behaviour): void;
};

export type ApnsPeerOptions = {
  clock?: () => number;
  port?: number;
  latencyMs?: number;
  maxConcurrentStreams?: number;
  behaviour?: Behaviour;
  credential?: ApnsCredential;
  /** Whether what was sent is kept; false where there is very much of it. */
  keeps?: boolean;
};

/** As Apple refuses: a status and a reason. */
export const apnsRefuses = (
  status: number,
  reason: string,
  more: { timestamp?: number; retryAfter?: string } = {},
): PeerAnswer => ({
  status,
  headers: { ...(more.retryAfter !== undefined && { "retry-after": more.retryAfter }) },
  body: JSON.stringify({ reason, ...(more.timestamp !== undefined && { timestamp: more.timestamp }) }),
});

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const HOUR_S = 3_600;

/** A credential of its own: an EC key that was made for it. */
export async function newApnsCredential(topic = "com.example.app"): Promise<ApnsCredential> {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  return {
    provider: "apns",
    teamId: "TEAM123456",
    keyId: "KEY1234567",
    topic,
    privateKey: await exportPKCS8(privateKey),
  };
}

/** Checks the sender of a push: null where the token proves it, else the reason that Apple gives. */
function verifier(credential: ApnsCredential, clock: () => number) {
  const publicKey = createPublicKey(credential.privateKey);
  const known = new Map<string, { reason: string | null; issuedAt: number }>();
  async function verify(token: string): Promise<{ reason: string | null; issuedAt: number }> {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, publicKey, {
        algorithms: ["ES256"],
        issuer: credential.teamId,
        requiredClaims: ["iat"],
        currentDate: new Date(clock()),
      });
      const reason = protectedHeader.kid === credential.keyId ? null : "InvalidProviderToken";
      return { reason, issuedAt: payload.iat ?? 0 };
    } catch {
      return { reason: "InvalidProviderToken", issuedAt: 0 };
    }
  }
  return async (authorization: string | undefined): Promise<string | null> => {
    const token = /^bearer (.+)$/.exec(authorization ?? "")?.[1];
    if (token === undefined) return "MissingProviderToken";
    const verified = known.get(token) ?? (await verify(token));
    known.set(token, verified);
    const age = clock() / 1_000 - verified.issuedAt;
    return verified.reason ?? (Math.abs(age) > HOUR_S ? "ExpiredProviderToken" : null);
  };
}

/** What is wrong with a request, as Apple says it. */
function faultOf({ headers, body }: PeerRequest, topic: string): PeerAnswer | null {
  const fault = (reason: string, status = 400): PeerAnswer => apnsRefuses(status, reason);
  if (headers[":method"] !== "POST") return fault("MethodNotAllowed", 405);
  if (!/^\/3\/device\/[^/]+$/.test(headers[":path"] ?? "")) return fault("BadPath", 404);
  if (headers["apns-topic"] === undefined) return fault("MissingTopic");
  if (headers["apns-topic"] !== topic) return fault("DeviceTokenNotForTopic");
  if (headers["apns-push-type"] !== "alert") return fault("InvalidPushType");
  if (headers["apns-priority"] !== "10") return fault("BadPriority");
  if (!UUID.test(String(headers["apns-id"]))) return fault("BadMessageId");
  if (!/^[1-9]\d*$/.test(String(headers["apns-expiration"]))) return fault("BadExpirationDate");
  const collapseId = String(headers["apns-collapse-id"] ?? "");
  if (collapseId === "" || Buffer.byteLength(collapseId) > 64) return fault("BadCollapseId");
  if (Buffer.byteLength(body) > 4_096) return fault("PayloadTooLarge", 413);
  return null;
}

function readPush({ headers, body }: PeerRequest): ApnsPush | null {
  try {
    const payload = JSON.parse(body) as ApnsPush["payload"];
    if (typeof payload.aps !== "object") return null;
    return {
      token: decodeURIComponent((headers[":path"] ?? "").slice("/3/device/".length)),
      id: String(headers["apns-id"]),
      collapseId: String(headers["apns-collapse-id"]),
      expiration: Number(headers["apns-expiration"]),
      payload,
      providerToken: String(headers.authorization).slice("bearer ".length),
    };
  } catch {
    return null;
  }
}

/** Starts an APNs that takes every push of its credential that is sound, unless `options` say otherwise. */
export async function startApns(options: ApnsPeerOptions = {}): Promise<ApnsPeer> {
  const { clock = Date.now, keeps = true } = options;
  const credential = options.credential ?? (await newApnsCredential());
  const reasonAgainst = verifier(credential, clock);
  let behaviour: Behaviour = options.behaviour ?? (() => null);
  const taken: ApnsPush[] = [];
  const requests: ApnsPush[] = [];

  async function answer(request: PeerRequest): Promise<PeerAnswer> {
    const reason = await reasonAgainst(request.headers.authorization);
    if (reason !== null) return apnsRefuses(403, reason);
    const fault = faultOf(request, credential.topic);
    if (fault !== null) return fault;
    const push = readPush(request);
    if (push === null) return apnsRefuses(400, "PayloadEmpty");
    if (keeps) requests.push(push);
    const verdict = await behaviour(push);
    if (verdict !== null) return verdict;
    if (keeps) taken.push(push);
    return { status: 200, headers: { "apns-id": push.id } };
  }

  const peer = await startHttp2Peer({
    ...(options.port !== undefined && { port: options.port }),
    ...(options.latencyMs !== undefined && { latencyMs: options.latencyMs }),
    ...(options.maxConcurrentStreams !== undefined && { maxConcurrentStreams: options.maxConcurrentStreams }),
    answer,
  });
  return {
    ...peer,
    credential,
    taken,
    requests,
    behave(next) {
      behaviour = next;
    },
  };
}

import { hash } from "node:crypto";
import { SignJWT } from "jose";
import type { WayOut, WayOutReply } from "../../../platform/net/way-out.ts";
import { BoundedMap } from "../../../platform/remember.ts";
import { type Clock, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../platform/time/clock.ts";
import { readSubscription } from "../../users/devices/public.ts";
import { type Bearers, createBearers, type NewBearer, type NoBearer } from "./bearer.ts";
import { SEND_MS } from "./client.ts";
import { encryptInTurn } from "./encrypt.ts";
import { readSigningKey, type SigningKey } from "./keys.ts";
import type { PushClient, PushNotification, PushReply } from "./reply.pure.ts";
import { type PushRefusal, retryAfterMs, webPushRefusal } from "./rules.ts";
import type { WebPushCredential } from "./schema.ts";
import { applicationServerKeyOf } from "./vapid.ts";

/** Push services refuse a token of more than a day (RFC 8292, 2). */
const TOKEN_MS = 12 * HOUR_MS;
const RENEW_MS = TOKEN_MS - HOUR_MS;
/** No push service asks for a fresh one: what it refuses is the key. */
const FRESH_AFTER_MS = HOUR_MS;
/** Four weeks: the most that push services keep a message. */
const MAX_TTL_SECONDS = 2_419_200;
/** The longest topic (RFC 8030, 5.4), in characters of base64url. */
const TOPIC = 32;
/** The push services of browsers are a handful; an operator may list a domain with many names. */
const MAX_ORIGINS = 1_000;
/** What cannot be reached is logged once in this time. */
const LOGGED_EVERY_MS = MINUTE_MS;

export type WebPushOptions = {
  clock: Clock;
  wayOut: WayOut;
  /** The push services that may be sent to, see `isInHostList`. */
  hosts: readonly string[];
  /** Called with the reason when a push service cannot be reached. */
  onFault: (error: Error) => void;
};

/** A token that names its sender to one push service (RFC 8292, 3), as the value of the header. */
async function vapidToken(
  { subject }: WebPushCredential,
  { signing, shown }: { signing: SigningKey; shown: string },
  origin: string,
  now: number,
): Promise<NewBearer> {
  const token = await new SignJWT({})
    .setProtectedHeader({ alg: signing.alg, typ: "JWT" })
    .setAudience(origin)
    .setSubject(subject)
    .setExpirationTime(Math.floor((now + TOKEN_MS) / SECOND_MS))
    .sign(signing.key);
  return { value: `vapid t=${token}, k=${shown}`, renewAt: now + RENEW_MS };
}

/** The headers of a push (RFC 8030, 5), but for who sends it. */
function headersOf(
  { expiresAt, replacementKey, slotId }: PushNotification,
  now: number,
): Record<string, string> {
  const seconds = Math.ceil((expiresAt - now) / SECOND_MS);
  return {
    "content-type": "application/octet-stream",
    "content-encoding": "aes128gcm",
    // Windows takes 0 for a contradiction, and the others for "now or never".
    ttl: String(Math.min(Math.max(seconds, 1), MAX_TTL_SECONDS)),
    urgency: "high",
    topic: hash("sha256", replacementKey ?? slotId, "base64url").slice(0, TOPIC),
  };
}

/** The name that a push service gives a push that it took: Apple's, or Windows'. */
function idOf({ headers }: Extract<WayOutReply, { status: number }>, otherwise: string): string {
  const id = headers["apns-id"] ?? headers["x-wns-msg-id"];
  return typeof id === "string" && id !== "" ? id.slice(0, 128) : otherwise;
}

/** A refusal whose word repeats nothing of the address at which a browser is reached: who knows that may send to it. */
function withoutAddress(refusal: PushRefusal, status: number, endpoint: string): PushRefusal {
  const runs = refusal.code.match(/[\w%:.-]{12,}/g) ?? [];
  return runs.some((run) => endpoint.includes(run)) ? { ...refusal, code: String(status) } : refusal;
}

const isTaken = (status: number): boolean => status >= 200 && status < 300;

/** What an answer, or the lack of one, means. @param now epoch ms */
function replyOf(
  answer: WayOutReply,
  { id, endpoint }: { id: string; endpoint: string },
  now: number,
): PushReply {
  if (answer.status === null) {
    const code = answer.failure === "timeout" ? "timeout" : "connection_lost";
    if (answer.hasLeft) return { kind: "unknown", code };
    return answer.failure === "refused"
      ? { kind: "blocked", code: "host_not_allowed", class: "token_barred" }
      : { kind: "blocked", code, class: "connection" };
  }
  if (isTaken(answer.status)) return { kind: "accepted", providerId: idOf(answer, id) };
  const after = retryAfterMs(answer.headers["retry-after"], now);
  return {
    kind: "rejected",
    ...withoutAddress(webPushRefusal(answer), answer.status, endpoint),
    ...(after !== null && { retryAfterMs: after }),
  };
}

/**
 * Sends to browsers, through the push service that each of them named (RFC 8030), over HTTP/1.1, which all of them speak. The credential
 * was checked when it was put.
 */
export function openWebPush(credential: WebPushCredential, options: WebPushOptions): PushClient {
  const { clock, wayOut, hosts, onFault } = options;
  const key = readSigningKey(credential);
  const shown = applicationServerKeyOf(credential.privateKey);
  const byOrigin = new BoundedMap<Bearers>(MAX_ORIGINS);
  let loggedAt = Number.NEGATIVE_INFINITY;

  function bearersFor(origin: string): Bearers {
    const kept = byOrigin.get(origin);
    if (kept !== undefined) return kept;
    const made = createBearers(clock, FRESH_AFTER_MS, async (): Promise<NewBearer | NoBearer> => {
      const signing = await key;
      if ("fault" in signing || shown === null)
        return { kind: "blocked", code: "invalid_key", class: "credential" };
      return vapidToken(credential, { signing, shown }, origin, clock());
    });
    byOrigin.set(origin, made);
    return made;
  }

  function report(answer: WayOutReply, origin: string): void {
    const now = performance.now();
    if (answer.status !== null || now - loggedAt < LOGGED_EVERY_MS) return;
    loggedAt = now;
    onFault(new Error(`${origin}: ${answer.fault}`));
  }

  return {
    async send(notification) {
      const { id, token, payload } = notification;
      const read = readSubscription(token, hosts);
      // It was put when the operator allowed its host, or on another server.
      if ("fault" in read) return { kind: "blocked", code: "host_not_allowed", class: "token_barred" };
      const { subscription } = read;
      const { endpoint, applicationServerKey } = subscription;
      if (applicationServerKey !== null && applicationServerKey !== shown)
        return { kind: "blocked", code: "subscribed_with_another_key", class: "token_outdated" };
      const { origin } = new URL(endpoint);
      const bearer = await bearersFor(origin).get(false);
      if ("kind" in bearer) return bearer;
      const begunAt = performance.now();
      const body = await encryptInTurn(subscription, payload);
      // Of the time that a push may take, some may have gone while others were encrypted.
      const leftMs = Math.max(1, Math.ceil(SEND_MS - (performance.now() - begunAt)));
      const signal = AbortSignal.timeout(leftMs);
      const headers = { ...headersOf(notification, clock()), authorization: bearer.value };
      const sending = { method: "POST", headers, body, signal, isDone: isTaken } as const;
      const answer = await wayOut.send(new URL(endpoint), sending);
      report(answer, origin);
      return replyOf(answer, { id, endpoint }, clock());
    },
    close() {},
  };
}

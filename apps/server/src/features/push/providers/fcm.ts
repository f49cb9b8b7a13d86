import { SignJWT } from "jose";
import { MINUTE_MS, SECOND_MS } from "../../../platform/time/clock.ts";
import { createBearers, type NewBearer, type NoBearer } from "./bearer.ts";
import { type ClientOptions, collapseId, createPushClient, SEND_MS } from "./client.ts";
import { readSigningKey, type SigningKey } from "./keys.ts";
import type { PushClient, PushNotification } from "./reply.pure.ts";
import { fcmRefusal, oauthRefusal, parseObject, retryAfterMs } from "./rules.ts";
import type { FcmCredential } from "./schema.ts";

const SCOPE = "https://www.googleapis.com/auth/firebase.messaging";
const ASSERTION_MS = 60 * MINUTE_MS;
/** An access token is renewed this long before it ends, or at half its lifetime where that is short. */
const EARLY_MS = 5 * MINUTE_MS;
const FRESH_AFTER_MS = MINUTE_MS;
/** Four weeks: the most that FCM keeps a message. */
const MAX_TTL_SECONDS = 2_419_200;

export type FcmOptions = ClientOptions & { tokenUrl: string };

/** An assertion (RFC 7523) that authenticates the service account at the token endpoint. */
function assertion(
  { clientEmail }: FcmCredential,
  tokenUrl: string,
  now: number,
  signing: SigningKey,
): Promise<string> {
  return new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: signing.alg, typ: "JWT" })
    .setIssuer(clientEmail)
    .setSubject(clientEmail)
    .setAudience(tokenUrl)
    .setIssuedAt(Math.floor(now / SECOND_MS))
    .setExpirationTime(Math.floor((now + ASSERTION_MS) / SECOND_MS))
    .sign(signing.key);
}

/** Asks the token endpoint for an access token (RFC 6749, 5). Never throws. */
async function accessToken(
  credential: FcmCredential,
  { tokenUrl, clock, sendMs = SEND_MS }: FcmOptions,
  signing: SigningKey,
): Promise<NewBearer | NoBearer> {
  const now = clock();
  let response: Response;
  let body: string;
  try {
    response = await fetch(tokenUrl, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
        assertion: await assertion(credential, tokenUrl, now, signing),
      }),
      redirect: "error",
      signal: AbortSignal.timeout(sendMs),
    });
    body = await response.text();
  } catch (error) {
    const isLate = error instanceof Error && error.name === "TimeoutError";
    return { kind: "blocked", code: isLate ? "timeout" : "connection_lost", class: "connection" };
  }
  if (!response.ok) {
    const after = retryAfterMs(response.headers.get("retry-after") ?? undefined, clock());
    return {
      kind: "blocked",
      ...oauthRefusal(response.status, body),
      ...(after !== null && { retryAfterMs: after }),
    };
  }
  const { access_token: value, expires_in: seconds } = parseObject(body);
  if (typeof value !== "string" || !/^[\x21-\x7e]{1,8192}$/.test(value))
    return { kind: "blocked", code: "invalid_response", class: "server" };
  const livesMs = typeof seconds === "number" && seconds > 0 ? seconds * SECOND_MS : ASSERTION_MS;
  return { value, renewAt: now + Math.max(livesMs - EARLY_MS, livesMs / 2) };
}

/**
 * The body of a request (Firebase, "projects.messages"). It has a collapse key only where the campaign has a replacement key, because
 * FCM stores at most four collapse keys per device. For other pushes, the data tells the app which one a second arrival replaces.
 */
function messageBody(notification: PushNotification, now: number): string {
  const seconds = Math.ceil((notification.expiresAt - now) / SECOND_MS);
  const android = {
    priority: "HIGH",
    ttl: `${Math.min(Math.max(seconds, 0), MAX_TTL_SECONDS)}s`,
    ...(notification.replacementKey !== null && { collapse_key: collapseId(notification) }),
  };
  const token = JSON.stringify(notification.token);
  return `{"message":{"token":${token},"data":${notification.payload},"android":${JSON.stringify(android)}}}`;
}

/** Sends to Android apps, over FCM's HTTP v1 API. The credential was checked when it was put. */
export function openFcm(credential: FcmCredential, options: FcmOptions): PushClient {
  const { clock } = options;
  const key = readSigningKey(credential);
  const bearers = createBearers(clock, FRESH_AFTER_MS, async (): Promise<NewBearer | NoBearer> => {
    const signing = await key;
    if ("fault" in signing) return { kind: "blocked", code: "invalid_grant", class: "credential" };
    return accessToken(credential, options, signing);
  });
  const path = `/v1/projects/${encodeURIComponent(credential.projectId)}/messages:send`;
  return createPushClient(
    {
      bearers,
      scheme: "Bearer",
      request: (notification) => ({ path, headers: {}, payload: messageBody(notification, clock()) }),
      wantsBody: true,
      idOf: (_headers, body) => parseObject(body).name,
      refusalOf: fcmRefusal,
    },
    options,
  );
}

import { SignJWT } from "jose";
import { MINUTE_MS, SECOND_MS } from "../../../platform/time/clock.ts";
import { createBearers, type NewBearer, type NoBearer } from "./bearer.ts";
import { type ClientOptions, collapseId, createPushClient } from "./client.ts";
import { readSigningKey, type SigningKey } from "./keys.ts";
import type { PushClient } from "./reply.pure.ts";
import { apnsRefusal } from "./rules.ts";
import type { ApnsCredential } from "./schema.ts";

/** Apple refuses a token of more than an hour, and another one within 20 minutes. */
const TOKEN_MS = 50 * MINUTE_MS;
const FRESH_AFTER_MS = 20 * MINUTE_MS;
/** Far beyond any token that Apple makes, and far below what would hurt the other requests of a connection. */
const MAX_TOKEN = 1_024;

/** A provider token (Apple, "Establishing a token-based connection to APNs"). */
async function providerToken(
  credential: ApnsCredential,
  now: number,
  signing: SigningKey,
): Promise<NewBearer> {
  const value = await new SignJWT({})
    .setProtectedHeader({ alg: signing.alg, kid: credential.keyId })
    .setIssuer(credential.teamId)
    .setIssuedAt(Math.floor(now / SECOND_MS))
    .sign(signing.key);
  return { value, renewAt: now + TOKEN_MS };
}

/** Sends to iOS apps, over HTTP/2 with a provider token. The credential was checked when it was put. */
export function openApns(credential: ApnsCredential, options: ClientOptions): PushClient {
  const { clock } = options;
  const key = readSigningKey(credential);
  const bearers = createBearers(clock, FRESH_AFTER_MS, async (): Promise<NewBearer | NoBearer> => {
    const signing = await key;
    if ("fault" in signing) return { kind: "blocked", code: "InvalidProviderToken", class: "credential" };
    return providerToken(credential, clock(), signing);
  });
  const client = createPushClient(
    {
      bearers,
      scheme: "bearer",
      request: (notification) => ({
        path: `/3/device/${encodeURIComponent(notification.token)}`,
        headers: {
          "apns-topic": credential.topic,
          "apns-push-type": "alert",
          "apns-priority": "10",
          "apns-id": notification.id,
          // APNs takes 0 for "try once and do not store".
          "apns-expiration": String(Math.max(1, Math.floor(notification.expiresAt / SECOND_MS))),
          "apns-collapse-id": collapseId(notification),
        },
        payload: notification.payload,
      }),
      wantsBody: false,
      idOf: (headers) => headers["apns-id"],
      refusalOf: apnsRefusal,
    },
    options,
  );
  return {
    ...client,
    send: async (notification, how) =>
      notification.token.length > MAX_TOKEN
        ? { kind: "rejected", code: "BadDeviceToken", class: "token_invalid" }
        : client.send(notification, how),
  };
}

import { createHmac, createSecretKey } from "node:crypto";
import {
  type DeliveryKey,
  type DeliveryName,
  deliveryId,
  laneOf,
  parseDeliveryId,
} from "../../../domain/ids.ts";
import { resource } from "../../../platform/runtime.ts";
import { isSameProof, isSameText } from "../../../platform/secrets/secrets.ts";
import { uuidOfHex } from "../../../platform/uuid.ts";
import type { MessageKey } from "./erased-messages-store.ts";

/** What a token is for: links that the recipient follows, or the Message-ID, which replies repeat. */
type Purpose = "link" | "message";

const MAC_BYTES = 16;
/** Characters of base64url of such a proof. */
const MAC_LENGTH = 22;

/** What a token looks like, as part of a regular expression: 65 characters of base64url for the first occasion, 70 for others. */
export const TOKEN_FORM = "[A-Za-z0-9_-]{65}(?:[A-Za-z0-9_-]{5})?";

/** Signs tokens and click targets with a key of this server (HMAC-SHA-256, cut to 128 bits as RFC 2104, 5 allows). */
export type LinkSigner = {
  /** A delivery's token: 65 characters of base64url for the first occasion, 70 for others. */
  token(delivery: DeliveryName, purpose: Purpose): string;
  /** The delivery of a token, or null when this server did not sign it for this purpose. */
  read(token: string, purpose: Purpose): DeliveryKey | null;
  /** Signs an address that a click in a campaign's mail may lead to. The signature is valid for that campaign alone. */
  signTarget(campaignId: string, url: string): string;
  isTarget(campaignId: string, url: string, signature: string): boolean;
  /** Whether a signature is of the address alone, as earlier versions made them. No new ones are made. */
  isUnboundTarget(url: string, signature: string): boolean;
  /** The key of a message whose user was erased. It needs this server's key to compute, and does not reveal the user. */
  messageKey(delivery: DeliveryName): MessageKey;
};

export const linkSigner = resource(({ secrets }): LinkSigner => {
  // A key object is prepared once. With the bytes, each signature would prepare them again (10 µs instead of 2).
  const key = createSecretKey(secrets.derive("email links"));
  const sign = (text: string): Buffer =>
    createHmac("sha256", key).update(text).digest().subarray(0, MAC_BYTES);
  const signTarget = (campaignId: string, url: string): string =>
    sign(`click\0${campaignId}\0${url}`).toString("base64url");
  return {
    token(delivery, purpose) {
      const id = deliveryId(delivery).slice("del_".length);
      return id + sign(`${purpose}\0${id}`).toString("base64url");
    },
    read(token, purpose) {
      const id = token.slice(0, -MAC_LENGTH);
      const proof = token.slice(-MAC_LENGTH);
      const ref = parseDeliveryId(`del_${id}`);
      const mac = Buffer.from(proof, "base64url");
      // base64url has spare bits at the end, so several texts decode to the same bytes: accept only the one that was made.
      if (ref === null || mac.toString("base64url") !== proof) return null;
      return isSameProof(mac, sign(`${purpose}\0${id}`)) ? ref : null;
    },
    messageKey(delivery) {
      const messageKey = uuidOfHex(sign(`erased\0${deliveryId(delivery)}`).toString("hex"));
      return { lane: laneOf(messageKey), messageKey };
    },
    signTarget,
    isTarget: (campaignId, url, signature) => isSameText(signature, signTarget(campaignId, url)),
    isUnboundTarget: (url, signature) => isSameText(signature, sign(`target\0${url}`).toString("base64url")),
  };
});

import { createHmac } from "node:crypto";
import { resource } from "../../../platform/runtime.ts";
import { isSameProof } from "../../../platform/secrets/secrets.ts";
import { uuidOfHex } from "../../../platform/uuid.ts";

const ID_BYTES = 16;
const MAC_BYTES = 16;

/** Signs the links by which the owner of an address confirms a request (HMAC-SHA-256, cut to 128 bits as RFC 2104, 5 allows). */
export type ConfirmationSigner = {
  /** 43 characters of base64url. @param requestId a UUID */
  token(requestId: string): string;
  /** The request (UUID) of a token; null where this server did not sign it. */
  read(token: string): string | null;
};

export const confirmationSigner = resource(({ secrets }): ConfirmationSigner => {
  const key = secrets.derive("confirmation links");
  const sign = (id: Buffer): Buffer => createHmac("sha256", key).update(id).digest().subarray(0, MAC_BYTES);
  return {
    token(requestId) {
      const id = Buffer.from(requestId.replaceAll("-", ""), "hex");
      return Buffer.concat([id, sign(id)]).toString("base64url");
    },
    read(token) {
      const bytes = Buffer.from(token, "base64url");
      // Other texts decode to the same bytes: only the one that was made counts.
      if (bytes.length !== ID_BYTES + MAC_BYTES || bytes.toString("base64url") !== token) return null;
      const id = bytes.subarray(0, ID_BYTES);
      return isSameProof(bytes.subarray(ID_BYTES), sign(id)) ? uuidOfHex(id.toString("hex")) : null;
    },
  };
});

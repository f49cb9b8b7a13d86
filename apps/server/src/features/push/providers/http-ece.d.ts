declare module "http_ece" {
  import type { ECDH } from "node:crypto";

  type Keys = {
    version: "aes128gcm";
    privateKey: ECDH;
    /** Of the other side, 65 bytes; when decrypting, it is in the message. */
    dh?: Buffer;
    authSecret: Buffer;
    salt?: Buffer;
  };
  /** RFC 8188 with the keys of RFC 8291. */
  export function encrypt(plain: Buffer, keys: Keys): Buffer;
  export function decrypt(encrypted: Buffer, keys: Keys): Buffer;
}

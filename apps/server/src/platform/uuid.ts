import { hash, randomBytes } from "node:crypto";

/** A UUID of 32 hexadecimal digits; what follows them is left out. */
export const uuidOfHex = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;

// One draw of random bytes serves 512 ids: a system call per id would show on the hot path.
const pool = { bytes: Buffer.alloc(0), at: 0 };
/** Random bytes in hexadecimal digits. */
export function randomHex(bytes: number): string {
  if (pool.at + bytes > pool.bytes.length) {
    pool.bytes = randomBytes(5_120);
    pool.at = 0;
  }
  pool.at += bytes;
  return pool.bytes.toString("hex", pool.at - bytes, pool.at);
}

/** UUID version 7 (RFC 9562, 5.7): sorts by `atMs`, so that rows made together lie together in an index. */
export function newUuid(atMs: number): string {
  const time = atMs.toString(16).padStart(12, "0");
  const random = randomHex(10);
  const variant = ((Number.parseInt(random.charAt(3), 16) & 0x3) | 0x8).toString(16);
  return uuidOfHex(`${time}7${random.slice(0, 3)}${variant}${random.slice(4, 19)}`);
}

/** A key derived from others, so that the same thing is always the same row. No part can contain a NUL. */
export const derivedKey = (...parts: readonly string[]): string =>
  uuidOfHex(hash("sha256", parts.join("\0"), "hex"));

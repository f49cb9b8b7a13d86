import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { existsSync, linkSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Config, ConfigError, secretKeyOf } from "../config.ts";
import { writeDurably } from "../files/durable-file.ts";
import { flushSync } from "../files/flush.ts";
import { makeFolder } from "../files/make-folder.ts";

/** A sealed text cannot be opened: another key sealed it, or it was moved or altered. */
export class SealError extends Error {
  constructor() {
    super("it was sealed with another SECRET_KEY, or altered since");
  }
}

/** What the operator's one secret key does. */
export type Secrets = {
  /**
   * Seals a text for storing. `boundTo` names its place (a project and a key, say): with another one it does not open, so that a sealed
   * text cannot be moved to another row.
   */
  seal(text: string, boundTo: string): Buffer;
  /** The text that was sealed under the same `boundTo`. @throws SealError */
  open(sealed: Buffer, boundTo: string): string;
  /** A key of 32 bytes for one purpose, always the same one; says nothing about the others. */
  derive(purpose: string): Buffer;
};

/** Whether two proofs are the same, in a time that tells nothing of where they differ. */
export const isSameProof = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b);

/** The same of proofs that are written as texts. */
export const isSameText = (a: string, b: string): boolean => isSameProof(Buffer.from(a), Buffer.from(b));

const VERSION = 1;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = "aes-256-gcm";

/**
 * Seals with AES-256-GCM (NIST SP 800-38D): version (1 byte), random nonce (12), tag (16), ciphertext; the version and
 * `boundTo` are the additional data. Derives with HKDF-SHA-256 (RFC 5869). `masterKey` has 32 bytes.
 */
export function createSecrets(masterKey: Buffer): Secrets {
  const hkdf = (info: string): Buffer =>
    Buffer.from(hkdfSync("sha256", masterKey, Buffer.alloc(0), info, KEY_BYTES));
  const sealingKey = hkdf("tidings sealing");
  const additional = (boundTo: string): Buffer =>
    Buffer.concat([Buffer.of(VERSION), Buffer.from(boundTo, "utf8")]);
  return {
    seal(text, boundTo) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, sealingKey, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(additional(boundTo));
      const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), sealed]);
    },
    open(sealed, boundTo) {
      const tagAt = 1 + NONCE_BYTES;
      const textAt = tagAt + TAG_BYTES;
      if (sealed[0] !== VERSION || sealed.length < textAt) throw new SealError();
      const decipher = createDecipheriv(CIPHER, sealingKey, sealed.subarray(1, tagAt), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(additional(boundTo));
      decipher.setAuthTag(sealed.subarray(tagAt, textAt));
      try {
        return Buffer.concat([decipher.update(sealed.subarray(textAt)), decipher.final()]).toString("utf8");
      } catch {
        throw new SealError();
      }
    },
    derive: (purpose) => hkdf(`tidings purpose ${purpose}`),
  };
}

/** The file in DATA_DIR that has the secret key, where SECRET_KEY is not set. */
export const KEY_FILE = "secret.key";

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** Makes the file of the key if there is none. If several processes do so at once, one file stays. */
function makeKeyFile(dataDir: string): void {
  makeFolder(dataDir);
  const unfinished = join(dataDir, `${KEY_FILE}.new-${randomBytes(8).toString("hex")}`);
  try {
    writeDurably(unfinished, `${randomBytes(KEY_BYTES).toString("base64")}\n`);
    linkSync(unfinished, join(dataDir, KEY_FILE));
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  } finally {
    rmSync(unfinished, { force: true });
  }
  // Sealed texts survive a power cut with the database, so their key must survive it too.
  flushSync(dataDir);
}

function readKeyFile(dataDir: string): string {
  const path = join(dataDir, KEY_FILE);
  try {
    try {
      return readFileSync(path, "utf8");
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
      makeKeyFile(dataDir);
      return readFileSync(path, "utf8");
    }
  } catch (cause) {
    throw new ConfigError(`${path} cannot be used: ${codeOf(cause) ?? String(cause)}`, { cause });
  }
}

/** Whether the folder of the embedded database has the file of the key; looking does not make it. */
export const hasKeyFile = ({ dataDir }: Pick<Config, "dataDir">): boolean =>
  existsSync(join(dataDir, KEY_FILE));

/**
 * The operator's secret key, 32 bytes: SECRET_KEY, or with the embedded database the file `secret.key` in its folder,
 * made on first use. @throws ConfigError that never repeats a key
 */
export function loadSecretKey({ secretKey, databaseUrl, dataDir }: Config): Buffer {
  if (secretKey !== null) return secretKey;
  if (databaseUrl !== null) {
    throw new ConfigError(
      'SECRET_KEY is required with DATABASE_URL: 32 bytes as base64, which "openssl rand -base64 32" makes.',
    );
  }
  const key = secretKeyOf(readKeyFile(dataDir).trim());
  if (key === null) {
    throw new ConfigError(`${join(dataDir, KEY_FILE)} is not usable: it must hold 32 bytes as base64.`);
  }
  return key;
}

/** For commands: the key is loaded when it is first needed, so that commands without need of it run without one. */
export function secretsOnUse(config: Config): Secrets {
  let made: Secrets | null = null;
  const secrets = (): Secrets => {
    made ??= createSecrets(loadSecretKey(config));
    return made;
  };
  return {
    seal: (text, boundTo) => secrets().seal(text, boundTo),
    open: (sealed, boundTo) => secrets().open(sealed, boundTo),
    derive: (purpose) => secrets().derive(purpose),
  };
}

import type { CheckFinding } from "../checks.ts";
import type { Config } from "../config.ts";
import type { Db } from "../db/db.ts";
import { insertCanary, readCanary, replaceCanary } from "./canary-store.ts";
import { hasKeyFile, SealError, type Secrets } from "./secrets.ts";

const BOUND_TO = "secret key canary";
const TEXT = "tidings";

/** What to do where the secret key is another one, for the operator. */
export const WRONG_KEY =
  'The secret key is not the one that this database was used with: links in mail that was sent (unsubscribing too) do not work, and no stored password opens. Put the former key back (SECRET_KEY, or the file secret.key in DATA_DIR). Where it is lost, "tidings secret-key accept" takes the present one as the right one.';

/** Whether the secret key is the one that the database was used with before; null where there is no canary to tell by. */
export async function isSameKey(db: Db, secrets: Secrets): Promise<boolean | null> {
  const sealed = await readCanary(db);
  if (sealed === null) return null;
  try {
    return secrets.open(sealed, BOUND_TO) === TEXT;
  } catch (error) {
    if (error instanceof SealError) return false;
    throw error;
  }
}

const KEY_CHECK = "secret key: it opens what this database has sealed";

/**
 * Whether the secret key is the one that the database was used with, as the last of the checks; null where this process is not given
 * one, or none was used yet.
 */
export async function lookAtKey(
  db: Db,
  config: Pick<Config, "databaseUrl" | "secretKey" | "dataDir">,
  secrets: Secrets,
): Promise<CheckFinding | null> {
  const startedAt = performance.now();
  if (config.databaseUrl !== null && config.secretKey === null) return null;
  const isThere = config.secretKey !== null || hasKeyFile(config);
  const isSame = isThere ? await isSameKey(db, secrets) : false;
  if (isSame === null) return null;
  const milliseconds = Math.round(performance.now() - startedAt);
  return { name: KEY_CHECK, invariant: 10, compares: "key", differences: isSame ? 0 : 1, milliseconds };
}

/** For a server at its start: stores a canary if there is none, and answers whether its key opens the one that is there. */
export async function checkKey(db: Db, secrets: Secrets): Promise<boolean> {
  await insertCanary(db, secrets.seal(TEXT, BOUND_TO));
  return (await isSameKey(db, secrets)) === true;
}

/** Makes the present key the right one. Texts that the former key sealed cannot be opened any more. */
export async function acceptKey(db: Db, secrets: Secrets): Promise<void> {
  const sealed = secrets.seal(TEXT, BOUND_TO);
  await insertCanary(db, sealed);
  await replaceCanary(db, sealed);
}

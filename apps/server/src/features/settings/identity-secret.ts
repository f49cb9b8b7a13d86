import type { Db } from "../../platform/db/db.ts";
import { SealError, type Secrets } from "../../platform/secrets/secrets.ts";
import {
  findIdentitySecret,
  newIdentitySecret,
  openIdentitySecret,
  replaceIdentitySecret,
  sealIdentitySecret,
} from "../access/public.ts";
import type { SettingsEdit } from "./change.ts";
import { SET, SettingError } from "./read.ts";
import { insertChanges, lockSettings } from "./store.ts";

/** The secret's name in the log of settings. It is no setting itself, because it is generated and never typed. */
const LOGGED_AS = "identity.secret";

/** `rotate`: make another secret; the present one stays valid for `graceMs`. */
export type SecretRequest = { rotate: boolean; graceMs: number };

function opened(secrets: Secrets, projectId: string, sealed: Buffer): string {
  try {
    return openIdentitySecret(secrets, projectId, sealed);
  } catch (cause) {
    if (!(cause instanceof SealError)) throw cause;
    const what = `The identity secret cannot be opened: ${cause.message}`;
    throw new SettingError(`${what}. "tidings identity secret --rotate" makes another`, { cause });
  }
}

/**
 * A project's identity secret in clear, which is made on first use, or anew for `rotate`: then that is written to the log of
 * settings. Concurrent calls follow one another. Needs a transaction.
 * @throws SettingError when there is no such project, or the secret cannot be opened
 */
export async function identitySecret(
  tx: Db,
  secrets: Secrets,
  projectId: string,
  { rotate, graceMs }: SecretRequest,
  { by, now }: SettingsEdit,
): Promise<{ secret: string; isNew: boolean; isFirst: boolean }> {
  if ((await lockSettings(tx, projectId)) === null) throw new SettingError("There is no such project");
  const sealed = await findIdentitySecret(tx, projectId);
  if (sealed !== null && !rotate)
    return { secret: opened(secrets, projectId, sealed), isNew: false, isFirst: false };
  const secret = newIdentitySecret();
  await replaceIdentitySecret(tx, projectId, {
    sealed: sealIdentitySecret(secrets, projectId, secret),
    createdAt: now,
    formerUntil: now + graceMs,
  });
  const [before, after] = [sealed === null ? null : JSON.stringify(SET), JSON.stringify(SET)];
  const change = { key: LOGGED_AS, before, after, changedBy: by, changedAt: now };
  await insertChanges(tx, [{ owner: { projectId }, ...change }]);
  return { secret, isNew: true, isFirst: sealed === null };
}

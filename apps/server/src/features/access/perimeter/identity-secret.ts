import type { Db } from "../../../platform/db/db.ts";
import { type App, type Port, port } from "../../../platform/runtime.ts";
import { SealError, type Secrets } from "../../../platform/secrets/secrets.ts";
import { SettingError } from "../../../platform/settings/setting.ts";
import { lockProject } from "../store.ts";
import { newIdentitySecret, openIdentitySecret, sealIdentitySecret } from "./identity.ts";
import { findIdentitySecret, replaceIdentitySecret } from "./identity-store.ts";

/** The person that makes a secret, for the log (1 to 80 characters), and the time (epoch ms). */
type SecretEdit = { by: string; now: number };

/** Writes to the log of settings that a project has another identity secret, or its first one. */
export const logIdentitySecret: Port<
  (tx: Db, projectId: string, change: SecretEdit & { wasThere: boolean }) => Promise<void>
> = port("log of identity secrets");

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
  { secrets, ask }: Pick<App, "secrets" | "ask">,
  tx: Db,
  projectId: string,
  { rotate, graceMs }: SecretRequest,
  { by, now }: SecretEdit,
): Promise<{ secret: string; isNew: boolean; isFirst: boolean }> {
  if ((await lockProject(tx, projectId)) === null) throw new SettingError("There is no such project");
  const sealed = await findIdentitySecret(tx, projectId);
  if (sealed !== null && !rotate)
    return { secret: opened(secrets, projectId, sealed), isNew: false, isFirst: false };
  const secret = newIdentitySecret();
  await replaceIdentitySecret(tx, projectId, {
    sealed: sealIdentitySecret(secrets, projectId, secret),
    createdAt: now,
    formerUntil: now + graceMs,
  });
  await ask(logIdentitySecret)(tx, projectId, { wasThere: sealed !== null, by, now });
  return { secret, isNew: true, isFirst: sealed === null };
}

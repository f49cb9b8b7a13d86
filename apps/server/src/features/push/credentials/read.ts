import type { Db } from "../../../platform/db/db.ts";
import { SealError, type Secrets } from "../../../platform/secrets/secrets.ts";
import { PushCredential } from "../providers/schema.ts";
import type { CredentialScope } from "./schema.ts";
import type { CredentialStanding } from "./standing.pure.ts";
import { findCredential, findCredentialsOfApp, type SealedRow } from "./store.ts";

/** The text that the seal of a credential is bound to. */
export const boundTo = (projectId: string, id: string): string => `push credential ${projectId} ${id}`;

export const sealPushCredential = (
  secrets: Secrets,
  projectId: string,
  id: string,
  credential: PushCredential,
): Buffer => secrets.seal(JSON.stringify(credential), boundTo(projectId, id));

/** A credential that can be used here. `id` is its UUID, behind the API id `cred_…`. */
export type UsableCredential = CredentialScope &
  CredentialStanding & { id: string; revision: number; credential: PushCredential };

/** What is in a stored credential; null where it was sealed with another SECRET_KEY, or came with an import and is none. */
export function openCredential(
  secrets: Secrets,
  projectId: string,
  { id, sealed }: { id: string; sealed: Buffer },
): PushCredential | null {
  try {
    const { data } = PushCredential.safeParse(JSON.parse(secrets.open(sealed, boundTo(projectId, id))));
    return data ?? null;
  } catch (error) {
    if (error instanceof SealError || error instanceof SyntaxError) return null;
    throw error;
  }
}

function open(secrets: Secrets, projectId: string, { sealed, ...row }: SealedRow): UsableCredential | null {
  const credential = openCredential(secrets, projectId, { id: row.id, sealed });
  return credential === null ? null : { ...row, credential };
}

/** The credential of a project for an app, platform and environment; null where it has none, or sealed it with another SECRET_KEY. */
export async function readCredential(
  db: Db,
  secrets: Secrets,
  projectId: string,
  scope: CredentialScope,
): Promise<UsableCredential | null> {
  const row = await findCredential(db, projectId, scope);
  return row === null ? null : open(secrets, projectId, row);
}

/** All usable credentials of an app, at most one per platform and environment. One sealed with another SECRET_KEY is left out. */
export async function listUsableCredentials(
  db: Db,
  secrets: Secrets,
  projectId: string,
  appId: string,
): Promise<UsableCredential[]> {
  const rows = await findCredentialsOfApp(db, projectId, appId);
  return rows.map((row) => open(secrets, projectId, row)).filter((usable) => usable !== null);
}

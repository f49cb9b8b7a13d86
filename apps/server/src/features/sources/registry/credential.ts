import type { Secrets } from "../../../platform/secrets/secrets.ts";
import type { RepositoryCredential } from "../git/url.pure.ts";

/** The place to which a sealed credential is bound. */
const sealedAs = (projectId: string, sourceId: string): string => `source ${projectId} ${sourceId}`;

export const sealSourceCredential = (
  secrets: Secrets,
  projectId: string,
  sourceId: string,
  credential: RepositoryCredential,
): Buffer => secrets.seal(JSON.stringify(credential), sealedAs(projectId, sourceId));

/** @throws SealError where another key sealed it */
export const openCredential = (
  secrets: Secrets,
  projectId: string,
  { id, credential }: { id: string; credential: Buffer | null },
): RepositoryCredential | null =>
  // Only credentials are sealed there.
  credential === null
    ? null
    : (JSON.parse(secrets.open(credential, sealedAs(projectId, id))) as RepositoryCredential);

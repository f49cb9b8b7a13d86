import type { Db } from "../../../platform/db/db.ts";
import type { KeyKind } from "../../../platform/http/contract/endpoint.ts";
import { newUuid } from "../../../platform/uuid.ts";
import { endingOf, newToken, tokenDigest } from "../keys/tokens.ts";
import {
  countLastingKeys,
  expireKeys,
  firstOrganizationAcrossProjects,
  forgetExpiredKeys,
  insertKey,
  insertOrganization,
  insertProject,
  lockKeys,
} from "../store.ts";

/** A new project's keys, in clear for the only time. */
export type ProjectKeys = { projectId: string; publishableKey: string; secretKey: string; agentKey: string };

async function addKey(
  db: Db,
  projectId: string,
  kind: KeyKind,
  now: number,
  lentUntil: number | null = null,
): Promise<string> {
  const token = newToken(kind);
  const publishableToken = kind === "publishable" ? token : null;
  await insertKey(db, {
    projectId,
    kind,
    publishableToken,
    digest: tokenDigest(token),
    ending: endingOf(token),
    createdAt: now,
    expiresAt: lentUntil,
    isLent: lentUntil !== null,
  });
  return token;
}

/** How many keys of one kind without an end a project can have: each is one more that can get lost. */
export const MAX_KEYS = 20;

/** The organization of this server, made when there is none. Needs a transaction. */
export async function theOrganization(db: Db, now: number): Promise<string> {
  const known = await firstOrganizationAcrossProjects(db);
  if (known !== null) return known;
  const id = newUuid(now);
  await insertOrganization(db, { id, name: "My organization", createdAt: now });
  return id;
}

/** Makes a project with a publishable, a secret and an agent key (people make send keys as they need them), in the organization of this server. Needs a transaction. */
export async function createProject(db: Db, name: string, now: number): Promise<ProjectKeys> {
  const organizationId = await theOrganization(db, now);
  const projectId = newUuid(now);
  await insertProject(db, { id: projectId, name, organizationId, createdAt: now });
  return {
    projectId,
    publishableKey: await addKey(db, projectId, "publishable", now),
    secretKey: await addKey(db, projectId, "secret", now),
    agentKey: await addKey(db, projectId, "agent", now),
  };
}

/** Makes a further key of one kind. Null when there is no such project, or it has as many as it can have. Needs a transaction. */
export async function makeKey(tx: Db, projectId: string, kind: KeyKind, now: number): Promise<string | null> {
  if (!(await lockKeys(tx, projectId))) return null;
  if ((await countLastingKeys(tx, projectId, kind)) >= MAX_KEYS) return null;
  return addKey(tx, projectId, kind, now);
}

/**
 * Replaces a project's keys of one kind by one; they work `graceMs` longer at most. Null when there is no such project. Needs a
 * transaction.
 */
export async function rotateKey(
  db: Db,
  projectId: string,
  kind: KeyKind,
  now: number,
  graceMs: number,
): Promise<string | null> {
  if (!(await lockKeys(db, projectId))) return null;
  await expireKeys(db, projectId, kind, now, now + graceMs);
  return addKey(db, projectId, kind, now);
}

/** Makes a key for Tidings itself that works until `expiresAt` (epoch ms), and forgets those of its kind that are over. */
export async function lendKey(
  db: Db,
  { projectId, kind }: { projectId: string; kind: KeyKind },
  now: number,
  expiresAt: number,
): Promise<string> {
  await forgetExpiredKeys(db, projectId, kind, now);
  return addKey(db, projectId, kind, now, expiresAt);
}

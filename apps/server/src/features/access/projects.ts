import type { Db } from "../../platform/db/db.ts";
import type { KeyKind } from "../../platform/http/endpoint.ts";
import { newUuid } from "../../platform/uuid.ts";
import {
  expireKeys,
  firstOrganizationAcrossProjects,
  forgetExpiredKeys,
  insertKey,
  insertOrganization,
  insertProject,
  projectExists,
} from "./store.ts";
import { newToken, tokenDigest } from "./tokens.ts";

/** A new project's keys, in clear for the only time. */
export type ProjectKeys = { projectId: string; publishableKey: string; secretKey: string; agentKey: string };

async function addKey(
  db: Db,
  projectId: string,
  kind: KeyKind,
  now: number,
  expiresAt: number | null = null,
): Promise<string> {
  const token = newToken(kind);
  const publishableToken = kind === "publishable" ? token : null;
  await insertKey(db, {
    projectId,
    kind,
    digest: tokenDigest(token),
    publishableToken,
    createdAt: now,
    expiresAt,
  });
  return token;
}

/** The organization of this server, made when there is none. Needs a transaction. */
export async function theOrganization(db: Db, now: number): Promise<string> {
  const known = await firstOrganizationAcrossProjects(db);
  if (known !== null) return known;
  const id = newUuid(now);
  await insertOrganization(db, { id, name: "My organization", createdAt: now });
  return id;
}

/** Makes a project with one key of each kind, in the organization of this server. Needs a transaction. */
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

/** Replaces a project's key of one kind; the old one works `graceMs` longer. Null when there is no such project. Needs a transaction. */
export async function rotateKey(
  db: Db,
  projectId: string,
  kind: KeyKind,
  now: number,
  graceMs: number,
): Promise<string | null> {
  if (!(await projectExists(db, projectId))) return null;
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

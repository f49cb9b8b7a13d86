import type { Db } from "../../../platform/db/db.ts";
import type { CredentialScope } from "./schema.ts";
import type { CredentialStanding } from "./standing.pure.ts";

export type CredentialRow = CredentialScope & { id: string; revision: number };
export type SealedRow = CredentialRow & CredentialStanding & { sealed: Buffer };

const SHOWN = ["id", "appId", "platform", "environment", "revision"] as const;
const USED = [...SHOWN, "sealed", "acceptedBy", "refusedAt", "refusedCode", "isBarred", "probeAt"] as const;
/** What is known of a credential that was never used. */
const UNUSED = {
  acceptedBy: null,
  refusedAt: null,
  refusedCode: null,
  isBarred: false,
  probeAt: null,
  probes: 0,
};

export type NewCredential = CredentialScope & { id: string; sealed: Buffer; now: number };

/** Inserts the first credential of its scope; null where there is one already. */
export async function insertCredential(
  db: Db,
  projectId: string,
  { now, ...credential }: NewCredential,
): Promise<CredentialRow | null> {
  const row = await db
    .insertInto("pushCredentials")
    .values({ ...credential, projectId, revision: 1, createdAt: now, updatedAt: now })
    .onConflict((conflict) => conflict.columns(["projectId", "appId", "platform", "environment"]).doNothing())
    .returning(SHOWN)
    .executeTakeFirst();
  return row ?? null;
}

/** Replaces a credential that is still at the given revision; else null. What providers answered to the old one is forgotten. */
export async function replaceCredential(
  db: Db,
  projectId: string,
  { id, revision }: { id: string; revision: number },
  { sealed, now }: { sealed: Buffer; now: number },
): Promise<CredentialRow | null> {
  const row = await db
    .updateTable("pushCredentials")
    .set({ ...UNUSED, sealed, updatedAt: now, revision: revision + 1 })
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .where("revision", "=", revision)
    .returning(SHOWN)
    .executeTakeFirst();
  return row ?? null;
}

export async function findCredential(
  db: Db,
  projectId: string,
  { appId, platform, environment }: CredentialScope,
): Promise<SealedRow | null> {
  const row = await db
    .selectFrom("pushCredentials")
    .select(USED)
    .where("projectId", "=", projectId)
    .where("appId", "=", appId)
    .where("platform", "=", platform)
    .where("environment", "=", environment)
    .executeTakeFirst();
  return row ?? null;
}

/** The credentials of one app, at most one per platform and environment. */
export async function findCredentialsOfApp(db: Db, projectId: string, appId: string): Promise<SealedRow[]> {
  return db
    .selectFrom("pushCredentials")
    .select(USED)
    .where("projectId", "=", projectId)
    .where("appId", "=", appId)
    .orderBy("id")
    .execute();
}

/** Credentials in the order in which they were created, from the start or after one of them. */
export async function listCredentials(
  db: Db,
  projectId: string,
  afterId: string | null,
  limit: number,
): Promise<(CredentialRow & { sealed: Buffer })[]> {
  return db
    .selectFrom("pushCredentials")
    .select([...SHOWN, "sealed"])
    .where("projectId", "=", projectId)
    .$if(afterId !== null, (query) => query.where("id", ">", afterId))
    .orderBy("id")
    .limit(limit)
    .execute();
}

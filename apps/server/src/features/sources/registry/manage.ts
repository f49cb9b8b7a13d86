import { rm } from "node:fs/promises";
import type { Config } from "../../../platform/config.ts";
import type { Db } from "../../../platform/db/db.ts";
import type { Secrets } from "../../../platform/secrets/secrets.ts";
import { readTips } from "../git/public.ts";
import { parseCredential, urlFault } from "../git/url.pure.ts";
import { apiOf } from "../github/public.ts";
import { sealSourceCredential } from "./credential.ts";
import { mirrorsOf, remoteOf } from "./looks/remote.ts";
import {
  countSources,
  deleteSource,
  findSource,
  insertSource,
  listMappings,
  lookSoon,
  type MappingRow,
  type NewMapping,
  type NewSource,
  putMapping,
  type SourceRow,
} from "./store.ts";

/** The most sources of a project, and mappings of a source. */
export const MOST_SOURCES = 100;
export const MOST_MAPPINGS = 100;

type Where = { projectId: string; id: string };

/** Why a source of this kind cannot have this address, as the end of a sentence about it; null where it can. */
export function addressFault(
  { url, kind }: Pick<SourceRow, "url" | "kind">,
  { allowPrivate }: { allowPrivate: boolean },
): string | null {
  const fault = urlFault(url, { allowPrivate });
  if (fault !== null) return fault;
  if (kind === "github" && (!URL.canParse(url) || apiOf(url) === null))
    return "must be one of a repository at GitHub, such as https://github.com/acme/web.git";
  return null;
}

/** A credential as people give it, sealed for its source; or why it is none, as the end of a sentence about it. */
export function sealGiven(
  secrets: Secrets,
  { projectId, id }: Where,
  { credential, knownHosts }: { credential: string; knownHosts: string | null },
): { sealed: Buffer } | { fault: string } {
  const parsed = parseCredential(credential, knownHosts);
  return "fault" in parsed
    ? parsed
    : { sealed: sealSourceCredential(secrets, projectId, id, parsed.credential) };
}

/** Connects a repository. Needs a transaction. Answers why it is not connected where the project has one of that id, or too many. */
export async function connect(
  tx: Db,
  projectId: string,
  source: NewSource,
  now: number,
): Promise<"connected" | "known" | "too_many"> {
  if ((await countSources(tx, projectId)) >= MOST_SOURCES) return "too_many";
  return (await insertSource(tx, projectId, source, now)) ? "connected" : "known";
}

/**
 * Removes a source with its mappings, its deployments and its mirror; answers whether there was one. The mirror of a source whose removal is
 * rolled back is made anew at its next look.
 */
export async function remove(db: Db, config: Pick<Config, "dataDir">, where: Where): Promise<boolean> {
  if (!(await deleteSource(db, where.projectId, where.id))) return false;
  await rm(mirrorsOf(config, where), { recursive: true, force: true });
  return true;
}

/** What a repository answered when it was asked for the tip of its branch. */
export type Checked = { reason: string | null; detail: string | null; tipSha: string | null };

/** Asks a repository now whether it can be read. Changes nothing. @throws SealError where its credential was sealed with another key */
export async function check(
  config: Config,
  secrets: Secrets,
  source: SourceRow,
  signal: AbortSignal,
): Promise<Checked> {
  const ref = `refs/heads/${source.branch}`;
  const read = await readTips(remoteOf(config, secrets, source), { refs: [ref], signal });
  if (!read.ok) return { reason: read.reason, detail: read.detail, tipSha: null };
  const tipSha = read.tips.get(ref) ?? null;
  return { reason: tipSha === null ? "branch_missing" : null, detail: null, tipSha };
}

/**
 * Has campaigns wait for an environment, or confirms that anew, and the source looked at soon. Needs a transaction. Answers why not where
 * the project has no such source, or the source too many environments.
 */
export async function mapSource(
  tx: Db,
  projectId: string,
  mapping: NewMapping,
): Promise<MappingRow | "unknown" | "too_many"> {
  const { sourceId, environment, confirmedAt } = mapping;
  if ((await findSource(tx, projectId, sourceId, "for update")) === null) return "unknown";
  const all = await listMappings(tx, projectId, sourceId);
  if (all.filter((each) => each.environment !== environment).length >= MOST_MAPPINGS) return "too_many";
  await lookSoon(tx, projectId, [sourceId], confirmedAt);
  return putMapping(tx, projectId, mapping);
}

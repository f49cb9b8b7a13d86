import { hash } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../../../../platform/config.ts";
import type { Secrets } from "../../../../platform/secrets/secrets.ts";
import type { Remote } from "../../git/public.ts";
import { openCredential } from "../credential.ts";
import type { SourceRow } from "../store.ts";

/** Whether a source may lie on this machine or in its network: where this server allows that, and an operator has named its address. */
export const mayBePrivate = (
  { sourcesPrivate }: Pick<Config, "sourcesPrivate">,
  { byOperator }: Pick<SourceRow, "byOperator">,
): boolean => sourcesPrivate && byOperator;

/** Where a source is fetched from. @throws SealError where its credential was sealed with another key */
export const remoteOf = (config: Config, secrets: Secrets, source: SourceRow): Remote => ({
  url: source.url,
  credential: openCredential(secrets, source.projectId, source),
  allowPrivate: mayBePrivate(config, source),
  dnsServer: config.dnsServer,
  owner: source.projectId,
});

const nameOf = (text: string): string => hash("sha256", text, "hex").slice(0, 32);

/** The folder of all mirrors of a project on this server. */
export const mirrorsOfProject = ({ dataDir }: Pick<Config, "dataDir">, projectId: string): string =>
  join(dataDir, "mirrors", projectId);

/** Removes all mirrors of a project from this server. */
export const removeMirrors = (config: Pick<Config, "dataDir">, projectId: string): Promise<void> =>
  rm(mirrorsOfProject(config, projectId), { recursive: true, force: true });

/** The folder of a source's mirrors. A source id may contain what a file name may not. */
export const mirrorsOf = (
  config: Pick<Config, "dataDir">,
  { projectId, id }: Pick<SourceRow, "projectId" | "id">,
): string => join(mirrorsOfProject(config, projectId), nameOf(id));

/** The folder of its mirror: another one where it has become another repository, of which the former says nothing. */
export const mirrorFolder = (
  config: Pick<Config, "dataDir">,
  source: Pick<SourceRow, "projectId" | "id" | "url">,
): string => join(mirrorsOf(config, source), nameOf(source.url));

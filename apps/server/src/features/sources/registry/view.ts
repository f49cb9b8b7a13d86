import { beginningOf } from "@tidings/client/text";
import { apiId } from "../../../domain/ids.ts";
import type { DeploymentRow } from "./deployments/deployment-store.ts";
import type { Deployment, Mapping, Source } from "./schema.ts";
import type { MappingRow, SourceRow } from "./store.ts";

export const toMapping = ({
  id,
  environment,
  scope,
  follows,
  confirmedBy,
  confirmedAt,
}: MappingRow): Mapping => ({
  id: apiId("map", id),
  environment,
  scope,
  follows,
  confirmedBy,
  confirmedAt,
});

export const toSource = (row: SourceRow, mappings: readonly MappingRow[]): Source => ({
  id: row.id,
  kind: row.kind,
  repository: row.url,
  branch: row.branch,
  enabled: row.enabled,
  paused: row.paused,
  state: row.state,
  reason: row.reason,
  tipSha: row.tipSha,
  fetchedAt: row.fetchedAt,
  mappings: mappings.filter(({ sourceId }) => sourceId === row.id).map(toMapping),
});

export const toDeployment = ({ id, projectId: _, deploymentKey, ...row }: DeploymentRow): Deployment => ({
  id: apiId("dep", id),
  deploymentId: deploymentKey,
  ...row,
});

/** The place of a mapping for people: where the code comes from, and where it goes. */
export const mappingLabel = (
  { url }: Pick<SourceRow, "url">,
  { environment, scope }: Pick<MappingRow, "environment" | "scope">,
): string => {
  const repository = url
    .replace(/\/+$/, "")
    .replace(/\.git$/, "")
    .split(/[/:]/)
    .slice(-2)
    .join("/");
  return beginningOf(`${repository} ${environment}${scope === null ? "" : ` (${scope})`}`, 400);
};

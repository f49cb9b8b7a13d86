import { Anchor, Code, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { pageIn, useAddress } from "../../../platform/address.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { PagedRows } from "../../../ui/lists/paged-rows.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import classes from "../../../ui/look/long.module.css";
import { type Deployment, shortSha } from "../rules.ts";
import { words } from "../words.ts";
import { ReportSnippet } from "./report-snippet.tsx";

const PER_PAGE = 25;

/** A page about a deployment, which a report named: only an address that a browser may open from here. */
const pageOf = (url: string | null): string | null =>
  url !== null && /^https?:\/\//i.test(url) ? url : null;

const cellsOf = (scope: string, deployment: Deployment) => {
  const { environment, sourceId, sha, status, provider, label, deployedAt, url } = deployment;
  const page = pageOf(url);
  return [
    <div key="environment">
      <Text fw={600} className={classes.long}>
        {environment}
      </Text>
      <Anchor
        component={Link}
        to={`/p/${scope}/sources/${encodeURIComponent(sourceId)}`}
        size="sm"
        className={classes.long}
      >
        {sourceId}
      </Anchor>
    </div>,
    <div key="commit">
      <Code>{shortSha(sha)}</Code>
      {label !== null && (
        <Text size="sm" className={classes.long}>
          {label}
        </Text>
      )}
    </div>,
    words.statuses[status],
    page === null ? (
      (words.providers[provider] ?? provider)
    ) : (
      <Anchor key="page" href={page} target="_blank" rel="noreferrer" size="sm">
        {words.page}
      </Anchor>
    ),
    timeOf(deployedAt),
  ];
};

/** What was put where, the latest first; of one source where it is named. */
export function Deployments({ scope, sourceId }: { scope: string; sourceId?: string }) {
  const [address] = useAddress();
  const found = useOperation(scope, "listDeployments", {
    query: { perPage: PER_PAGE, page: pageIn(address), ...(sourceId !== undefined && { sourceId }) },
  });
  return (
    <Loaded query={found}>
      {(deployments) => (
        <PagedRows
          paging={deployments}
          heads={[words.environment, words.commit, words.outcome, words.from, words.when]}
          rows={deployments.deployments.map((each) => ({ id: each.id, cells: cellsOf(scope, each) }))}
          empty={
            <Stack>
              <Text fw={600}>{words.noDeployments}</Text>
              <ReportSnippet sourceId={sourceId ?? "web"} />
            </Stack>
          }
        />
      )}
    </Loaded>
  );
}

import { Stack, Text } from "@mantine/core";
import { pageIn, useAddress } from "../../../platform/address.ts";
import { numberOf } from "../../../platform/figures.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { WithCampaigns } from "../../../ui/campaigns/campaign-names.ts";
import { PagedRows } from "../../../ui/lists/paged-rows.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import classes from "../../../ui/look/long.module.css";
import type { Segment, Version } from "../rules.ts";
import { words } from "../words.ts";
import { makerOf } from "./maker.ts";
import { SegmentComparison } from "./segment-comparison.tsx";

const PER_PAGE = 25;

const cellsOf = (scope: string, { version, summary, reason, ...made }: Version) => [
  <Text key="version" size="sm" fw={600}>
    {numberOf(version)}
  </Text>,
  <Text key="membership" size="sm" className={classes.long}>
    <WithCampaigns scope={scope} text={summary ?? words.unreadable} />
  </Text>,
  <Text key="reason" size="sm" className={classes.long} {...(!reason && { c: "dimmed" })}>
    {reason || words.noReason}
  </Text>,
  made.agentRunId === null ? makerOf(made) : words.makers.agent,
  timeOf(made.createdAt),
  numberOf(made.campaigns.open),
];

/** What a segment was, version by version, and what changed between two of them. */
export function Versions({ scope, segment }: { scope: string; segment: Segment }) {
  const [address] = useAddress();
  const history = useOperation(scope, "listSegmentHistory", {
    path: { id: segment.id },
    query: { perPage: PER_PAGE, page: pageIn(address) },
  });
  return (
    <Stack>
      <Text c="dimmed">{words.versionsAbout}</Text>
      {segment.currentVersion > 1 && <SegmentComparison scope={scope} segment={segment} />}
      <Loaded query={history}>
        {(found) => (
          <PagedRows
            paging={found}
            heads={[words.version, words.summary, words.reason, words.author, words.when, words.campaigns]}
            rows={found.versions.map((version) => ({
              id: version.version,
              cells: cellsOf(scope, version),
            }))}
            empty={null}
          />
        )}
      </Loaded>
    </Stack>
  );
}

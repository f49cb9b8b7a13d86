import { Anchor, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { pageIn, useAddress } from "../../platform/address.ts";
import type { Campaign } from "../../platform/api-types.ts";
import { useOperation } from "../../platform/operations.ts";
import { timeOf } from "../../platform/times.ts";
import { PagedRows } from "../lists/paged-rows.tsx";
import { Loaded } from "../loaded.tsx";
import classes from "../look/long.module.css";
import { words } from "../words.ts";
import { StatusBadge } from "./campaign-status.tsx";
import { channelNames } from "./campaign-statuses.ts";
import { type ListedResults, useResults } from "./results.ts";

type Props = {
  scope: string;
  /** Whose campaigns are listed. */
  filter: { goalId: string } | { segmentId: string };
  /** What is said of each beside its name and status. */
  more: {
    head: string;
    /** Results come where the list wants them. */
    cell: (campaign: Campaign, results: ListedResults) => ReactNode;
    wantsResults?: true;
  };
  empty: ReactNode;
};

const PER_PAGE = 25;

/** The campaigns of a goal or of a segment, newest first. */
export function CampaignsOf({ scope, filter, more, empty }: Props) {
  const [address] = useAddress();
  const campaigns = useOperation(scope, "listCampaigns", {
    query: { ...filter, perPage: PER_PAGE, page: pageIn(address) },
  });
  const resultsOf = useResults(scope, more.wantsResults ? campaigns.data?.campaigns : undefined);
  return (
    <Loaded query={campaigns}>
      {(found) => (
        <PagedRows
          paging={found}
          heads={[words.campaign, words.status, more.head, words.made]}
          rows={found.campaigns.map((campaign) => ({
            id: campaign.id,
            cells: [
              <div key="name">
                <Anchor
                  component={Link}
                  to={`/p/${scope}/campaigns/${campaign.id}`}
                  fw={600}
                  className={classes.long}
                >
                  {campaign.name}
                </Anchor>
                <Text size="sm" c="dimmed">
                  {channelNames[campaign.channel]}
                </Text>
              </div>,
              <StatusBadge key="status" status={campaign.effectiveStatus} />,
              more.cell(campaign, resultsOf(campaign.id)),
              timeOf(campaign.createdAt),
            ],
          }))}
          empty={empty}
        />
      )}
    </Loaded>
  );
}

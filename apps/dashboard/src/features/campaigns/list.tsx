import { Anchor, Group, Select, Stack, Text } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import type { Answer } from "@tidings/client";
import type { ReactNode } from "react";
import { pageIn, useAddress } from "../../platform/address.ts";
import type { Campaign } from "../../platform/api-types.ts";
import { useOperation } from "../../platform/operations.ts";
import { timeOf } from "../../platform/times.ts";
import { StatusBadge } from "../../ui/campaigns/campaign-status.tsx";
import { figureOf, type ListedResults, useResults } from "../../ui/campaigns/results.ts";
import { RoleButton } from "../../ui/dialogs/role-button.tsx";
import { Empty } from "../../ui/lists/empty.tsx";
import { PagedRows } from "../../ui/lists/paged-rows.tsx";
import { Search } from "../../ui/lists/search.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import classes from "../../ui/look/long.module.css";
import { Page } from "../../ui/page.tsx";
import { OnceInList } from "./parts/once.tsx";
import { PausedLine } from "./parts/paused-line.tsx";
import { CAMPAIGN_STATUSES, figuresOf, isListed, type ListedFigure } from "./rules.ts";
import { words } from "./words.ts";

const PER_PAGE = 25;

type OfScope = { scope: string };

function Name({ scope, campaign: { id, name, channel } }: OfScope & { campaign: Campaign }) {
  return (
    <>
      <Anchor component={Link} to={`/p/${scope}/campaigns/${id}`} fw={600} className={classes.long}>
        {name}
      </Anchor>
      <Text size="sm" c="dimmed">
        {words.channels[channel]}
      </Text>
    </>
  );
}

type Row = { scope: string; campaign: Campaign; results: ListedResults; figures: readonly ListedFigure[] };

function cellsOf({ scope, campaign, results, figures }: Row) {
  return [
    <Name key="name" scope={scope} campaign={campaign} />,
    <Stack key="status" gap={4} align="flex-start">
      <StatusBadge status={campaign.effectiveStatus} />
      <PausedLine campaign={campaign} />
      <OnceInList campaign={campaign} />
    </Stack>,
    // What the channel of a campaign does not have stays empty: mail is not shown, and a message in the page is not sent.
    ...figures.map((figure) => (isListed(figure, campaign.channel) ? figureOf(results, figure) : null)),
    timeOf(campaign.createdAt),
  ];
}

function Filters() {
  const [{ status = "" }, change] = useAddress();
  return (
    <Group align="flex-end">
      <Search label={words.search} maxLength={200} />
      <Select
        label={words.status}
        data={[
          { value: "", label: words.all },
          ...CAMPAIGN_STATUSES.map((value) => ({ value, label: words.statuses[value] })),
        ]}
        value={status}
        allowDeselect={false}
        onChange={(chosen) => change({ status: chosen ?? "", page: "" })}
      />
    </Group>
  );
}

type FoundProps = OfScope & { found: Answer<"listCampaigns">; empty: ReactNode };

/** The campaigns of a page of the list, with the figures that their channels have. */
function Found({ scope, found, empty }: FoundProps) {
  const { campaigns } = found;
  const figures = figuresOf(campaigns);
  const resultsOf = useResults(scope, campaigns);
  return (
    <PagedRows
      paging={found}
      heads={[words.name, words.status, ...figures.map((figure) => words.figures[figure]), words.made]}
      rows={campaigns.map((campaign) => ({
        id: campaign.id,
        cells: cellsOf({ scope, campaign, results: resultsOf(campaign.id), figures }),
      }))}
      empty={empty}
    />
  );
}

export function CampaignsPage({ scope }: OfScope) {
  const navigate = useNavigate();
  const [address, change] = useAddress();
  const { q = "", status: chosen = "" } = address;
  const status = CAMPAIGN_STATUSES.find((each) => each === chosen);
  const campaigns = useOperation(scope, "listCampaigns", {
    query: {
      perPage: PER_PAGE,
      page: pageIn(address),
      ...(q !== "" && { q }),
      ...(status !== undefined && { status }),
    },
  });
  return (
    <Page
      about={words.about}
      actions={
        <RoleButton
          scope={scope}
          needs={"editor" as const}
          onClick={() => void navigate({ to: `/p/${scope}/campaigns/new` })}
        >
          {words.newCampaign}
        </RoleButton>
      }
    >
      <Filters />
      <Loaded query={campaigns}>
        {(found) => (
          <Found
            scope={scope}
            found={found}
            empty={
              <Empty
                title={words.none}
                about={words.noneAbout}
                filtered={
                  q !== "" || status !== undefined || found.page > 1
                    ? { title: words.noMatch, clear: () => change({ q: "", status: "", page: "" }) }
                    : null
                }
              />
            }
          />
        )}
      </Loaded>
    </Page>
  );
}

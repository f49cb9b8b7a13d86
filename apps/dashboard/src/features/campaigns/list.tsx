import { Anchor, Button, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import { pageIn, useAddress } from "../../platform/address.ts";
import { numberOf } from "../../platform/figures.ts";
import { useOperation } from "../../platform/operations.ts";
import { timeOf } from "../../platform/times.ts";
import { Loaded } from "../../ui/loaded.tsx";
import { Page } from "../../ui/page.tsx";
import { Pager } from "../../ui/pager.tsx";
import { Rows } from "../../ui/rows.tsx";
import classes from "./campaign.module.css";
import { StatusBadge } from "./parts/status-badge.tsx";
import { type Campaign, STATUSES, stepsOf } from "./rules.ts";
import { words } from "./words.ts";

const PER_PAGE = 25;
const AFTER_KEYS_MS = 250;

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

function cellsOf(scope: string, campaign: Campaign) {
  const [first] = stepsOf(campaign);
  return [
    <Name key="name" scope={scope} campaign={campaign} />,
    <StatusBadge key="status" status={campaign.effectiveStatus} />,
    numberOf(first?.count ?? 0),
    numberOf(campaign.stats.clicked),
    numberOf(campaign.stats.converted),
    timeOf(campaign.createdAt),
  ];
}

function Filters() {
  const [{ q = "", status = "" }, change] = useAddress();
  const search = useDebouncedCallback(
    (typed: string) => change({ q: typed, page: "" }, false),
    AFTER_KEYS_MS,
  );
  return (
    <Group align="flex-end">
      <TextInput
        type="search"
        label={words.search}
        defaultValue={q}
        maxLength={200}
        onChange={({ currentTarget }) => search(currentTarget.value)}
      />
      <Select
        label={words.status}
        data={[
          { value: "", label: words.all },
          ...STATUSES.map((value) => ({ value, label: words.statuses[value] })),
        ]}
        value={status}
        allowDeselect={false}
        onChange={(chosen) => change({ status: chosen ?? "", page: "" })}
      />
    </Group>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  const [, change] = useAddress();
  if (!isFiltered)
    return (
      <Stack gap="xs">
        <Text fw={600}>{words.none}</Text>
        <Text c="dimmed">{words.noneAbout}</Text>
      </Stack>
    );
  return (
    <Group>
      <Text>{words.noMatch}</Text>
      <Button variant="default" size="xs" onClick={() => change({ q: "", status: "", page: "" })}>
        {words.showAll}
      </Button>
    </Group>
  );
}

export function CampaignsPage({ scope }: OfScope) {
  const [address, change] = useAddress();
  const { q = "", status: chosen = "" } = address;
  const status = STATUSES.find((each) => each === chosen);
  const campaigns = useOperation(scope, "listCampaigns", {
    query: {
      ...{ perPage: PER_PAGE, page: pageIn(address) },
      ...(q !== "" && { q }),
      ...(status !== undefined && { status }),
    },
  });
  return (
    <Page title={words.label} about={words.about}>
      {/* The key takes what was typed away when the filters are taken away. */}
      <Filters key={String(q === "" && status === undefined)} />
      <Loaded of={campaigns}>
        {({ campaigns: found, total, page: shown, pageCount }) =>
          found.length === 0 ? (
            <Nothing isFiltered={q !== "" || status !== undefined || shown > 1} />
          ) : (
            <>
              <Rows
                heads={[words.name, words.status, words.reached, words.clicked, words.converted, words.made]}
                rows={found.map((campaign) => ({ id: campaign.id, cells: cellsOf(scope, campaign) }))}
              />
              <Pager {...{ total, pageCount }} page={shown} open={(next) => change({ page: String(next) })} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

import { Anchor, Badge, Group, Select, Text } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { pageIn, useAddress } from "../../platform/address.ts";
import { numberOf } from "../../platform/figures.ts";
import { useOperation } from "../../platform/operations.ts";
import { timeOf } from "../../platform/times.ts";
import { WithCampaigns } from "../../ui/campaigns/campaign-names.ts";
import { RoleButton } from "../../ui/dialogs/role-button.tsx";
import { Empty } from "../../ui/lists/empty.tsx";
import { PagedRows } from "../../ui/lists/paged-rows.tsx";
import { Search } from "../../ui/lists/search.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import classes from "../../ui/look/long.module.css";
import { optionsOf } from "../../ui/options.ts";
import { Page } from "../../ui/page.tsx";
import { makerOf } from "./parts/maker.ts";
import { type FoundSegment, SEGMENT_STATUSES } from "./rules.ts";
import { words } from "./words.ts";

const PER_PAGE = 25;

type OfScope = { scope: string };

/** How many campaigns use it, and how many have used it. */
function Use({ campaigns: { all, open } }: { campaigns: FoundSegment["campaigns"] }) {
  if (all === 0)
    return (
      <Text size="sm" c="dimmed">
        {words.unused}
      </Text>
    );
  return (
    <>
      <Text size="sm">{words.open(numberOf(open))}</Text>
      {all > open && (
        <Text size="sm" c="dimmed">
          {words.ended(numberOf(all - open))}
        </Text>
      )}
    </>
  );
}

const cellsOf = (scope: string, { id, key, name, status, summary, ...segment }: FoundSegment) => [
  <div key="name">
    <Group gap="xs">
      <Anchor component={Link} to={`/p/${scope}/segments/${id}`} fw={600} className={classes.long}>
        {name}
      </Anchor>
      {status === "archived" && <Badge variant="default">{words.statuses.archived}</Badge>}
    </Group>
    <Text size="sm" c="dimmed" className={classes.long}>
      {key}
    </Text>
  </div>,
  <Text key="membership" size="sm" className={classes.long} lineClamp={3}>
    <WithCampaigns scope={scope} text={summary ?? words.unreadable} />
  </Text>,
  numberOf(segment.currentVersion),
  <Use key="use" campaigns={segment.campaigns} />,
  <div key="made">
    <Text size="sm">{timeOf(segment.createdAt)}</Text>
    <Text size="sm" c="dimmed">
      {words.by(makerOf(segment))}
    </Text>
  </div>,
];

function Filters() {
  const [{ status = "" }, change] = useAddress();
  return (
    <Group align="flex-end">
      <Search label={words.search} maxLength={200} />
      <Select
        label={words.status}
        data={[{ value: "", label: words.all }, ...optionsOf(words.statuses)]}
        value={status}
        allowDeselect={false}
        onChange={(chosen) => change({ status: chosen ?? "", page: "" })}
      />
    </Group>
  );
}

export function SegmentsPage({ scope }: OfScope) {
  const navigate = useNavigate();
  const [address, change] = useAddress();
  const { q = "", status: chosen = "" } = address;
  const status = SEGMENT_STATUSES.find((each) => each === chosen);
  const found = useOperation(scope, "searchSegments", {
    query: {
      perPage: PER_PAGE,
      page: pageIn(address),
      ...(q !== "" && { q }),
      ...(status !== undefined && { status }),
    },
  });
  const isFiltered = q !== "" || status !== undefined || pageIn(address) > 1;
  return (
    <Page
      about={words.about}
      actions={
        <RoleButton
          scope={scope}
          needs={"editor" as const}
          onClick={() => void navigate({ to: `/p/${scope}/segments/new` })}
        >
          {words.newSegment}
        </RoleButton>
      }
    >
      <Filters />
      <Loaded query={found}>
        {(page) => (
          <PagedRows
            paging={page}
            heads={[words.name, words.membership, words.version, words.campaigns, words.made]}
            rows={page.segments.map((segment) => ({ id: segment.id, cells: cellsOf(scope, segment) }))}
            empty={
              <Empty
                title={words.none}
                about={words.noneAbout}
                filtered={
                  isFiltered
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

import { Anchor, Button, Group, Select, Stack, Text } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { pageIn, useAddress } from "../../platform/address.ts";
import { numberOf } from "../../platform/figures.ts";
import { roleAt, useMe } from "../../platform/me.ts";
import { useOperation } from "../../platform/operations.ts";
import { reaches } from "../../platform/pages.ts";
import { timeOf } from "../../platform/times.ts";
import { StatusBadge } from "../../ui/campaigns/campaign-status.tsx";
import { RoleButton } from "../../ui/dialogs/role-button.tsx";
import { hourInWords } from "../../ui/journey-steps/titles.ts";
import { Empty } from "../../ui/lists/empty.tsx";
import { PagedRows } from "../../ui/lists/paged-rows.tsx";
import { Search } from "../../ui/lists/search.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import long from "../../ui/look/long.module.css";
import { optionsOf } from "../../ui/options.ts";
import { Page } from "../../ui/page.tsx";
import { JOURNEY_STATUSES, type Journey } from "./rules.ts";
import { words } from "./words.ts";

const PER_PAGE = 25;

type OfScope = { scope: string };

/** How users come in, in few words. */
function listedEntry(entry: Journey["entry"]): string {
  if (entry.on === "event") return words.listed.event(entry.event);
  return entry.on === "schedule" ? words.listed.schedule(hourInWords(entry)) : words.listed[entry.on];
}

const cellsOf = (scope: string, { id, name, status, entry, steps, updatedAt }: Journey) => [
  <Anchor key="name" component={Link} to={`/p/${scope}/journeys/${id}`} fw={600} className={long.long}>
    {name}
  </Anchor>,
  <StatusBadge key="status" status={status} />,
  <Text key="entry" size="sm" className={long.long}>
    {listedEntry(entry)}
  </Text>,
  numberOf(steps.length),
  timeOf(updatedAt),
];

/** A list without journeys: what a journey is, and the way to the first one. */
function None({ scope }: OfScope) {
  const navigate = useNavigate();
  const mayMake = reaches(roleAt(useMe(), scope), "editor");
  return (
    <Stack align="flex-start">
      <Empty title={words.none} about={words.noneAbout} filtered={null} />
      {mayMake && (
        <Button variant="default" onClick={() => void navigate({ to: `/p/${scope}/journeys/new` })}>
          {words.makeFirst}
        </Button>
      )}
    </Stack>
  );
}

export function JourneysPage({ scope }: OfScope) {
  const navigate = useNavigate();
  const [address, change] = useAddress();
  const { q = "" } = address;
  const status = JOURNEY_STATUSES.find((each) => each === address.status);
  const journeys = useOperation(scope, "listJourneys", {
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
          onClick={() => void navigate({ to: `/p/${scope}/journeys/new` })}
        >
          {words.newJourney}
        </RoleButton>
      }
    >
      <Group align="flex-end">
        <Search label={words.search} maxLength={200} />
        <Select
          label={words.status}
          value={status ?? ""}
          allowDeselect={false}
          data={[{ value: "", label: words.all }, ...optionsOf(words.statuses)]}
          onChange={(value) => change({ status: value ?? "", page: "" })}
        />
      </Group>
      <Loaded query={journeys}>
        {(found) => (
          <PagedRows
            paging={found}
            heads={[words.name, words.status, words.entered, words.steps, words.changed]}
            rows={found.journeys.map((journey) => ({ id: journey.id, cells: cellsOf(scope, journey) }))}
            empty={
              isFiltered ? (
                <Empty
                  title={words.none}
                  about={words.noneAbout}
                  filtered={{ title: words.noMatch, clear: () => change({ q: "", status: "", page: "" }) }}
                />
              ) : (
                <None scope={scope} />
              )
            }
          />
        )}
      </Loaded>
    </Page>
  );
}

import { MultiSelect, Stack, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import type { Campaign } from "../../platform/api-types.ts";
import { useOperation } from "../../platform/operations.ts";
import { useCampaignNames } from "../campaigns/campaign-names.ts";
import { channelNames } from "../campaigns/campaign-statuses.ts";
import { Failed } from "../loaded.tsx";
import { words } from "./words.ts";

const MOST = 20;
const AFTER_KEYS_MS = 200;

/** Campaigns by a part of their names, or the newest: those of people first, then what programs send. */
function useFound(scope: string, typed: string, isWanted: boolean) {
  const [q] = useDebouncedValue(typed.trim(), AFTER_KEYS_MS);
  const query = { page: 1, perPage: MOST, ...(q !== "" && { q }) };
  const still = { enabled: isWanted, refetchInterval: false } as const;
  const campaigns = useOperation(scope, "listCampaigns", { query }, still);
  const templates = useOperation(
    scope,
    "listCampaigns",
    { query: { ...query, purpose: "transactional" as const } },
    still,
  );
  const both = [campaigns, templates];
  return {
    listed: both.flatMap(({ data }) => data?.campaigns ?? []),
    isSearching: q !== typed.trim() || both.some(({ data, isPlaceholderData }) => !data || isPlaceholderData),
    failed: both.find(({ error, data }) => error !== null && data === undefined),
  };
}

type Props = {
  scope: string;
  chosen: readonly string[];
  /** How many a condition may name. */
  most: number;
  change: (ids: readonly string[]) => void;
};

/** Chooses campaigns by their names; any where none is chosen. One that is not known is shown by its id. */
export function CampaignsField({ scope, chosen, most, change }: Props) {
  const [typed, setTyped] = useState("");
  const [wasOpened, setOpened] = useState(false);
  const { listed, isSearching, failed } = useFound(scope, typed, wasOpened);
  const names = useCampaignNames(scope, chosen);
  const known = new Map<string, Campaign>(listed.map((campaign) => [campaign.id, campaign]));
  const nameOf = (id: string): string => known.get(id)?.name ?? names[id] ?? id;
  return (
    <Stack gap={2} miw={0} flex={1}>
      <MultiSelect
        aria-label={words.campaigns}
        styles={{ inputField: { minWidth: "4rem" } }}
        placeholder={chosen.length === 0 ? words.anyCampaign : ""}
        data={[...new Set([...chosen, ...known.keys()])].map((value) => ({ value, label: nameOf(value) }))}
        renderOption={({ option: { value, label } }) => {
          const campaign = known.get(value);
          return (
            <span>
              {label}
              {campaign !== undefined && (
                <Text span size="sm" c="dimmed">
                  {` ${channelNames[campaign.channel]}`}
                </Text>
              )}
            </span>
          );
        }}
        value={[...chosen]}
        maxValues={most}
        hidePickedOptions
        searchable
        clearSearchOnChange
        searchValue={typed}
        onSearchChange={setTyped}
        onDropdownOpen={() => setOpened(true)}
        filter={({ options }) => options}
        nothingFoundMessage={isSearching ? words.searching : words.noCampaign}
        onChange={change}
      />
      {chosen.length >= most && (
        <Text size="sm" c="dimmed">
          {words.mostCampaigns(chosen.length)}
        </Text>
      )}
      {failed !== undefined && <Failed query={failed} />}
    </Stack>
  );
}

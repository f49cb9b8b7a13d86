import { Button, Group, Select, Stack, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { type FormEvent, useState } from "react";
import { useAddress } from "../../../platform/address.ts";
import type { CampaignDetail } from "../../../platform/api-types.ts";
import { useOperation } from "../../../platform/operations.ts";
import { Loaded } from "../../../ui/loaded.tsx";
import { UnknownUser } from "../../../ui/user/unknown-user.tsx";
import { AskWhy } from "../../../ui/why/ask.tsx";

import { words } from "../words.ts";

const MOST = 20;
const AFTER_KEYS_MS = 200;

type Props = { scope: string; campaign: CampaignDetail | undefined; choose: (id: string) => void };

/** Chooses a campaign by a part of its name; without one, of the newest. */
function CampaignChoice({ scope, campaign, choose }: Props) {
  const [typed, setTyped] = useState("");
  const [q] = useDebouncedValue(typed.trim(), AFTER_KEYS_MS);
  // What the field shows is the name of the chosen one: that asks for the others as well.
  const isSought = q !== "" && q !== campaign?.name.trim();
  const { data } = useOperation(
    scope,
    "listCampaigns",
    { query: { page: 1, perPage: MOST, ...(isSought && { q }) } },
    { refetchInterval: false },
  );
  const listed = data?.campaigns ?? [];
  const all = campaign === undefined ? listed : [campaign, ...listed.filter(({ id }) => id !== campaign.id)];
  return (
    <Select
      label={words.chooseCampaign}
      description={words.chooseCampaignAbout}
      data={all.map(({ id, name }) => ({ value: id, label: name }))}
      value={campaign?.id ?? null}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      filter={({ options }) => options}
      nothingFoundMessage={words.noCampaign}
      allowDeselect={false}
      w="min(24rem, 100%)"
      onChange={(chosen) => chosen !== null && choose(chosen)}
    />
  );
}

/** Why a user gets a campaign now, or does not. The question is in the address, so that it can be sent to a colleague. */
export function WhyNot({ scope, id }: { scope: string; id: string }) {
  const [{ campaign: campaignId = "", path = "" }, change] = useAddress();
  const found = useOperation(
    scope,
    "getCampaign",
    { path: { id: campaignId } },
    { enabled: campaignId !== "" },
  );
  const campaign = campaignId === "" ? undefined : found.data?.campaign;
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    change({ path: String(new FormData(event.currentTarget).get("path") ?? "").trim() });
  };
  return (
    <Stack>
      <Text c="dimmed">{words.whyAbout}</Text>
      <CampaignChoice
        scope={scope}
        campaign={campaign}
        choose={(chosen) => change({ campaign: chosen, path: "" })}
      />
      {campaignId !== "" && (
        <Loaded query={found}>
          {({ campaign: chosen }) => (
            <AskWhy
              scope={scope}
              path={path}
              campaign={chosen}
              user={id}
              form={(field) =>
                field !== false && (
                  // The key brings what "back" leads to into the field.
                  <form onSubmit={submit} key={`${chosen.id} ${path}`}>
                    <Group align="flex-end">
                      {field}
                      <Button type="submit">{words.ask}</Button>
                    </Group>
                  </form>
                )
              }
              unknownUser={(typed) => (
                <UnknownUser scope={scope} typed={typed} choose={() => change({ campaign: "" })} />
              )}
            />
          )}
        </Loaded>
      )}
    </Stack>
  );
}

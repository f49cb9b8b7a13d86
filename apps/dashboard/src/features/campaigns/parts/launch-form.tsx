import { Button, Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { numberOf } from "../../../platform/figures.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf, zoneName } from "../../../platform/times.ts";
import { Loaded } from "../../../ui/loaded.tsx";
import { Rows } from "../../../ui/rows.tsx";
import type { CampaignDetail, Census } from "../rules.ts";
import { words } from "../words.ts";

/** Every user of the audience is in one of these rows; those that count nobody are left out. */
function CensusRows({ census }: { census: Census }) {
  const { matched, heldOut, alreadyDelivered, unreachable, capped, willReceive } = census;
  const parts: [string, number][] = [
    [words.heldOut, heldOut],
    [words.alreadyDelivered, alreadyDelivered],
    ...unreachable.map(({ reason, users }): [string, number] => [words.unreachable[reason], users]),
    [words.capped, capped],
  ];
  const lines: [string, number][] = [
    [words.matched, matched],
    ...parts.filter(([, users]) => users > 0),
    [words.willReceive, willReceive],
  ];
  return (
    <Rows
      heads={[words.census, words.users]}
      rows={lines.map(([name, users]) => ({ id: name, cells: [name, numberOf(users)] }))}
    />
  );
}

type Props = {
  scope: string;
  campaign: CampaignDetail;
  problem: ReactNode;
  isLaunching: boolean;
  launch: () => void;
  cancel: () => void;
};

/** Says exactly whom a launch would reach, then launches. */
export function LaunchForm({ scope, campaign, problem, isLaunching, launch, cancel }: Props) {
  const census = useOperation(scope, "takeCampaignCensus", { path: { id: campaign.id } });
  return (
    <Stack>
      <Loaded of={census}>
        {(counted) => (
          <Stack gap="xs">
            <Text fw={600}>{words.getsIt[counted.channel](numberOf(counted.willReceive))}</Text>
            <CensusRows census={counted} />
            <Text size="sm" c="dimmed">
              {words.asOf(timeOf(counted.at), zoneName())}
            </Text>
          </Stack>
        )}
      </Loaded>
      {problem}
      <Group justify="flex-end">
        <Button variant="default" data-autofocus onClick={cancel}>
          {words.cancel}
        </Button>
        <Button loading={isLaunching} disabled={census.data === undefined} onClick={launch}>
          {campaign.status === "paused" ? words.resume : words.actions.launch}
        </Button>
      </Group>
    </Stack>
  );
}

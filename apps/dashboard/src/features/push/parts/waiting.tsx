import { Anchor, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { campaignStatuses } from "../../../ui/campaigns/campaign-statuses.ts";
import { Rows } from "../../../ui/lists/rows.tsx";
import classes from "../../../ui/look/long.module.css";
import { campaignFault, describePushReason, type PushCampaignStanding, type Way } from "../rules.ts";
import { words } from "../words.ts";

/** What users and devices of a campaign wait for, each with how many. */
export function Waits({ campaign: { users, devices } }: { campaign: PushCampaignStanding }) {
  const lines = [
    ...users.map(({ count, reason }) => words.usersWait(count, describePushReason(reason))),
    ...devices.map(({ count, reason }) => words.devicesWait(count, describePushReason(reason))),
  ];
  if (lines.length === 0) return <Text size="sm">{words.nothingWaits}</Text>;
  return (
    <Stack gap={4}>
      {lines.map((line) => (
        <Text key={line} size="sm">
          {line}
        </Text>
      ))}
    </Stack>
  );
}

type Props = { scope: string; campaigns: readonly PushCampaignStanding[]; ways: readonly Way[] };

/** Push campaigns that are not over, with why nothing of them leaves. */
export function CampaignsThatWait({ scope, campaigns, ways }: Props) {
  if (campaigns.length === 0) return <Text>{words.noCampaigns}</Text>;
  const now = Date.now();
  return (
    <Rows
      heads={[words.campaign, words.status, words.waits]}
      rows={campaigns.map((campaign) => ({
        id: campaign.id,
        cells: [
          <Anchor
            key="name"
            component={Link}
            to={`/p/${scope}/push/campaigns/${campaign.id}`}
            fw={600}
            className={classes.long}
          >
            {campaign.name}
          </Anchor>,
          campaignFault(campaign, ways, now) ?? campaignStatuses[campaign.status],
          <Waits key="waits" campaign={campaign} />,
        ],
      }))}
    />
  );
}

import { Anchor, Badge, Group, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { timeOf } from "../../../platform/times.ts";
import { Rows } from "../../../ui/lists/rows.tsx";
import classes from "../../../ui/look/long.module.css";
import { UserName } from "../../../ui/user/user-name.tsx";
import { describeSlotState, type Slot, type Way } from "../rules.ts";
import { words } from "../words.ts";

type OfCampaign = { scope: string; campaignId: string; name: string; isTest: boolean };

/** A push campaign, with a mark where it was a test of it. */
export const CampaignOf = ({ scope, campaignId, name, isTest }: OfCampaign) => (
  <Group gap="xs">
    <Anchor
      component={Link}
      to={`/p/${scope}/push/campaigns/${campaignId}`}
      size="sm"
      className={classes.long}
    >
      {name}
    </Anchor>
    {isTest && <Badge variant="default">{words.isTest}</Badge>}
  </Group>
);

const cellsOf = (scope: string, slot: Slot, platform: Way["platform"]) => [
  <CampaignOf
    key="campaign"
    scope={scope}
    campaignId={slot.campaignId}
    name={slot.campaignName}
    isTest={slot.isTest}
  />,
  slot.userId === null ? words.none : <UserName key="user" scope={scope} userId={slot.userId} size="sm" />,
  <Text key="state" size="sm">
    {describeSlotState(slot, platform)}
  </Text>,
  words.times(slot.submissionsUsed),
  timeOf(slot.createdAt),
  slot.receiptAt === null ? null : timeOf(slot.receiptAt),
];

/** The pushes for a device, as they are now. */
export function SlotsOf({
  scope,
  slots,
  platform,
}: {
  scope: string;
  slots: readonly Slot[];
  platform: Way["platform"];
}) {
  if (slots.length === 0) return <Text size="sm">{words.noPushes}</Text>;
  return (
    <Rows
      heads={[words.campaign, words.user, words.now, words.submissions, words.since, words.seen]}
      rows={slots.map((slot) => ({ id: slot.slotId, cells: cellsOf(scope, slot, platform) }))}
    />
  );
}

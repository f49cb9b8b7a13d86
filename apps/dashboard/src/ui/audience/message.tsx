import { Group, NativeSelect, Text } from "@mantine/core";
import { CampaignsField } from "./campaigns-field.tsx";
import { Occurrences } from "./occurrences.tsx";
import {
  type AudienceCapabilities,
  byChannel,
  type Deed,
  deedsOf,
  type MessageChannel,
  type MessageNode,
  ofCampaigns,
} from "./tree.pure.ts";
import { words } from "./words.ts";

type Props = {
  scope: string;
  node: MessageNode;
  capabilities: AudienceCapabilities;
  change: (node: MessageNode) => void;
};

const ANY = "";

/** With how many messages a user did something: by a channel, of some campaigns and in a time where those matter. */
export function MessageFields({ scope, node, capabilities, change }: Props) {
  const { did, channel, campaigns = [] } = node;
  const { messageDeeds, limits } = capabilities.expression;
  const channels = Object.keys(messageDeeds) as MessageChannel[];
  return (
    <>
      <NativeSelect
        aria-label={words.deed}
        data={deedsOf(channel, capabilities).map((value) => ({ value, label: words.deeds[value] }))}
        value={did}
        onChange={({ currentTarget }) => change({ ...node, did: currentTarget.value as Deed })}
      />
      <NativeSelect
        aria-label={words.channel}
        data={[
          { value: ANY, label: words.anyChannel },
          ...channels.map((value) => ({ value, label: words.channels[value] })),
        ]}
        value={channel ?? ANY}
        onChange={({ currentTarget: { value } }) =>
          change(byChannel(node, value === ANY ? undefined : (value as MessageChannel), capabilities))
        }
      />
      <Occurrences node={node} units={words.messages} change={change} />
      <Group gap={6} wrap="nowrap" align="flex-start" miw={0} maw="28rem" flex="1 1 28rem">
        <Text size="sm" py={6}>
          {words.from}
        </Text>
        <CampaignsField
          scope={scope}
          chosen={campaigns}
          most={limits.maxCampaigns ?? Number.POSITIVE_INFINITY}
          change={(chosen) => change(ofCampaigns(node, chosen))}
        />
      </Group>
    </>
  );
}

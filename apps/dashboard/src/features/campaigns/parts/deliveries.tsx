import { Anchor, Group, Select, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { pageIn, useAddress } from "../../../platform/address.ts";
import type { CampaignDetail } from "../../../platform/api-types.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { type DeliveryState, deliveryStates, stateInWords } from "../../../ui/campaigns/delivery-states.ts";
import { Empty } from "../../../ui/lists/empty.tsx";
import { PagedRows } from "../../../ui/lists/paged-rows.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { MessageLink } from "../../../ui/preview/message-link.tsx";
import { SaveList } from "../../../ui/save/save-list.tsx";
import { UserName } from "../../../ui/user/user-name.tsx";
import { type Delivery, lastChangeOf } from "../rules.ts";
import { words } from "../words.ts";

const PER_PAGE = 50;
const STATES = Object.keys(deliveryStates) as DeliveryState[];

const cellsOf = (scope: string, campaign: CampaignDetail, delivery: Delivery) => [
  <UserName
    key="user"
    scope={scope}
    userId={delivery.endUserId}
    externalUserId={delivery.externalUserId}
    fw={600}
  />,
  <Stack key="variant" gap={0}>
    <Text size="sm">{delivery.variantName}</Text>
    <MessageLink scope={scope} campaignId={campaign.id} title={delivery.variantTitle} />
  </Stack>,
  stateInWords(delivery.state, campaign),
  timeOf(delivery.queuedAt),
  timeOf(lastChangeOf(delivery)),
];

/** The deliveries of a campaign, newest first. */
export function Deliveries({ scope, campaign }: { scope: string; campaign: CampaignDetail }) {
  const { id: campaignId, channel } = campaign;
  const [address, change] = useAddress();
  const { state: chosen = "" } = address;
  const state = STATES.find((each) => each === chosen);
  const deliveries = useOperation(scope, "listCampaignDeliveries", {
    path: { id: campaignId },
    query: { perPage: PER_PAGE, page: pageIn(address), ...(state !== undefined && { state }) },
  });
  return (
    <Stack>
      {channel === "push" && (
        <Anchor component={Link} to={`/p/${scope}/push/campaigns/${campaignId}`} size="sm">
          {words.pushRecords}
        </Anchor>
      )}
      <Group justify="space-between" align="flex-end">
        <Select
          label={words.state}
          data={[
            { value: "", label: words.everyState },
            ...STATES.map((value) => ({ value, label: deliveryStates[value] })),
          ]}
          value={state ?? ""}
          allowDeselect={false}
          maw="16rem"
          onChange={(value) => change({ state: value ?? "", page: "" })}
        />
        <Group>
          {channel === "email" && (
            <SaveList
              scope={scope}
              list={"extractSends" as const}
              query={{ campaignId }}
              label={words.saveMails}
              about={words.saveMailsAbout}
            />
          )}
          <SaveList
            scope={scope}
            list={"extractDeliveries" as const}
            about={words.saveAbout}
            query={{ campaignId, ...(state !== undefined && { state }) }}
          />
        </Group>
      </Group>
      <Loaded query={deliveries}>
        {(found) => (
          <PagedRows
            paging={found}
            heads={[words.user, words.variant, words.state, words.queued, words.last]}
            rows={found.deliveries.map((delivery) => ({
              id: delivery.id,
              cells: cellsOf(scope, campaign, delivery),
            }))}
            empty={
              <Empty
                title={words.noDelivery}
                about={words.noDeliveryAbout}
                filtered={
                  state !== undefined || found.page > 1
                    ? { title: words.noDeliveries, clear: () => change({ state: "", page: "" }) }
                    : null
                }
              />
            }
          />
        )}
      </Loaded>
    </Stack>
  );
}

import { Stack, Text } from "@mantine/core";
import { pageIn, useAddress } from "../../../platform/address.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { PagedRows } from "../../../ui/lists/paged-rows.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { To } from "../../../ui/to.tsx";
import { words } from "../words.ts";
import { CampaignLink, DeliveryStateBadge, VariantOf } from "./cells.tsx";
import { Withheld } from "./withheld.tsx";

const PER_PAGE = 50;

type Props = {
  scope: string;
  id: string;
  /** The customer's own id of the user. */
  externalUserId: string;
};

/** The messages for a user, newest queued first. */
export function UserMessages({ scope, id, externalUserId }: Props) {
  const [address] = useAddress();
  const deliveries = useOperation(scope, "listUserDeliveries", {
    path: { id },
    query: { perPage: PER_PAGE, page: pageIn(address) },
  });
  return (
    <Stack gap="xl">
      <To scope={scope} path="templates" search={{ view: "sends", user: externalUserId }}>
        {words.receipts}
      </To>
      <Loaded query={deliveries}>
        {(found) => (
          <PagedRows
            paging={found}
            heads={[words.campaign, words.variant, words.state, words.queued]}
            rows={found.deliveries.map((delivery) => ({
              id: delivery.id,
              cells: [
                <CampaignLink key="campaign" scope={scope} delivery={delivery} />,
                <VariantOf key="variant" scope={scope} delivery={delivery} />,
                <DeliveryStateBadge key="state" delivery={delivery} />,
                timeOf(delivery.queuedAt),
              ],
            }))}
            empty={<Text>{words.noMessages}</Text>}
          />
        )}
      </Loaded>
      <Withheld scope={scope} id={id} />
    </Stack>
  );
}

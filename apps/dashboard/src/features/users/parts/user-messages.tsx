import { Stack, Text } from "@mantine/core";
import { pageIn, useAddress } from "../../../platform/address.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { PagedRows } from "../../../ui/lists/paged-rows.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { words } from "../words.ts";
import { CampaignLink, DeliveryStateBadge, VariantOf } from "./cells.tsx";
import { Withheld } from "./withheld.tsx";

const PER_PAGE = 50;

/** The messages for a user, newest queued first. */
export function UserMessages({ scope, id }: { scope: string; id: string }) {
  const [address] = useAddress();
  const deliveries = useOperation(scope, "listUserDeliveries", {
    path: { id },
    query: { perPage: PER_PAGE, page: pageIn(address) },
  });
  return (
    <Stack gap="xl">
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

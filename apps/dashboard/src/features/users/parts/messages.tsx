import { Text } from "@mantine/core";
import { pageIn, useAddress } from "../../../platform/address.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { Loaded } from "../../../ui/loaded.tsx";
import { Pager } from "../../../ui/pager.tsx";
import { Rows } from "../../../ui/rows.tsx";
import { words } from "../words.ts";
import { CampaignLink, StateOf } from "./cells.tsx";

const PER_PAGE = 50;

/** The messages for a user, newest queued first. */
export function Messages({ scope, id }: { scope: string; id: string }) {
  const [address, change] = useAddress();
  const deliveries = useOperation(scope, "listUserDeliveries", {
    path: { id },
    query: { perPage: PER_PAGE, page: pageIn(address) },
  });
  return (
    <Loaded of={deliveries}>
      {({ deliveries: found, total, page: shown, pageCount }) =>
        found.length === 0 ? (
          <Text>{words.noMessages}</Text>
        ) : (
          <>
            <Rows
              heads={[words.campaign, words.variant, words.state, words.queued]}
              rows={found.map((delivery) => ({
                id: delivery.id,
                cells: [
                  <CampaignLink key="campaign" scope={scope} delivery={delivery} />,
                  delivery.variantName,
                  <StateOf key="state" delivery={delivery} />,
                  timeOf(delivery.queuedAt),
                ],
              }))}
            />
            <Pager {...{ total, pageCount }} page={shown} open={(next) => change({ page: String(next) })} />
          </>
        )
      }
    </Loaded>
  );
}

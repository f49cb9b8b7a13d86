import { Text } from "@mantine/core";
import { pageIn, useAddress } from "../../../platform/address.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { PagedRows } from "../../../ui/lists/paged-rows.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { Properties } from "../../../ui/texts/properties.tsx";
import { words } from "../words.ts";

const PER_PAGE = 50;

/** What a user did, newest first. */
export function Events({ scope, id }: { scope: string; id: string }) {
  const [address] = useAddress();
  const events = useOperation(scope, "listUserEvents", {
    path: { id },
    query: { perPage: PER_PAGE, page: pageIn(address) },
  });
  return (
    <Loaded query={events}>
      {(found) => (
        <PagedRows
          paging={found}
          heads={[words.event, words.details, words.when]}
          rows={found.events.map((event) => ({
            id: event.id,
            cells: [event.name, <Properties key="props" values={event.props} />, timeOf(event.ts)],
          }))}
          empty={<Text>{words.noEvents}</Text>}
        />
      )}
    </Loaded>
  );
}

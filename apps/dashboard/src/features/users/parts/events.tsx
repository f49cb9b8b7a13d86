import { Text } from "@mantine/core";
import { pageIn, useAddress } from "../../../platform/address.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { Loaded } from "../../../ui/loaded.tsx";
import { Pager } from "../../../ui/pager.tsx";
import { Rows } from "../../../ui/rows.tsx";
import { words } from "../words.ts";
import { Props } from "./cells.tsx";

const PER_PAGE = 50;

/** What a user did, newest first. */
export function Events({ scope, id }: { scope: string; id: string }) {
  const [address, change] = useAddress();
  const events = useOperation(scope, "listUserEvents", {
    path: { id },
    query: { perPage: PER_PAGE, page: pageIn(address) },
  });
  return (
    <Loaded of={events}>
      {({ events: found, total, page: shown, pageCount }) =>
        found.length === 0 ? (
          <Text>{words.noEvents}</Text>
        ) : (
          <>
            <Rows
              heads={[words.event, words.details, words.when]}
              rows={found.map((event) => ({
                id: event.id,
                cells: [event.name, <Props key="props" of={event} />, timeOf(event.ts)],
              }))}
            />
            <Pager {...{ total, pageCount }} page={shown} open={(next) => change({ page: String(next) })} />
          </>
        )
      }
    </Loaded>
  );
}

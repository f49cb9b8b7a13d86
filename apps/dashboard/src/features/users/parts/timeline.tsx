import { Stack, Text } from "@mantine/core";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { Rows } from "../../../ui/lists/rows.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { Properties } from "../../../ui/texts/properties.tsx";
import { type Happening, timelineOf } from "../rules.ts";
import { words } from "../words.ts";
import { CampaignLink, DeliveryStateBadge } from "./cells.tsx";

const PER_PAGE = 50;

function cellsOf(scope: string, happening: Happening) {
  const when = timeOf(happening.at);
  if (happening.kind === "event")
    return [when, words.did(happening.event.name), <Properties key="props" values={happening.event.props} />];
  return [
    when,
    words.got,
    <Text key="message" size="sm" component="span">
      <CampaignLink scope={scope} delivery={happening.delivery} />{" "}
      <DeliveryStateBadge delivery={happening.delivery} />
    </Text>,
  ];
}

/** What a user did and what they got, in one list. */
export function Timeline({ scope, id }: { scope: string; id: string }) {
  const input = { path: { id }, query: { perPage: PER_PAGE } };
  const events = useOperation(scope, "listUserEvents", input);
  const deliveries = useOperation(scope, "listUserDeliveries", input);
  return (
    <Loaded query={events}>
      {(did) => (
        <Loaded query={deliveries}>
          {(got) => {
            const { happenings, isAll } = timelineOf(did, got);
            if (happenings.length === 0) return <Text>{words.nothing}</Text>;
            return (
              <Stack gap="xs">
                <Rows
                  heads={[words.when, words.what, words.details]}
                  rows={happenings.map((happening) => ({
                    id: happening.kind === "event" ? happening.event.id : happening.delivery.id,
                    cells: cellsOf(scope, happening),
                  }))}
                />
                {!isAll && (
                  <Text size="sm" c="dimmed">
                    {words.onlyNewest}
                  </Text>
                )}
              </Stack>
            );
          }}
        </Loaded>
      )}
    </Loaded>
  );
}

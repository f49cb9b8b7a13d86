import { Anchor, Stack, Text } from "@mantine/core";
import { useAddress } from "../../../platform/address.ts";
import { numberOf } from "../../../platform/figures.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { Rows } from "../../../ui/lists/rows.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import classes from "../../../ui/look/long.module.css";
import { words as ui } from "../../../ui/words.ts";
import { propertiesOf } from "../rules.ts";
import { words } from "../words.ts";

/** The names that events have had, with how many there were. */
export function EventNames({ scope }: { scope: string }) {
  const [, change] = useAddress();
  const capabilities = useOperation(scope, "getAudienceCapabilities");
  const show = (name: string): void => change({ view: "", name, page: "" });
  return (
    <Loaded query={capabilities}>
      {({ capabilities: { events, eventsTruncated } }) => {
        if (events.length === 0) return <Text>{words.noNames}</Text>;
        return (
          <Stack>
            <Rows
              heads={[words.name, words.occurrences, words.users, words.last, words.properties]}
              rows={events.map((event) => ({
                id: event.name,
                cells: [
                  <Anchor
                    key="name"
                    component="button"
                    type="button"
                    ta="start"
                    fw={600}
                    className={classes.long}
                    onClick={() => show(event.name)}
                  >
                    {event.name}
                  </Anchor>,
                  numberOf(event.occurrences),
                  numberOf(event.users),
                  event.lastSeenAt === null ? ui.never : timeOf(event.lastSeenAt),
                  <Text key="properties" size="sm" className={classes.long} lineClamp={3}>
                    {propertiesOf(event)}
                  </Text>,
                ],
              }))}
            />
            {eventsTruncated && (
              <Text size="sm" c="dimmed">
                {words.more}
              </Text>
            )}
          </Stack>
        );
      }}
    </Loaded>
  );
}

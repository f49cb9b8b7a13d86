import { Anchor, Group, Stack, Text } from "@mantine/core";
import { pageIn, useAddress } from "../../../platform/address.ts";
import { useOperation } from "../../../platform/operations.ts";
import { exactTimeOf } from "../../../platform/times.ts";
import { PagedRows } from "../../../ui/lists/paged-rows.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import classes from "../../../ui/look/long.module.css";
import { SaveList } from "../../../ui/save/save-list.tsx";
import { Properties } from "../../../ui/texts/properties.tsx";
import type { FoundUser } from "../../../ui/user/sought.pure.ts";
import { isOfUnknownUser, UnknownUser } from "../../../ui/user/unknown-user.tsx";
import { UserName } from "../../../ui/user/user-name.tsx";
import { type Event, shownBy } from "../rules.ts";
import { words } from "../words.ts";
import { EventDialog } from "./event-dialog.tsx";
import { EventFilters } from "./event-filters.tsx";
import { NoEvents } from "./no-events.tsx";
import { NoEventsOf } from "./no-events-of.tsx";
import { Pace } from "./pace.tsx";

const PER_PAGE = 50;
/** How often the stream is read again while it is live. */
const EVERY_MS = 2_000;

type Open = (event: Event) => void;

function cellsOf(scope: string, event: Event, open: Open) {
  const { id, name, props, ts, endUserId, externalUserId } = event;
  return [
    <Text key="when" size="sm" style={{ whiteSpace: "nowrap" }}>
      {exactTimeOf(ts)}
    </Text>,
    <Anchor
      key="name"
      component="button"
      type="button"
      ta="start"
      fw={600}
      className={classes.long}
      aria-label={words.open(name)}
      aria-haspopup="dialog"
      id={id}
      onClick={() => open(event)}
    >
      {name}
    </Anchor>,
    externalUserId === "" ? (
      words.erased
    ) : (
      <div key="user">
        <UserName scope={scope} userId={endUserId} externalUserId={externalUserId} size="sm" />
      </div>
    ),
    <Properties key="properties" values={props} lines={2} />,
  ];
}

/** What users do, the newest first, as it comes. */
export function Stream({ scope }: { scope: string }) {
  const [address, change] = useAddress();
  const { name, user, stillAt, open } = shownBy(address);
  const page = pageIn(address);
  const filter = { ...(name !== "" && { name }), ...(user !== "" && { externalUserId: user }) };
  const isLive = stillAt === null && page === 1;
  const found = useOperation(
    scope,
    "listEvents",
    { query: { perPage: PER_PAGE, page, ...filter, ...(stillAt !== null && { until: stillAt }) } },
    { refetchInterval: isLive ? EVERY_MS : false },
  );
  const fresh = useOperation(
    scope,
    "listEvents",
    { query: { perPage: 1, ...filter, since: (stillAt ?? 0) + 1 } },
    { enabled: stillAt !== null, refetchInterval: EVERY_MS },
  );
  const newest = found.data?.events[0]?.ts ?? null;
  const isFiltered = name !== "" || user !== "";
  const choose = ({ externalUserId }: FoundUser): void => change({ user: externalUserId, page: "" });
  const none = (
    <NoEvents
      scope={scope}
      isFiltered={isFiltered || page > 1 || stillAt !== null}
      clear={() => change({ name: "", user: "", until: "", page: "" })}
    />
  );
  return (
    <Stack>
      <Group justify="space-between" align="flex-end">
        <EventFilters scope={scope} name={name} />
        <SaveList
          scope={scope}
          list={"extractEvents" as const}
          about={words.saveAbout}
          query={{ ...filter, ...(stillAt !== null && { until: stillAt }) }}
        />
      </Group>
      <Pace
        stillAt={stillAt}
        isFirst={page === 1}
        fresh={stillAt === null ? 0 : (fresh.data?.total ?? 0)}
        stop={newest === null ? null : () => change({ until: String(newest) })}
        goOn={() => change({ until: "", at: "", event: "", page: "" })}
      />
      {isOfUnknownUser(found.error, "externalUserId") ? (
        <UnknownUser scope={scope} choose={choose} typed={user} title={words.notOwnId} />
      ) : (
        <Loaded query={found}>
          {(events) => (
            <>
              <PagedRows
                paging={events}
                heads={[words.when, words.name, words.user, words.properties]}
                rows={events.events.map((event) => ({
                  id: event.id,
                  cells: cellsOf(scope, event, ({ id }) =>
                    change({ event: id, at: String(stillAt ?? newest ?? "") }),
                  ),
                }))}
                empty={
                  user === "" ? (
                    none
                  ) : (
                    <NoEventsOf scope={scope} user={user} choose={choose}>
                      {none}
                    </NoEventsOf>
                  )
                }
              />
              <EventDialog
                scope={scope}
                event={events.events.find(({ id }) => id === open) ?? null}
                close={() => change({ event: "", at: "" })}
              />
              {events.countedThrough !== undefined && (
                <Text size="sm" c="dimmed">
                  {words.counted(exactTimeOf(events.countedThrough))}
                </Text>
              )}
            </>
          )}
        </Loaded>
      )}
    </Stack>
  );
}

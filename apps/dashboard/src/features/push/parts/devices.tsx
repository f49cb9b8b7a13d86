import { Anchor, Group, Select, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { pageIn, useAddress } from "../../../platform/address.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { Empty } from "../../../ui/lists/empty.tsx";
import { PagedRows } from "../../../ui/lists/paged-rows.tsx";
import { Search } from "../../../ui/lists/search.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import classes from "../../../ui/look/long.module.css";
import { optionsOf } from "../../../ui/options.ts";
import { UserName } from "../../../ui/user/user-name.tsx";
import { words as ui } from "../../../ui/words.ts";
import { filterIn, isFiltered, NO_FILTER } from "../filter.ts";
import { describeWay, deviceFault, type Installation } from "../rules.ts";
import { words } from "../words.ts";

const PER_PAGE = 25;

function Choice({ label, name, labels }: { label: string; name: string; labels: Record<string, string> }) {
  const [address, change] = useAddress();
  return (
    <Select
      label={label}
      data={[{ value: "", label: words.every }, ...optionsOf(labels)]}
      value={address[name] ?? ""}
      allowDeselect={false}
      w="10rem"
      onChange={(chosen) => change({ [name]: chosen ?? "", page: "" })}
    />
  );
}

/** The apps whose devices or credentials are there. */
function AppChoice({ scope }: { scope: string }) {
  const standing = useOperation(scope, "getPushStanding", {});
  const apps = [...new Set(standing.data?.ways.map(({ appId }) => appId))];
  if (apps.length < 2) return null;
  return <Choice label={words.app} name="app" labels={Object.fromEntries(apps.map((app) => [app, app]))} />;
}

function Reach({ installation }: { installation: Installation }) {
  const fault = deviceFault(installation);
  return <Text size="sm">{fault === null ? words.yes : words.deviceReasons[fault]}</Text>;
}

const cellsOf = (scope: string, installation: Installation) => [
  <Anchor
    key="device"
    component={Link}
    to={`/p/${scope}/push/devices/${encodeURIComponent(installation.id)}`}
    fw={600}
    className={classes.long}
  >
    {installation.id}
  </Anchor>,
  installation.userId === null ? (
    words.noUser
  ) : (
    <UserName key="user" scope={scope} userId={installation.userId} size="sm" />
  ),
  <div key="app">
    <Text size="sm" className={classes.long}>
      {installation.appId}
    </Text>
    <Text size="sm" c="dimmed">
      {describeWay(installation)}
    </Text>
  </div>,
  <Reach key="reach" installation={installation} />,
  installation.lastActiveAt === null ? ui.never : timeOf(installation.lastActiveAt),
  timeOf(installation.createdAt),
];

/** The devices that have registered, the newest first. */
export function Devices({ scope }: { scope: string }) {
  const [address, change] = useAddress();
  const page = pageIn(address);
  const filter = filterIn(address);
  const found = useOperation(scope, "listInstallations", { query: { perPage: PER_PAGE, page, ...filter } });
  return (
    <Stack>
      <Search label={words.search} description={words.searchAbout} maxLength={256} maw="28rem" />
      <Group align="flex-end">
        <AppChoice scope={scope} />
        <Choice label={words.place} name="platform" labels={words.platforms} />
        <Choice label={words.token} name="token" labels={words.tokens} />
        <Choice label={words.permission} name="permission" labels={words.permissions} />
        <Choice label={words.consent} name="consent" labels={words.consents} />
      </Group>
      <Loaded query={found}>
        {({ installations, total }) => (
          <PagedRows
            paging={{ page, total, pageCount: Math.ceil(total / PER_PAGE) }}
            heads={[words.device, words.user, words.app, words.reachable, words.lastActive, words.registered]}
            rows={installations.map((each) => ({ id: each.id, cells: cellsOf(scope, each) }))}
            empty={
              <Empty
                title={words.noDevice}
                about={words.noDeviceAbout}
                filtered={
                  isFiltered(filter) || page > 1
                    ? { title: words.noMatch, clear: () => change({ ...NO_FILTER, page: "" }) }
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

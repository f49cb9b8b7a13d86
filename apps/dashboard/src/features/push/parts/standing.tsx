import { Alert, Badge, Stack, Text, Title } from "@mantine/core";
import { curlOf } from "../../../platform/curl.ts";
import { numberOf } from "../../../platform/figures.ts";
import { publishableKeyAt, useMe } from "../../../platform/me.ts";
import { useOperation } from "../../../platform/operations.ts";
import { Empty } from "../../../ui/lists/empty.tsx";
import { Rows } from "../../../ui/lists/rows.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import classes from "../../../ui/look/long.module.css";
import { Copied } from "../../../ui/texts/copied.tsx";
import { describeWay, keptBack, type PushStanding, type Way, wayFault } from "../rules.ts";
import { words } from "../words.ts";
import { CampaignsThatWait } from "./waiting.tsx";

const DEVICE = {
  installationId: "phone-1",
  appId: "com.example.app",
  platform: "ios",
  environment: "production",
  capability: "32 random bytes that the device makes and keeps",
};

/** How the first device comes to be here. */
function Beginning({ scope }: { scope: string }) {
  const key = publishableKeyAt(useMe(), scope);
  return (
    <Stack>
      <Empty title={words.nothing} about={words.nothingAbout} filtered={null} />
      <Copied
        text={curlOf(location.origin, "/api/v1/sdk/installations", key ?? "pk_…", DEVICE)}
        label={words.register}
      />
    </Stack>
  );
}

const cellsOf = (way: Way) => [
  <div key="app">
    <Text fw={600} className={classes.long}>
      {way.appId}
    </Text>
    <Text size="sm" c="dimmed">
      {describeWay(way)}
    </Text>
  </div>,
  <Badge key="credential" variant={way.credential === "usable" ? "default" : "light"}>
    {words.credentials[way.credential]}
  </Badge>,
  numberOf(way.devices),
  numberOf(way.ready),
  <Text key="kept" size="sm">
    {keptBack(way).join(", ")}
  </Text>,
  <Text key="leaves" size="sm" {...(wayFault(way) !== null && { fw: 600 })}>
    {wayFault(way) ?? words.leaves}
  </Text>,
];

function Ways({ ways }: Pick<PushStanding, "ways">) {
  return (
    <Rows
      heads={[words.app, words.credential, words.devices, words.ready, words.kept, words.status]}
      rows={ways.map((way) => ({ id: `${way.appId} ${describeWay(way)}`, cells: cellsOf(way) }))}
    />
  );
}

/** Whether pushes leave, and what those that do not leave wait for. */
export function StandingOf({ scope }: { scope: string }) {
  const standing = useOperation(scope, "getPushStanding", {});
  return (
    <Loaded query={standing}>
      {({ pausedBecause, ways, campaigns }) => (
        <Stack gap="xl">
          {pausedBecause !== null && (
            <Alert color="red" title={words.nothingLeaves}>
              {pausedBecause}
            </Alert>
          )}
          {ways.length === 0 ? <Beginning scope={scope} /> : <Ways ways={ways} />}
          {(ways.length > 0 || campaigns.length > 0) && (
            <Stack gap="sm">
              <Title order={2} size="h4">
                {words.campaigns}
              </Title>
              <CampaignsThatWait scope={scope} campaigns={campaigns} ways={ways} />
            </Stack>
          )}
        </Stack>
      )}
    </Loaded>
  );
}

import { Group, Select, Stack, Text } from "@mantine/core";
import { useAddress } from "../../../platform/address.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { Empty } from "../../../ui/lists/empty.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { To } from "../../../ui/to.tsx";
import { BACK, backIn, USUAL_BACK } from "../rules.ts";
import { words } from "../words.ts";
import { Calls } from "./calls.tsx";
import { Problems } from "./problems.tsx";

/** How often it is read again: people who connect a library look on. */
const EVERY_MS = 5_000;

/** How far back the page looks, which the address says. */
function BackChoice() {
  const [address, change] = useAddress();
  return (
    <Select
      label={words.back}
      data={BACK.map((value) => ({ value, label: words.backs[value] }))}
      value={backIn(address)}
      allowDeselect={false}
      onChange={(chosen) => change({ hours: chosen === USUAL_BACK ? "" : (chosen ?? "") })}
    />
  );
}

/** In place of calls: the way to the first one. */
const NoCalls = ({ scope }: { scope: string }) => (
  <Stack gap="xs" align="flex-start">
    <Empty title={words.none} about={words.noneAbout} filtered={null} />
    <To scope={scope} path="connections" search={{ view: "connect" }}>
      {words.connect}
    </To>
  </Stack>
);

/** What libraries sent, and what was not taken of it. */
export function Incoming({ scope }: { scope: string }) {
  const [address] = useAddress();
  const found = useOperation(
    scope,
    "getIntake",
    { query: { hours: Number(backIn(address)) } },
    { refetchInterval: EVERY_MS },
  );
  return (
    <Stack gap="lg">
      <Group>
        <BackChoice />
      </Group>
      <Loaded query={found}>
        {({ intake }) => (
          <Stack gap="xl">
            {intake.calls.length === 0 ? (
              <NoCalls scope={scope} />
            ) : (
              <>
                <Calls calls={intake.calls} />
                <Problems problems={intake.problems} />
              </>
            )}
            <Text size="sm" c="dimmed">
              {words.since(timeOf(intake.since))}
            </Text>
          </Stack>
        )}
      </Loaded>
    </Stack>
  );
}

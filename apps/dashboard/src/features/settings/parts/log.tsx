import { Button, Group, Stack, Text } from "@mantine/core";
import type { Answer } from "@tidings/client";
import { useAddress } from "../../../platform/address.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf, zoneName } from "../../../platform/times.ts";
import { Empty } from "../../../ui/empty.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { Rows } from "../../../ui/rows.tsx";
import { typedOf, type Value } from "../rules.ts";
import { words } from "../words.ts";
import classes from "./values.module.css";

const PER_PAGE = 50;

type Change = Answer<"listSettingLog">["changes"][number];

const side = (value: Value): string => (value === null ? words.isDefault : typedOf(value));

const cellsOf = ({ key, before, after, by, at }: Change) => [
  timeOf(at),
  by,
  words.labels[key] ?? key,
  <span key="before" className={classes.value}>
    {side(before)}
  </span>,
  <span key="after" className={classes.value}>
    {side(after)}
  </span>,
];

/** Who changed which setting, newest first. */
export function Log({ scope }: { scope: string }) {
  const [{ before = "" }, change] = useAddress();
  const log = useOperation(scope, "listSettingLog", {
    query: { limit: PER_PAGE, ...(/^[1-9]\d{0,8}$/.test(before) && { before: Number(before) }) },
  });
  return (
    <Loaded of={log}>
      {({ changes, next }) => (
        <Stack>
          {changes.length === 0 ? (
            <Empty title={words.noChanges} about={words.noChangesAbout} filtered={null} />
          ) : (
            <Rows
              heads={[words.when, words.who, words.setting, words.was, words.became]}
              rows={changes.map((each) => ({ id: each.id, cells: cellsOf(each) }))}
            />
          )}
          <Group>
            {before !== "" && (
              <Button variant="default" onClick={() => change({ before: "" })}>
                {words.newest}
              </Button>
            )}
            {next !== null && (
              <Button variant="default" onClick={() => change({ before: String(next) })}>
                {words.older}
              </Button>
            )}
          </Group>
          <Text size="sm" c="dimmed">
            {words.zone(zoneName())}
          </Text>
        </Stack>
      )}
    </Loaded>
  );
}

import { Stack, Text } from "@mantine/core";
import type { Answer } from "@tidings/client";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { Empty } from "../../../ui/lists/empty.tsx";
import { Older, useBefore } from "../../../ui/lists/older.tsx";
import { Rows } from "../../../ui/lists/rows.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { timesOf } from "../../../ui/texts/times-of.ts";
import { type SettingValue, typedOf } from "../rules.ts";
import { words } from "../words.ts";
import classes from "./values.module.css";

const PER_PAGE = 50;

type Change = Answer<"listSettingLog">["changes"][number];

const side = (value: SettingValue): string => (value === null ? words.isDefault : typedOf(value));

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

/** The changes of settings, by whom, newest first. */
export function SettingsLog({ scope }: { scope: string }) {
  const log = useOperation(scope, "listSettingLog", {
    query: { limit: PER_PAGE, ...useBefore() },
  });
  return (
    <Loaded query={log}>
      {({ changes, next }) => (
        <Stack>
          {changes.length === 0 ? (
            <Empty title={words.noChanges} about={words.noChangesAbout} filtered={null} />
          ) : (
            <Rows
              heads={[words.when, words.actor, words.setting, words.was, words.became]}
              rows={changes.map((each) => ({ id: each.id, cells: cellsOf(each) }))}
            />
          )}
          <Older next={next} />
          <Text size="sm" c="dimmed">
            {timesOf()}
          </Text>
        </Stack>
      )}
    </Loaded>
  );
}

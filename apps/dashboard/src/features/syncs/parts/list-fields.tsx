import { Checkbox, Fieldset, Stack, Text } from "@mantine/core";
import { SYNC_LISTS, type SyncListName, toggled } from "../rules.ts";
import { words } from "../words.ts";

type Props = { lists: readonly SyncListName[]; change: (lists: SyncListName[]) => void };

/** Which lists are written. */
export const ListFields = ({ lists, change }: Props) => (
  <Fieldset
    variant="unstyled"
    legend={
      <Text span size="sm" fw={600}>
        {words.form.lists}
      </Text>
    }
  >
    <Stack gap="xs">
      <Text size="xs" c="dimmed">
        {words.form.listsAbout}
      </Text>
      {SYNC_LISTS.map((list, index) => (
        <Checkbox
          key={list}
          {...(index === 0 && { "data-autofocus": true })}
          label={words.listNames[list]}
          description={words.listsAbout[list]}
          checked={lists.includes(list)}
          onChange={() => change(toggled(lists, list))}
        />
      ))}
      {lists.length === 0 && (
        <Text size="sm" c="dimmed">
          {words.form.noList}
        </Text>
      )}
    </Stack>
  </Fieldset>
);

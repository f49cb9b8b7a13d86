import { Checkbox, Fieldset, Stack, Text } from "@mantine/core";
import { isChosen, TYPE_GROUPS, type TypeChoice, type TypeGroup, toggled, typesOfGroup } from "../rules.ts";
import { words } from "../words.ts";

type Props = { choice: TypeChoice; change: (choice: TypeChoice) => void };

/** The types of one group. What is chosen with all others cannot be left out by itself. */
function GroupOfTypes({ group, choice, change }: Props & { group: TypeGroup }) {
  const isWhole = choice.isAllOthers && group !== "deliveries";
  const about = words.groupsAbout[group] ?? null;
  return (
    <Fieldset legend={words.groups[group]}>
      <Stack gap="xs">
        {about !== null && (
          <Text size="xs" c="dimmed">
            {about}
          </Text>
        )}
        {typesOfGroup(group).map(({ type, sentence }) => (
          <Checkbox
            key={type}
            label={sentence}
            description={type}
            checked={isChosen(choice, type)}
            disabled={isWhole}
            onChange={() => change(toggled(choice, type))}
          />
        ))}
      </Stack>
    </Fieldset>
  );
}

/** What a webhook is about: all but deliveries at once, or type by type. */
export const TypeFields = ({ choice, change }: Props) => (
  <Fieldset
    variant="unstyled"
    legend={
      <Text span size="sm" fw={600}>
        {words.form.types}
      </Text>
    }
  >
    <Stack gap="sm" mt="xs">
      <Checkbox
        label={words.form.others}
        description={words.form.othersAbout}
        checked={choice.isAllOthers}
        onChange={() => change({ ...choice, isAllOthers: !choice.isAllOthers })}
      />
      {TYPE_GROUPS.map(({ group }) => (
        <GroupOfTypes key={group} group={group} choice={choice} change={change} />
      ))}
    </Stack>
  </Fieldset>
);

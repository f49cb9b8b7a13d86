import { Checkbox, Fieldset, Group, Radio, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { faultAt } from "../../../platform/faults.ts";
import { keyFor, type TopicDraft } from "../rules.ts";
import { words } from "../words.ts";

type Props = {
  draft: TopicDraft;
  change: (draft: TopicDraft) => void;
  /** Whether it is being made: its key and its default are chosen once. */
  isNew: boolean;
  /** What the server says of it; null where it was not asked, or has taken it. */
  fault: string | null;
};

/** What is chosen once. */
const Once = ({ draft, change, fault }: Props) => (
  <>
    <TextInput
      label={words.form.key}
      description={words.form.keyAbout}
      required
      maxLength={64}
      value={draft.key}
      error={fault === null ? undefined : faultAt(fault, "key")}
      onChange={({ currentTarget }) => change({ ...draft, key: currentTarget.value })}
    />
    <Radio.Group
      label={words.form.isDefault}
      description={words.form.isDefaultAbout}
      value={draft.isDefault}
      onChange={(value) => change({ ...draft, isDefault: value === "in" ? "in" : "out" })}
    >
      <Stack gap="xs" my="xs">
        <Radio value="out" label={words.defaults.out} />
        <Radio value="in" label={words.defaults.in} />
      </Stack>
    </Radio.Group>
  </>
);

/** How many messages of a topic one reader gets within how many days; both or none. */
const Limit = ({ draft, change, fault }: Omit<Props, "isNew">) => {
  const fieldOf = (name: "max" | "days", most: number) => ({
    type: "number",
    min: 1,
    max: most,
    label: words.form[name],
    value: draft[name] ?? "",
    error: fault === null ? undefined : faultAt(fault, name),
    onChange: ({ currentTarget: { valueAsNumber } }: { currentTarget: HTMLInputElement }) =>
      change({ ...draft, [name]: Number.isNaN(valueAsNumber) ? null : valueAsNumber }),
  });
  return (
    <Fieldset
      variant="unstyled"
      legend={
        <Text span fw={600} size="sm">
          {words.form.limit}
        </Text>
      }
    >
      <Stack gap="xs">
        <Group align="flex-start" grow>
          <TextInput {...fieldOf("max", 1_000)} />
          <TextInput {...fieldOf("days", 365)} />
        </Group>
        <Text size="xs" c="dimmed">
          {words.form.limitAbout}
        </Text>
      </Stack>
    </Fieldset>
  );
};

/** The fields of a topic. */
export function TopicFields(props: Props) {
  const { draft, change, isNew, fault } = props;
  const rename = (name: string): void =>
    // The key follows the name until another one is written.
    change({ ...draft, name, ...(isNew && draft.key === keyFor(draft.name) && { key: keyFor(name) }) });
  return (
    <Stack>
      <TextInput
        label={words.form.name}
        description={words.form.nameAbout}
        required
        maxLength={80}
        data-autofocus
        value={draft.name}
        error={fault === null ? undefined : faultAt(fault, "name")}
        onChange={({ currentTarget }) => rename(currentTarget.value)}
      />
      <Textarea
        label={words.form.description}
        description={words.form.descriptionAbout}
        autosize
        maxLength={500}
        value={draft.description}
        error={fault === null ? undefined : faultAt(fault, "description")}
        onChange={({ currentTarget }) => change({ ...draft, description: currentTarget.value })}
      />
      {isNew && <Once {...props} />}
      <Checkbox
        label={words.form.doubleOptIn}
        description={words.form.doubleOptInAbout}
        checked={draft.doubleOptIn}
        onChange={({ currentTarget }) => change({ ...draft, doubleOptIn: currentTarget.checked })}
      />
      <Limit draft={draft} change={change} fault={fault} />
    </Stack>
  );
}

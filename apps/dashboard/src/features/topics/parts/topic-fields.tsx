import { Checkbox, Radio, Stack, Textarea, TextInput } from "@mantine/core";
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
    </Stack>
  );
}

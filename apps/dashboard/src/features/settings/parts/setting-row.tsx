import { Button, Code, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { timeOf } from "../../../platform/times.ts";
import {
  cleared,
  type Drafts,
  type Setting,
  sentence,
  settingText,
  shownIn,
  typedInto,
  undone,
} from "../rules.ts";
import { words } from "../words.ts";
import { SettingField } from "./setting-field.tsx";
import classes from "./values.module.css";

type Props = {
  setting: Setting;
  drafts: Drafts;
  draft: (next: Drafts) => void;
  /** Why the server refused it. */
  fault: string | null;
};

/** Back to the default where it is another value, and back to what is stored where something was typed. */
function Ways({ setting, drafts, draft, label }: Omit<Props, "fault"> & { label: string }) {
  const typed = drafts[setting.key];
  const clear = setting.isSecret ? words.forget : words.toDefault;
  const clearThis = setting.isSecret ? words.forgetOf : words.toDefaultOf;
  return (
    <Group gap="xs">
      {typed === "" && <Text size="sm">{words.willBeDefault}</Text>}
      {!setting.isDefault && typed !== "" && (
        <Button
          variant="subtle"
          size="compact-sm"
          aria-label={clearThis(label)}
          onClick={() => draft(cleared(drafts, setting))}
        >
          {clear}
        </Button>
      )}
      {typed !== undefined && (
        <Button
          variant="subtle"
          size="compact-sm"
          aria-label={words.undoOf(label)}
          onClick={() => draft(undone(drafts, setting))}
        >
          {words.undo}
        </Button>
      )}
    </Group>
  );
}

/** A setting: its meaning, and the field for its value. */
export function SettingRow({ setting, drafts, draft, fault }: Props) {
  const { key, meaning, fallback, isDefault, isSecret, lastChange } = setting;
  const label = words.labels[key] ?? key;
  const facts = [
    ...(isSecret
      ? []
      : [isDefault ? words.atDefault : words.defaultIs(settingText(setting, fallback, words))]),
    ...(lastChange === null ? [] : [words.changedBy(lastChange.by, timeOf(lastChange.at))]),
  ];
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" verticalSpacing="xs">
      <div>
        <Group gap="xs">
          <Text fw={600}>{label}</Text>
          <Code>{key}</Code>
        </Group>
        <Text size="sm">{sentence(meaning)}</Text>
      </div>
      <Stack gap={4}>
        <SettingField
          setting={setting}
          label={label}
          value={shownIn(setting, drafts)}
          type={(text) => draft(typedInto(drafts, setting, text))}
          fault={fault}
        />
        <Ways setting={setting} drafts={drafts} draft={draft} label={label} />
        <Text size="xs" c="dimmed" className={classes.value}>
          {facts.join(" · ")}
        </Text>
      </Stack>
    </SimpleGrid>
  );
}

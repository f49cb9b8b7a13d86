import { Badge, Card, Group, Stack, Text, Title } from "@mantine/core";
import classes from "../../../../ui/look/long.module.css";
import { Copied } from "../../../../ui/texts/copied.tsx";
import type { CheckedRecord, SenderRecord } from "../../rules.ts";
import { words } from "../../words.ts";

type Props = {
  record: SenderRecord;
  /** What DNS had when it was asked; null where it was not. */
  finding: CheckedRecord | null;
};

const Part = ({ name, text, label }: { name: string; text: string; label: string }) => (
  <Stack gap={4}>
    <Text size="sm" c="dimmed">
      {name}
    </Text>
    <Copied text={text} label={label} />
  </Stack>
);

function Finding({ record: { found, problem } }: { record: CheckedRecord }) {
  if (problem === null) return null;
  return (
    <Stack gap={4}>
      <Text size="sm" fw={600} c="var(--mantine-color-error)" className={classes.long}>
        {words.problem(problem)}
      </Text>
      {found.length > 0 && (
        <Text size="sm" c="dimmed">
          {words.foundTexts}
        </Text>
      )}
      {found.map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: DNS may have one text several times, and the list is never reordered.
        <Text key={index} size="sm" ff="monospace" className={classes.long}>
          {text}
        </Text>
      ))}
    </Stack>
  );
}

/** A DNS record to copy, and what DNS said of it. */
export function RecordCard({ record: { purpose, type, name, value }, finding }: Props) {
  const title = words.purposes[purpose];
  return (
    <Card withBorder>
      <Stack gap="xs">
        <Group justify="space-between" align="flex-start">
          <Title order={3} size="h5">
            {title}
          </Title>
          {finding !== null && (
            <Badge {...(finding.problem === null ? { variant: "light" } : { color: "red" })}>
              {finding.problem === null ? words.found : words.notAsRight}
            </Badge>
          )}
        </Group>
        <Text size="sm">{words.type(type)}</Text>
        <Part name={words.recordName} text={name} label={`${title}, ${words.recordName}`} />
        <Part name={words.recordValue} text={value} label={`${title}, ${words.recordValue}`} />
        <Text size="sm" c="dimmed">
          {words.hints[purpose]}
        </Text>
        {finding !== null && <Finding record={finding} />}
      </Stack>
    </Card>
  );
}

import { Button, Group, Stack, Textarea } from "@mantine/core";
import { type Data, lacks, writtenData } from "../template-data.pure.ts";
import type { TemplateData } from "../use-template-data.ts";
import { words } from "../words.ts";

type Props = {
  data: TemplateData;
  /** The data with a sample for each value that it lacks; null before it is known. */
  sample: Data | null;
};

/** What a request sends to fill a template: samples, until a person types something else. */
export function DataField({ data: { text, value, isReadable, change }, sample }: Props) {
  const isLacking = text !== null && isReadable && value !== null && sample !== null && lacks(value, sample);
  return (
    <Stack gap="xs">
      <Textarea
        name="data"
        label={words.data}
        description={text === null ? words.sampleAbout : words.dataAbout}
        autosize
        minRows={3}
        maxRows={14}
        spellCheck={false}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
        value={text ?? (sample === null ? "" : writtenData(sample))}
        error={isReadable ? undefined : words.noObject}
        onChange={({ currentTarget }) => change(currentTarget.value)}
      />
      {text !== null && (
        <Group gap="xs">
          {isLacking && (
            <Button variant="default" size="xs" onClick={() => change(writtenData(sample))}>
              {words.addMissing}
            </Button>
          )}
          <Button variant="default" size="xs" onClick={() => change(null)}>
            {words.useSamples}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

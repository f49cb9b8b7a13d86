import { Alert, List, NativeSelect, Stack, Text } from "@mantine/core";
import { useAddress } from "../../../platform/address.ts";
import { Discard } from "../../../ui/form/discard.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { optionsOf } from "../../../ui/options.ts";
import { Section } from "../../../ui/section.tsx";
import { columnNames, meaningOf } from "../mapping.pure.ts";
import type { ReadingPlan } from "../plan.ts";
import { type FileLook, type ImportFile, stageOf } from "../rules.ts";
import type { StepProps } from "../steps.ts";
import { warningText, words } from "../words.ts";
import { ColumnRows, ColumnTexts } from "./column-rows.tsx";
import { ReadingFields } from "./reading-fields.tsx";

/** The tool that wrote the file. The address has the one that was chosen in place of the guess. */
function ToolChoice({ plan: { preset } }: { plan: ReadingPlan }) {
  const [, change] = useAddress();
  const none = preset === null ? [{ value: "", label: words.noTool }] : [];
  return (
    <NativeSelect
      label={words.tool}
      description={words.toolAbout}
      maw="20rem"
      data={[...none, ...optionsOf(words.tools)]}
      value={preset ?? ""}
      onChange={({ currentTarget }) => change({ tool: currentTarget.value })}
    />
  );
}

function Warnings({ warnings }: { warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  return (
    <Alert color="yellow" title={words.warnings}>
      <List size="sm">
        {warnings.map((warning) => (
          <List.Item key={warning}>{warningText(warning)}</List.Item>
        ))}
      </List>
    </Alert>
  );
}

type FoundProps = Pick<StepProps, "file" | "planning"> & { look: FileLook; plan: ReadingPlan };

/** What was found, with what a person can change of it. */
function Found({ file, planning, look, plan }: FoundProps) {
  return (
    <Stack>
      <Warnings warnings={look.warnings} />
      <ToolChoice plan={plan} />
      <ColumnRows kind={file.kind} look={look} plan={plan} change={planning.change} />
      <ReadingFields kind={file.kind} plan={plan} change={planning.change} />
      {planning.isChanged && (
        <div>
          <Discard size="xs" label={words.giveUp} discard={planning.startOver} />
        </div>
      )}
    </Stack>
  );
}

/** How many columns come along, for those who do not open the table. */
function summaryOf(plan: ReadingPlan, columns: FileLook["columns"]): string {
  const names = columnNames(columns, plan.mapping);
  const along =
    plan.mapping.traits === "rest"
      ? names
      : names.filter((name) => meaningOf(plan.mapping, name).is !== "leftOut");
  return words.onlyAlong(along.length, names.length);
}

/** The columns as the file was started with them, where nothing can be changed. */
function AsStarted({ file }: { file: ImportFile }) {
  if (file.mapping === null) return <Text c="dimmed">{words.needsEditor}</Text>;
  return (
    <details>
      <summary>{words.columnsOf}</summary>
      <ColumnTexts mapping={file.mapping} />
    </details>
  );
}

/** The second step: the columns of the file, and what becomes of each. It is out of the way once the file was started. */
export function FoundStep({ file, look, planning, place }: StepProps) {
  const { plan } = planning;
  const isReady = stageOf(file) === "ready";
  // Nothing is read for viewers.
  const canChange = look.fetchStatus !== "idle" || look.data !== undefined || look.error !== null;
  return (
    <Section title={words.step(place, words.inIt)} {...(isReady && canChange && { about: words.inItAbout })}>
      {!isReady || !canChange ? (
        <AsStarted file={file} />
      ) : (
        <Loaded query={look}>
          {(found) =>
            plan !== null &&
            (file.startedAt === null ? (
              <Found file={file} planning={planning} look={found} plan={plan} />
            ) : (
              <details open={planning.isChanged}>
                <summary>{summaryOf(plan, found.columns)}</summary>
                <Found file={file} planning={planning} look={found} plan={plan} />
              </details>
            ))
          }
        </Loaded>
      )}
    </Section>
  );
}

import { Group, Stack, Text, Title } from "@mantine/core";
import { numberOf } from "../../../platform/figures.ts";
import { useChange } from "../../../platform/operations.ts";
import { fileName, saveFile } from "../../../platform/save-file.ts";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import { Rows } from "../../../ui/lists/rows.tsx";
import long from "../../../ui/look/long.module.css";
import { Problem } from "../../../ui/problem.tsx";
import type { ImportFile } from "../rules.ts";
import { words } from "../words.ts";

/** Saves which lines were not taken, as a table. */
function SaveRefused({ scope, file }: { scope: string; file: ImportFile }) {
  const saving = useChange(scope, "listImportRefusals", []);
  const save = (): void =>
    saving.mutate(
      { path: { id: file.id } },
      { onSuccess: (table) => saveFile(fileName("not-taken", "csv"), table) },
    );
  return (
    <Stack gap={4}>
      <Group>
        <RoleButton
          scope={scope}
          needs="editor"
          size="xs"
          variant="default"
          loading={saving.isPending}
          onClick={save}
        >
          {words.saveRefused}
        </RoleButton>
      </Group>
      <Text size="sm" c="dimmed">
        {words.saveRefusedAbout(file.refused)}
      </Text>
      {saving.error !== null && <Problem error={saving.error} />}
    </Stack>
  );
}

/** Why lines were not taken, by reason and column, the most frequent first. */
export function Reasons({ scope, file }: { scope: string; file: ImportFile }) {
  const { reasons, refused, lines, state } = file;
  if (refused === 0) return lines > 0 && state === "done" ? <Text>{words.allTaken}</Text> : null;
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {words.whyNot}
      </Title>
      <Rows
        heads={[words.reason, words.column, words.count, words.firstLine]}
        rows={reasons.map(({ reason, field, text, count, firstLine }) => ({
          id: `${reason} ${field}`,
          cells: [
            <Text key="text" size="sm" className={long.long}>
              {text}
            </Text>,
            field === "" ? null : (
              <Text key="field" size="sm" className={long.long}>
                {field}
              </Text>
            ),
            numberOf(count),
            numberOf(firstLine),
          ],
        }))}
      />
      <SaveRefused scope={scope} file={file} />
    </Stack>
  );
}

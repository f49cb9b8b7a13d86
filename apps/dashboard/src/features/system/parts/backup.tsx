import { Text } from "@mantine/core";
import { Section } from "../../../ui/section.tsx";
import { Copied } from "../../../ui/texts/copied.tsx";
import { backupLines, type System } from "../rules.ts";
import { words } from "../words.ts";

/** How this server is backed up. When it was, only its operator knows. */
export function Backup({ system }: { system: System }) {
  return (
    <Section title={words.backup} about={words.backupUnknown}>
      <Text size="sm" maw="44rem">
        {system.database.isEmbedded ? words.backupEmbedded : words.backupOwn}
      </Text>
      <Copied text={backupLines(system)} label={words.backupCommand} />
      <Text size="sm" c="dimmed" maw="44rem">
        {words.backupAfter}
      </Text>
    </Section>
  );
}

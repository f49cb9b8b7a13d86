import { Alert, Text } from "@mantine/core";
import { sizeOf } from "../../../platform/sizes.ts";
import { timeOf } from "../../../platform/times.ts";
import { Rows } from "../../../ui/lists/rows.tsx";
import { Section } from "../../../ui/section.tsx";
import { Copied } from "../../../ui/texts/copied.tsx";
import { spanOf } from "../../../ui/texts/span.ts";
import { backupLines, isBackupLate, type System } from "../rules.ts";
import { words } from "../words.ts";

type Backups = NonNullable<System["backups"]>;

function newestOf({ newest }: Backups, now: number): string {
  if (newest === null) return words.backupNone;
  const { startedAt, bytes, name } = newest;
  return words.backupNewestOf(spanOf(now - startedAt), timeOf(startedAt), sizeOf(bytes), name);
}

/** What there is of backups of the embedded database, and what went wrong. */
function Embedded({ backups, system }: { backups: Backups; system: System }) {
  const { everyMs, keep, folder, count, fault } = backups;
  const facts = [
    [words.backupByItself, everyMs === null ? words.backupNever : words.backupEvery(spanOf(everyMs), keep)],
    [words.backupNewest, newestOf(backups, system.evaluatedAt)],
    [words.backupFolder, words.backupFolderOf(folder, count)],
  ] as const;
  return (
    <>
      {fault !== null && (
        <Alert color="red" title={words.backupFailed(timeOf(fault.at))} role="status">
          {fault.reason} {words.backupFailedAdvice}
        </Alert>
      )}
      {fault === null && isBackupLate(system) && (
        <Alert color="red" title={words.backupLate} role="status">
          {words.backupLateAdvice}
        </Alert>
      )}
      <Rows
        heads={[words.what, words.value]}
        rows={facts.map(([name, value]) => ({ id: name, cells: [name, value] }))}
      />
    </>
  );
}

/** How this server is backed up, and when it was. */
export function Backup({ system }: { system: System }) {
  const { backups } = system;
  return (
    <Section title={words.backup} about={backups === null ? words.backupOwnAbout : words.backupAbout}>
      {backups === null ? (
        <Text size="sm" maw="44rem">
          {words.backupOwn}
        </Text>
      ) : (
        <Embedded backups={backups} system={system} />
      )}
      <Copied text={backupLines(system)} label={words.backupCommand} />
      <Text size="sm" c="dimmed" maw="44rem">
        {words.backupApart} {words.backupAfter}
      </Text>
    </Section>
  );
}

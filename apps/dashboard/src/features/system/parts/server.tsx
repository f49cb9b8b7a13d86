import { Alert } from "@mantine/core";
import { numberOf, percentOf } from "../../../platform/figures.ts";
import { sizeOf } from "../../../platform/sizes.ts";
import { timeOf } from "../../../platform/times.ts";
import { Rows } from "../../../ui/lists/rows.tsx";
import { Section } from "../../../ui/section.tsx";
import { spanOf } from "../../../ui/texts/span.ts";
import { isNearlyFull, type System } from "../rules.ts";
import { words } from "../words.ts";

function upOf({ startedAt, evaluatedAt, roles }: System): string {
  const span = spanOf(evaluatedAt - startedAt);
  return words.upSince(timeOf(startedAt), span, roles.map((role) => words.roles[role]).join(", "));
}

function migrationsOf({ database: { migrations } }: System): string {
  const { applied, last, lastAt, missing } = migrations;
  if (missing > 0) return words.missing(missing);
  return words.migrationsOf(numberOf(applied), last ?? "", lastAt === null ? "" : timeOf(lastAt));
}

/** What runs, and on what. */
export function Server({ system }: { system: System }) {
  const { version, commit, node, postgres, mode } = system;
  const facts = [
    [words.version, words.versionOf(version, commit)],
    [words.up, upOf(system)],
    [words.node, node],
    [words.postgres, postgres],
    [words.migrations, migrationsOf(system)],
    [words.mode, words.modes[mode]],
  ] as const;
  return (
    <Section title={words.server}>
      <Rows
        heads={[words.what, words.value]}
        rows={facts.map(([name, value]) => ({ id: name, cells: [name, value] }))}
      />
    </Section>
  );
}

/** How large the database is, where most of it lies, and whether there is room. */
export function DatabasePart({ system }: { system: System }) {
  const { database, disk } = system;
  const room =
    disk === null
      ? words.noDisk
      : words.diskOf(
          sizeOf(disk.freeBytes),
          sizeOf(disk.totalBytes),
          percentOf(Math.round((1 - disk.freeBytes / disk.totalBytes) * 100) / 100),
          disk.path,
        );
  return (
    <Section title={words.database}>
      {isNearlyFull(system) && <Alert color="red">{words.diskLow}</Alert>}
      <Rows
        heads={[words.what, words.value]}
        rows={[
          { id: "size", cells: [words.size, words.databaseOf(sizeOf(database.bytes), database.isEmbedded)] },
          { id: "disk", cells: [words.disk, room] },
        ]}
      />
      <Rows
        heads={[words.table, words.withIndexes, words.rows]}
        rows={database.tables.map(({ name, bytes, rows }) => ({
          id: name,
          cells: [name, sizeOf(bytes), rows === null ? words.notCounted : numberOf(rows)],
        }))}
      />
    </Section>
  );
}

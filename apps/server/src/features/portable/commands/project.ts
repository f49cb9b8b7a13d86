import type { Command } from "commander";
import { houseTables, type Table } from "../../../domain/house-tables.ts";
import { type AddCommands, pairLines, printable, say, withDatabase } from "../../../platform/cli/command.ts";
import { commandGroup } from "../../../platform/cli/command-group.ts";
import { ConfigError } from "../../../platform/config.ts";
import { chosenProject, type ProjectOptions, projectOption } from "../../access/public.ts";
import { deleteProject } from "../delete-project.ts";
import { type Holdings, readHoldings } from "../holdings-store.ts";

function storedLines({ images, imageBytes, ...rows }: Holdings): Record<string, string | number> {
  return { ...rows, images: `${images} (${(imageBytes / 1e6).toFixed(1)} MB)` };
}

function addShow(project: Command): void {
  project
    .command("show")
    .description("show a project: its id, its publishable key, and how much is stored for it")
    .addOption(projectOption())
    .option("--json", "print JSON")
    .action(({ project: wanted, json }: ProjectOptions) =>
      withDatabase(async ({ database: { kysely } }) => {
        const shown = await chosenProject(kysely, wanted);
        const holdings = await readHoldings(kysely, shown.id);
        if (json) return say({ ...shown, holdings });
        const { id, name, organizationId, createdAt, publishableKey } = shown;
        say(
          pairLines({
            name: printable(name),
            id,
            organization: organizationId,
            created: new Date(createdAt).toISOString(),
            "publishable key": publishableKey ?? "-",
            ...storedLines(holdings),
          }),
        );
      }),
    );
}

function addDelete(project: Command, readTables: () => readonly Table[]): void {
  project
    .command("delete")
    .description("delete a project and everything stored for it, for good")
    .requiredOption("--project <project>", "the project, by id or name")
    .option("--confirm <name>", "its name once more: nothing brings it back")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\nWorks beside a running server: the keys stop working at once, campaigns end, then the rows go.\nWhere it is interrupted, the server finishes it. docs/backup.md says how to export a project first.",
    )
    .action(({ project: wanted, confirm, json }: { project: string; confirm?: string; json?: true }) =>
      withDatabase(async ({ database: { kysely } }) => {
        const { id, name } = await chosenProject(kysely, wanted);
        if (confirm !== name)
          throw new ConfigError(
            `Nothing is deleted: repeat the name of the project to confirm it, --confirm "${printable(name)}".`,
          );
        await deleteProject(kysely, { projectId: id, tables: readTables(), now: Date.now() });
        say(json ? { projectId: id, deleted: true } : `${printable(name)} (${id}) is deleted.`);
      }),
    );
}

/** `tidings project show` and `delete`, which concern all tables of a project. */
export const projectCommands: AddCommands = (program, { ask }) => {
  const project = commandGroup(program, "project");
  addShow(project);
  addDelete(project, ask(houseTables));
};

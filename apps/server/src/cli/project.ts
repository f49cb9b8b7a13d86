import type { Command } from "commander";
import {
  createProject,
  type ListedProject,
  listProjectsAcrossProjects,
  renameProject,
} from "../features/access/public.ts";
import { deleteProject, type Holdings, readHoldings } from "../features/portable/public.ts";
import { ConfigError } from "../platform/config.ts";
import { named, pairLines, printable, say, withDatabase } from "./command.ts";
import { chosenProject, projectOption } from "./project-option.ts";

type Options = { project?: string; json?: true };

function addCreate(project: Command): void {
  project
    .command("create")
    .description("make a project; its keys are printed this once")
    .requiredOption("--name <name>", "what people call it", named)
    .option("--json", "print JSON")
    .action(({ name, json }: { name: string; json?: true }) =>
      withDatabase(
        async ({ database }) => {
          const keys = await database.kysely
            .transaction()
            .execute((tx) => createProject(tx, name, Date.now()));
          say(json ? keys : pairLines(keys));
        },
        { begins: true },
      ),
    );
}

const listLine = ({ id, publishableKey, name, isDemo }: ListedProject): string =>
  `${id}  ${(publishableKey ?? "-").padEnd(40)}  ${printable(name)}${isDemo ? " (made by the demo)" : ""}`;

function addList(project: Command): void {
  project
    .command("list")
    .description("list the projects")
    .option("--json", "print JSON")
    .action(({ json }: { json?: true }) =>
      withDatabase(async ({ database }) => {
        const projects = await listProjectsAcrossProjects(database.kysely);
        if (json) say(projects);
        else if (projects.length === 0) say("There is no project yet.");
        else {
          const header = `${"id".padEnd(36)}  ${"publishable key".padEnd(40)}  name`;
          say([header, ...projects.map(listLine)].join("\n"));
        }
      }),
    );
}

function holdingLines({ images, imageBytes, ...rows }: Holdings): Record<string, string | number> {
  return { ...rows, images: `${images} (${(imageBytes / 1e6).toFixed(1)} MB)` };
}

function addShow(project: Command): void {
  project
    .command("show")
    .description("show a project: its id, its publishable key, and how much is stored for it")
    .addOption(projectOption())
    .option("--json", "print JSON")
    .action(({ project: wanted, json }: Options) =>
      withDatabase(async ({ database: { kysely } }) => {
        const shown = await chosenProject(kysely, wanted);
        const holdings = await readHoldings(kysely, shown.id);
        if (json) return say({ ...shown, holdings });
        const { id, name, organizationId, createdAt, publishableKey } = shown;
        say(
          pairLines({
            ...{ name: printable(name), id, organization: organizationId },
            ...{ created: new Date(createdAt).toISOString(), "publishable key": publishableKey ?? "-" },
            ...holdingLines(holdings),
          }),
        );
      }),
    );
}

function addRename(project: Command): void {
  project
    .command("rename")
    .description("call a project something else; recipients of its mail read the sender's name, not this one")
    .addOption(projectOption())
    .requiredOption("--name <name>", "what people call it from now on", named)
    .option("--json", "print JSON")
    .action(({ project: wanted, name, json }: Options & { name: string }) =>
      withDatabase(async ({ database: { kysely } }) => {
        const { id, name: before } = await chosenProject(kysely, wanted);
        await renameProject(kysely, id, name);
        say(
          json ? { projectId: id, before, name } : `${printable(before)} is called ${printable(name)} now.`,
        );
      }),
    );
}

function addDelete(project: Command): void {
  project
    .command("delete")
    .description("delete a project and everything stored for it, for good")
    .requiredOption("--project <project>", "the project, by id or name")
    .option("--confirm <name>", "its name once more: nothing brings it back")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\nWorks beside a running server: the keys stop working at once, campaigns end, then the rows go.\nWhere it is interrupted, run it again. docs/backup.md says how to export a project first.",
    )
    .action(({ project: wanted, confirm, json }: { project: string; confirm?: string; json?: true }) =>
      withDatabase(async ({ database: { kysely } }) => {
        const { id, name } = await chosenProject(kysely, wanted);
        if (confirm !== name)
          throw new ConfigError(
            `Nothing is deleted: repeat the name of the project to confirm it, --confirm "${printable(name)}".`,
          );
        await deleteProject(kysely, { projectId: id, now: Date.now() });
        say(json ? { projectId: id, deleted: true } : `${printable(name)} (${id}) is deleted.`);
      }),
    );
}

/** `tidings project`: what a server has several of. */
export function addProjectCommand(program: Command): void {
  const project = program.command("project").description("make, list, show, rename and delete projects");
  for (const add of [addCreate, addList, addShow, addRename, addDelete]) add(project);
}

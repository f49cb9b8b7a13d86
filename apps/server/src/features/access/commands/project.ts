import type { Command } from "commander";
import type { AddCommands } from "../../../platform/cli/command.ts";
import { nameOption, pairLines, printable, say, withDatabase } from "../../../platform/cli/command.ts";
import { commandGroup } from "../../../platform/cli/command-group.ts";
import { operationCommand } from "../../../platform/cli/operation-command.ts";
import { createProject } from "../projects/projects.ts";
import { renameProject } from "../projects/rename-project.ts";
import { type ListedProject, listProjectsAcrossProjects } from "../store.ts";

function addCreate(project: Command): void {
  project
    .command("create")
    .description("make a project; its keys are printed this once")
    .requiredOption("--name <name>", "what people call it", nameOption)
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

/** `tidings project rename`. */
export const renameCommand = operationCommand({
  words: "project rename",
  operation: renameProject,
  description: "call a project something else; recipients of its mail read the sender's name, not this one",
  options: { name: { says: "what people call it from now on" } },
  says: (_, { given, project }) => printable(`${project?.name} is called ${given.name} now.`),
  json: (_, { given, project }) => ({ projectId: project?.id, before: project?.name, name: given.name }),
});

/** `tidings project create` and `list`: what a server has several of. */
export const projectCommands: AddCommands = (program) => {
  const project = commandGroup(program, "project");
  for (const add of [addCreate, addList]) add(project);
};

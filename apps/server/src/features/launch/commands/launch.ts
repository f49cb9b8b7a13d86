import type { Command } from "commander";
import { commandGroup } from "../../../domain/command-groups.ts";
import {
  type AddCommands,
  nameOption,
  operatingUser,
  say,
  withDatabase,
} from "../../../platform/cli/command.ts";
import { secretsOnUse } from "../../../platform/secrets.ts";
import { chosenProject, type ProjectOptions, projectOption } from "../../access/public.ts";
import { pauseLaunches } from "../pause.ts";

function addSwitch(group: Command, name: "pause" | "resume", description: string, printed: string): void {
  group
    .command(name)
    .description(description)
    .addOption(projectOption())
    .option("--by <name>", "who decides this, for the log", nameOption)
    .option("--json", "print JSON")
    .action(({ project: wanted, by = operatingUser(), json }: ProjectOptions & { by?: string }) =>
      withDatabase(async ({ database: { kysely } }, config) => {
        const { id } = await chosenProject(kysely, wanted);
        const paused = name === "pause";
        const decision = { isPaused: paused, by, now: Date.now() };
        await kysely.transaction().execute((tx) => pauseLaunches(tx, secretsOnUse(config), id, decision));
        say(json ? { paused } : printed);
      }),
    );
}

/** `tidings launch pause` and `resume`: whether campaigns of a project launch by themselves. */
export const launchCommands: AddCommands = (program) => {
  const group = commandGroup(program, "launch");
  addSwitch(
    group,
    "pause",
    "keep every campaign of a project from launching by itself",
    "No campaign of the project launches by itself. Requests still launch.",
  );
  addSwitch(
    group,
    "resume",
    "let campaigns of a project launch by themselves again",
    "Campaigns of the project launch by themselves again, as their modes say.",
  );
};

import type { Command } from "commander";

/** The command of a group, to which a feature adds its own commands. @throws Error for a group that no room begins */
export function commandGroup(program: Command, name: string): Command {
  const group = program.commands.find((command) => command.name() === name);
  if (group === undefined)
    throw new Error(
      `No room begins the group of commands "${name}": say in its commandGroups what it is about.`,
    );
  return group;
}

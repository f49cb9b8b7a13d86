import type { Command } from "commander";

/** A group of commands, by its name, with what `--help` says of it. */
export type CommandGroup = readonly [name: string, says: string];

/** Adds the groups, still without commands. */
export function addCommandGroups(program: Command, groups: readonly CommandGroup[]): void {
  for (const [name, says] of groups) program.command(name).description(says);
}

/** The command of a group, to which a feature adds its own commands. @throws Error for a group that no room begins */
export function commandGroup(program: Command, name: string): Command {
  const group = program.commands.find((command) => command.name() === name);
  if (group === undefined)
    throw new Error(
      `No room begins the group of commands "${name}": say in its commandGroups what it is about.`,
    );
  return group;
}

import type { Command } from "commander";

/** Commands under which several features have theirs, and what `--help` says of them. */
const GROUPS = {
  project: "make, list, show, rename and delete projects",
  email: "the sender's domain, messages whose fate is unknown, addresses that get no mail",
} as const;

/** The command that a feature adds its own to. */
export const commandGroup = (program: Command, name: keyof typeof GROUPS): Command =>
  program.commands.find((command) => command.name() === name) ??
  program.command(name).description(GROUPS[name]);

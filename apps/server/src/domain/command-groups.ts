import type { Command } from "commander";

/** Commands that contain commands of several features, with their text in `--help`. */
const GROUPS = {
  project: "make, list, show, rename and delete projects",
  email: "the sender's domain, messages whose fate is unknown, addresses that get no mail",
  launch: "launches of campaigns: pause those that happen by themselves, launch one by hand",
  approvals: "what agents propose, which campaigns may launch by themselves, and what people decide",
  agent: "the agent: run it, replay its decisions, verify its history",
} as const;

/** The command of a group, to which a feature adds its own commands. */
export const commandGroup = (program: Command, name: keyof typeof GROUPS): Command =>
  program.commands.find((command) => command.name() === name) ??
  program.command(name).description(GROUPS[name]);

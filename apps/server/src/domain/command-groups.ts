import type { Command } from "commander";

/** Commands that contain commands of several features, with their text in `--help`. */
const GROUPS = {
  people: "invite, list and remove people, and let them back in",
  key: "replace keys",
  identity: "the secret that user hashes are made with",
  guardrails: "campaigns that were paused for a limit of their goal",
  source: "the repositories from which changes are deployed",
  mapping: "where changes have to be live before the campaigns that announce them launch",
  project: "make, list, show, rename and delete projects",
  email: "the sender's domain, messages whose fate is unknown, addresses that get no mail",
  launch: "launches of campaigns: pause those that happen by themselves, launch one by hand",
  approvals: "what agents propose, which campaigns may launch by themselves, and what people decide",
  agent: "the agent: run it, replay its decisions, verify its history",
} as const;

/** The command of a group, to which a feature adds its own commands. @throws Error for a group that is not listed */
export function commandGroup(program: Command, name: string): Command {
  const says = Object.entries(GROUPS).find(([group]) => group === name)?.[1];
  if (says === undefined) throw new Error(`No group of commands is called ${name}.`);
  return (
    program.commands.find((command) => command.name() === name) ?? program.command(name).description(says)
  );
}

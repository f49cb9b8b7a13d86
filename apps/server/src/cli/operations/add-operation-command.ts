import { Argument, type Command, Option } from "commander";
import { chosenProject, projectOption } from "../../features/access/public.ts";
import { nameOption, operatingUser, say } from "../../platform/cli/command.ts";
import { commandGroup } from "../../platform/cli/command-group.ts";
import type { CommandArgument, Given, OperationCommand } from "../../platform/cli/operation-command.ts";
import { ConfigError } from "../../platform/config.ts";
import { withHouse } from "../with-house.ts";
import { callOperation } from "./call-operation.ts";
import {
  asArguments,
  type OperationOptions,
  operationOptions,
  optionOf,
  readTyped,
} from "./operation-options.ts";

type Typed = Given & { project?: string; by?: string; json?: true };

/** The value of the argument. @throws ConfigError where it was given nowhere, or as two different values */
function argumentIn({ name, field }: CommandArgument, typed: string | undefined, given: Given): unknown {
  const chosen = typed ?? given[field];
  if (chosen === undefined) throw new ConfigError(`Name the ${name}: as an argument, or with --${field}.`);
  if (given[field] !== undefined && given[field] !== chosen)
    throw new ConfigError(`Name one ${name}: the argument and --${field} are different.`);
  return chosen;
}

/** What a command is about; null where `--project` decides. */
const scopeOf = ({ operation: { spec }, about }: OperationCommand): "project" | "organization" | null =>
  spec.scope === "either" ? (about ?? null) : (spec.scope ?? "project");

/** Runs a command that spells an operation, and prints what came of it. */
const run = (
  command: OperationCommand,
  options: OperationOptions,
  given: Given,
  typed: Typed,
): Promise<void> =>
  withHouse(async (app) => {
    const scope = scopeOf(command) ?? (typed.project === undefined ? "organization" : "project");
    const project = scope === "project" ? await chosenProject(app.database.kysely, typed.project) : null;
    const body = await callOperation(app, command.operation, {
      options,
      given,
      by: typed.by ?? operatingUser(),
      projectId: project?.id ?? null,
    });
    const answer: unknown = body === "" ? {} : JSON.parse(body);
    if (command.fails?.(answer)) process.exitCode = 1;
    const context = { given, project };
    say(typed.json ? (command.json?.(answer, context) ?? answer) : command.says(answer, context));
  });

/** Adds a command that spells an operation. */
export function addOperationCommand(program: Command, command: OperationCommand): void {
  const { words, operation, argument, sends = {}, hides = [] } = command;
  const [group = "", name = ""] = words.split(" ");
  const options = operationOptions(operation, command.options, argument);
  const left = [...hides, ...Object.keys(sends), ...(argument?.isOptionToo ? [] : [argument?.field])];
  const fields = Object.keys(options.properties).filter((field) => !left.includes(field));
  const added = commandGroup(program, group)
    .command(name)
    .description(command.description ?? operation.spec.summary.toLowerCase());
  if (argument !== undefined) {
    const shape = argument.isOptionToo ? `[${argument.name}]` : `<${argument.name}>`;
    added.addArgument(new Argument(shape, argument.says));
  }
  if (scopeOf(command) !== "organization") added.addOption(projectOption());
  for (const field of fields) {
    const option = optionOf(field, options);
    added.addOption(field === argument?.field ? option.makeOptionMandatory(false) : option);
  }
  if (command.takesBy)
    added.addOption(new Option("--by <name>", "who decides this, for the log").argParser(nameOption));
  added.option("--json", "print JSON");
  if (command.help !== undefined) added.addHelpText("after", command.help);
  added.action(async (...parts: unknown[]) => {
    const typed = added.opts<Typed>();
    const given = await readTyped(fields, typed, options);
    const chosen = argument && {
      [argument.field]: argumentIn(argument, parts[0] as string | undefined, given),
    };
    await run(command, options, asArguments({ ...sends, ...given, ...chosen }, options), typed);
  });
}

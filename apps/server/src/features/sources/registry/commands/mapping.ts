import { type Command, InvalidArgumentError } from "commander";
import {
  type AddCommands,
  nameOption,
  operatingUser,
  printable,
  say,
  withDatabase,
} from "../../../../platform/cli/command.ts";
import { ConfigError } from "../../../../platform/config.ts";
import { chosenProject, type ProjectOptions, projectOption } from "../../../access/public.ts";
import { refFault } from "../../git/url.pure.ts";
import { MOST_MAPPINGS, mapSource } from "../manage.ts";
import { deleteMapping } from "../store.ts";
import { toMapping } from "../view.ts";

type Where = ProjectOptions & { source: string; environment: string };
type AddOptions = Where & { follows?: string; scope?: string; by?: string };

const environmentOption = (typed: string): string => {
  if (typed.trim() === "" || typed.length > 128)
    throw new InvalidArgumentError("must be 1 to 128 characters.");
  return typed;
};

const refOption = (typed: string): string => {
  const fault = refFault(typed);
  if (fault !== null) throw new InvalidArgumentError(`${fault}.`);
  return typed;
};

const scopeOption = (typed: string): string => {
  if (typed.trim() === "" || typed.length > 200)
    throw new InvalidArgumentError("must be 1 to 200 characters.");
  return typed;
};

const command = (group: Command, name: string, description: string): Command =>
  group
    .command(name)
    .description(description)
    .addOption(projectOption())
    .requiredOption("--source <id>", "the source")
    .requiredOption("--environment <name>", "the environment, as deployments name it", environmentOption)
    .option("--json", "print JSON");

/** `tidings mapping`: where changes of a source have to be live before the campaigns that announce them launch. */
export const mappingCommands: AddCommands = (program) => {
  const group = program
    .command("mapping")
    .description("where changes have to be live before the campaigns that announce them launch");
  command(group, "add", "have campaigns wait for an environment; a further call confirms it anew")
    .option(
      "--follows <ref>",
      "the ref whose tip is what runs there, such as refs/heads/production: then nothing has to be reported",
      refOption,
    )
    .option("--scope <text>", "what people call the place", scopeOption)
    .option("--by <name>", "who confirms this", nameOption)
    .action(({ project, source, environment, follows, scope, by = operatingUser(), json }: AddOptions) =>
      withDatabase(async ({ database: { kysely } }) => {
        const { id: projectId } = await chosenProject(kysely, project);
        const now = Date.now();
        const mapping = await kysely.transaction().execute((tx) =>
          mapSource(tx, projectId, {
            sourceId: source,
            environment,
            scope: scope ?? null,
            follows: follows ?? null,
            confirmedBy: by,
            confirmedAt: now,
          }),
        );
        if (mapping === "unknown")
          throw new ConfigError(`The project has no source ${printable(source)}: tidings source list.`);
        if (mapping === "too_many") throw new ConfigError(`A source has at most ${MOST_MAPPINGS} mappings.`);
        const from = follows === undefined ? "deployments that are reported" : `the tip of ${follows}`;
        say(
          json
            ? toMapping(mapping)
            : printable(`Campaigns wait until changes of ${source} are live in ${environment}, by ${from}.`),
        );
      }),
    );
  command(group, "remove", "have campaigns wait for an environment no longer").action(
    ({ project, source, environment, json }: Where) =>
      withDatabase(async ({ database: { kysely } }) => {
        const { id: projectId } = await chosenProject(kysely, project);
        if (!(await deleteMapping(kysely, projectId, source, environment)))
          throw new ConfigError(
            printable(`The project has no mapping of ${source} to ${environment}: tidings source list.`),
          );
        say(json ? { removed: true } : printable(`Campaigns wait for ${environment} no longer.`));
      }),
  );
};

import { type AddCommands, printable, say, withDatabase } from "../../../../platform/cli/command.ts";
import { commandGroup } from "../../../../platform/cli/command-group.ts";
import { operationCommand } from "../../../../platform/cli/operation-command.ts";
import { ConfigError } from "../../../../platform/config.ts";
import { chosenProject, type ProjectOptions, projectOption } from "../../../access/public.ts";
import { confirmMapping } from "../confirm-mapping.ts";
import type { Mapping } from "../schema.ts";
import { deleteMapping } from "../store.ts";

/** `tidings mapping add`: where changes of a source have to be live before the campaigns that announce them launch. */
export const mappingCommand = operationCommand<{ mapping: Mapping }>({
  words: "mapping add",
  operation: confirmMapping,
  description: "have campaigns wait for an environment; a further call confirms it anew",
  options: {
    id: { name: "source", value: "id", says: "the source" },
    environment: { value: "name", says: "the environment, as deployments name it" },
    follows: {
      value: "ref",
      says: "the ref whose tip is what runs there, such as refs/heads/production: then nothing has to be reported",
    },
    scope: { says: "what people call the place" },
  },
  takesBy: true,
  says({ mapping: { environment, follows } }, { given }) {
    const from = follows === null ? "deployments that are reported" : `the tip of ${follows}`;
    return printable(`Campaigns wait until changes of ${given.id} are live in ${environment}, by ${from}.`);
  },
  json: ({ mapping }) => mapping,
});

type Where = ProjectOptions & { source: string; environment: string };

/** `tidings mapping remove`. The operation takes the id of a mapping, which no person knows. */
export const mappingCommands: AddCommands = (program) => {
  commandGroup(program, "mapping")
    .command("remove")
    .description("have campaigns wait for an environment no longer")
    .addOption(projectOption())
    .requiredOption("--source <id>", "the source")
    .requiredOption("--environment <name>", "the environment, as deployments name it")
    .option("--json", "print JSON")
    .action(({ project, source, environment, json }: Where) =>
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

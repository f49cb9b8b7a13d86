import { type Command, InvalidArgumentError, Option } from "commander";
import {
  type AddCommands,
  pairLines,
  printable,
  say,
  withDatabase,
} from "../../../../platform/cli/command.ts";
import { readText } from "../../../../platform/cli/read-text.ts";
import type { Config } from "../../../../platform/config.ts";
import { ConfigError } from "../../../../platform/config.ts";
import { secretsOnUse } from "../../../../platform/secrets.ts";
import { chosenProject, type ProjectOptions, projectOption } from "../../../access/public.ts";
import { branchFault } from "../../git/url.pure.ts";
import { addressFault, check, connect, MOST_SOURCES, remove, sealGiven } from "../manage.ts";
import { MOST_INSTRUCTIONS } from "../schema.ts";
import {
  findSource,
  listMappings,
  listSources,
  type SourceChangeOfPeople,
  type SourceRow,
  updateSource,
} from "../store.ts";
import { toSource } from "../view.ts";

type Given = ProjectOptions & {
  id?: string;
  kind?: "git" | "github";
  url?: string;
  branch?: string;
  credential?: string;
  knownHosts?: string;
  instructions?: string;
  enabled?: boolean;
  paused?: boolean;
};

const NONE = "none";

const idOf = (typed: string): string => {
  if (typed.trim() === "" || typed.length > 128 || /\p{Cc}/u.test(typed))
    throw new InvalidArgumentError("must be 1 to 128 characters.");
  return typed;
};

const branchOption = (typed: string): string => {
  const fault = branchFault(typed);
  if (fault !== null) throw new InvalidArgumentError(`${fault}.`);
  return typed;
};

const instructionsOption = (typed: string): string => {
  if (typed.length > MOST_INSTRUCTIONS)
    throw new InvalidArgumentError(`must be at most ${MOST_INSTRUCTIONS} characters.`);
  return typed;
};

const switchOption = (typed: string): boolean => {
  if (typed !== "true" && typed !== "false") throw new InvalidArgumentError("must be true or false.");
  return typed === "true";
};

/** The credential of a file or of standard input, sealed; null for none, undefined where it is not to change. */
async function sealedFrom(
  { credential, knownHosts }: Given,
  config: Config,
  where: { projectId: string; id: string },
): Promise<Buffer | null | undefined> {
  if (credential === undefined) return undefined;
  if (credential === NONE) return null;
  const given = {
    credential: await readText(credential),
    knownHosts: knownHosts === undefined ? null : await readText(knownHosts),
  };
  const kept = sealGiven(secretsOnUse(config), where, given);
  if ("fault" in kept) throw new ConfigError(`--credential ${kept.fault}`);
  return kept.sealed;
}

function assertUrl(url: string, kind: SourceRow["kind"], config: Config): void {
  const fault = addressFault({ url, kind }, { allowPrivate: config.sourcesPrivate });
  if (fault !== null) throw new ConfigError(`--url ${fault}`);
}

const withSource = (group: Command, name: string, description: string): Command =>
  group
    .command(name)
    .description(description)
    .argument("[id]", "the source", idOf)
    .option("--id <id>", "the source, where it is not an argument", idOf)
    .addOption(projectOption())
    .option("--json", "print JSON");

/** The source that a command names, as its argument or as `--id`. @throws ConfigError where it names none, or two */
function named(argument: string | undefined, { id }: { id?: string }): string {
  const chosen = argument ?? id;
  if (chosen === undefined) throw new ConfigError("Name the source: as an argument, or with --id.");
  if (argument !== undefined && id !== undefined && argument !== id)
    throw new ConfigError("Name one source: the argument and --id are different.");
  return chosen;
}

const describing = (command: Command): Command =>
  command
    .addOption(
      new Option("--kind <kind>", "github reads pull requests and deployments from its API as well").choices([
        "git",
        "github",
      ]),
    )
    .option("--branch <name>", "the branch from which changes are deployed", branchOption)
    .option(
      "--credential <file>",
      "a file with user:token, or a private key for ssh; - reads standard input, none removes it",
    )
    .option("--known-hosts <file>", "for ssh: the keys of the host, as ssh-keyscan prints them")
    .option(
      "--instructions <text>",
      "what an agent has to mind when it drafts campaigns",
      instructionsOption,
    );

const unknown = (id: string): ConfigError =>
  new ConfigError(`The project has no source ${printable(id)}: tidings source list.`);

function addAdd(group: Command): void {
  describing(withSource(group, "add", "follow a repository"))
    .requiredOption("--url <url>", "its address, without credentials: https://, ssh:// or git@host:path")
    .action((argument: string | undefined, given: Given & { url: string }) =>
      withDatabase(async ({ database: { kysely } }, config) => {
        const id = named(argument, given);
        const { id: projectId } = await chosenProject(kysely, given.project);
        const { kind = "git" } = given;
        assertUrl(given.url, kind, config);
        const credential = (await sealedFrom(given, config, { projectId, id })) ?? null;
        const { url, branch = "main", instructions = "" } = given;
        const source = { id, kind, url, byOperator: true, branch, credential, instructions };
        const became = await kysely.transaction().execute((tx) => connect(tx, projectId, source, Date.now()));
        if (became === "too_many") throw new ConfigError(`A project has at most ${MOST_SOURCES} sources.`);
        if (became === "known")
          throw new ConfigError(`The project has a source ${printable(id)} already: tidings source set.`);
        say(
          given.json
            ? { id, repository: url, branch }
            : printable(`${id} is followed: ${branch} of ${url}. Say where it goes: tidings mapping add.`),
        );
      }),
    );
}

function addSet(group: Command): void {
  describing(withSource(group, "set", "change what is given, and keep the rest"))
    .option("--url <url>", "its address, without credentials")
    .option("--paused <flag>", "true has campaigns that announce its changes wait", switchOption)
    .option("--enabled <flag>", "false looks at it no longer", switchOption)
    .action((argument: string | undefined, given: Given) =>
      withDatabase(async ({ database: { kysely } }, config) => {
        const id = named(argument, given);
        const { id: projectId } = await chosenProject(kysely, given.project);
        const { kind, url, branch, instructions, paused, enabled } = given;
        const known = await findSource(kysely, projectId, id);
        if (known === null) throw unknown(id);
        if (url !== undefined || kind !== undefined) assertUrl(url ?? known.url, kind ?? known.kind, config);
        const credential = await sealedFrom(given, config, { projectId, id });
        // A person who can run commands here is an operator.
        const byOperator = url === undefined ? undefined : true;
        const all = { kind, url, byOperator, branch, instructions, paused, enabled, credential };
        const change = Object.fromEntries(
          Object.entries(all).filter(([, value]) => value !== undefined),
        ) as SourceChangeOfPeople;
        if (Object.keys(change).length === 0) throw new ConfigError("Say what to change: --help lists it.");
        if (!(await updateSource(kysely, projectId, id, change, Date.now()))) throw unknown(id);
        say(given.json ? { id, changed: Object.keys(change) } : printable(`${id} is changed.`));
      }),
    );
}

function addCheck(group: Command): void {
  withSource(group, "check", "ask the repository now whether it can be read").action(
    (argument: string | undefined, given: Given) =>
      withDatabase(async ({ database: { kysely } }, config) => {
        const { project, json } = given;
        const id = named(argument, given);
        const { id: projectId } = await chosenProject(kysely, project);
        const source = await findSource(kysely, projectId, id);
        if (source === null) throw unknown(id);
        const { signal } = new AbortController();
        const { reason, detail, tipSha } = await check(config, secretsOnUse(config), source, signal);
        if (reason !== null) process.exitCode = 1;
        const failed = `${id} cannot be read: ${reason}${detail === null ? "" : `, ${detail}`}`;
        if (json) say({ id, ok: reason === null, reason, detail, tipSha });
        else
          say(printable(reason === null ? `${id} can be read: ${source.branch} is at ${tipSha}.` : failed));
      }),
  );
}

function addList(group: Command): void {
  group
    .command("list")
    .description("list repositories, how they are, and where they go")
    .addOption(projectOption())
    .option("--json", "print JSON")
    .action(({ project, json }: ProjectOptions) =>
      withDatabase(async ({ database: { kysely } }) => {
        const { id: projectId } = await chosenProject(kysely, project);
        const mappings = await listMappings(kysely, projectId);
        const sources = (await listSources(kysely, projectId)).map((row) => toSource(row, mappings));
        if (json) return say(sources);
        const pages = sources.map(({ id, repository, branch, state, reason, tipSha, ...source }) =>
          pairLines({
            source: printable(id),
            repository: printable(repository),
            branch,
            state: reason === null ? state : `${state}: ${reason}`,
            ...(source.enabled ? {} : { enabled: "false" }),
            ...(source.paused ? { paused: "true" } : {}),
            ...(tipSha === null ? {} : { tip: tipSha }),
            ...Object.fromEntries(
              source.mappings.map(({ environment, follows }) => [
                printable(`to ${environment}`),
                printable(follows ?? "as it is reported"),
              ]),
            ),
          }),
        );
        say(pages.length === 0 ? "There are no sources: tidings source add." : pages.join("\n\n"));
      }),
    );
}

function addRemove(group: Command): void {
  withSource(group, "remove", "forget a repository, its mappings and deployments").action(
    (argument: string | undefined, given: Given) =>
      withDatabase(async ({ database: { kysely } }, config) => {
        const { project, json } = given;
        const id = named(argument, given);
        const { id: projectId } = await chosenProject(kysely, project);
        if (!(await remove(kysely, config, { projectId, id }))) throw unknown(id);
        say(
          json ? { removed: true } : printable(`${id} is removed. Campaigns that announce its changes wait.`),
        );
      }),
  );
}

/** `tidings source`: the repositories from which changes are deployed. */
export const sourceCommands: AddCommands = (program) => {
  const group = program.command("source").description("the repositories from which changes are deployed");
  addAdd(group);
  addSet(group);
  addList(group);
  addCheck(group);
  addRemove(group);
};

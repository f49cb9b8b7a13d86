import type { z } from "zod";
import { pairLines, printable } from "../../../../platform/cli/command.ts";
import { type Given, operationCommand } from "../../../../platform/cli/operation-command.ts";
import { readText } from "../../../../platform/cli/read-text.ts";
import { changeSource } from "../change-source.ts";
import { checkSource } from "../check-source.ts";
import { connectSource } from "../connect-source.ts";
import { listSources } from "../list-sources.ts";
import type { Checked } from "../manage.ts";
import { removeSource } from "../remove-source.ts";
import type { Source } from "../schema.ts";

type Shown = { source: z.output<typeof Source> };

const ARGUMENT = { field: "id", name: "source", isOptionToo: true } as const;

const NONE = "none";

const OPTIONS = {
  id: { value: "id", says: "the source, where it is not an argument" },
  kind: { says: "github reads pull requests and deployments from its API as well" },
  branch: { value: "name", says: "the branch from which changes are deployed" },
  // A secret is never typed into a command, which the machine's other users can read.
  credential: {
    value: "file",
    says: "a file with user:token, or a private key for ssh; - reads standard input, none removes it",
    reads: (file: string) => (file === NONE ? null : readText(file)),
  },
  knownHosts: {
    value: "file",
    says: "for ssh: a file with the keys of the host, as ssh-keyscan prints them",
    reads: readText,
  },
  instructions: { says: "what an agent has to mind when it drafts campaigns" },
};

/** A source as `source list` shows it. */
function page(source: Shown["source"]): string {
  const { id, repository, branch, state, reason, tipSha, enabled, paused, mappings } = source;
  return pairLines({
    source: printable(id),
    repository: printable(repository),
    branch,
    state: reason === null ? state : `${state}: ${reason}`,
    ...(enabled ? {} : { enabled: "false" }),
    ...(paused ? { paused: "true" } : {}),
    ...(tipSha === null ? {} : { tip: tipSha }),
    ...Object.fromEntries(
      mappings.map(({ environment, follows }) => [
        printable(`to ${environment}`),
        printable(follows ?? "as it is reported"),
      ]),
    ),
  });
}

/** What a source can be read as, and why not. */
function checkedText(id: unknown, { reason, detail, tipSha }: Checked): string {
  if (reason === null) return `${id} can be read: its branch is at ${tipSha}.`;
  return `${id} cannot be read: ${reason}${detail === null ? "" : `, ${detail}`}`;
}

/** The fields of a change that were given, without what only goes together with another one. */
const changedIn = ({ id: _, knownHosts: __, ...changes }: Given): string[] => Object.keys(changes);

/** `tidings source`: the repositories from which changes are deployed. */
export const sourceCommands = [
  operationCommand<Shown>({
    words: "source add",
    operation: connectSource,
    description: "follow a repository",
    argument: ARGUMENT,
    options: OPTIONS,
    says: ({ source: { id, branch, repository } }) =>
      printable(`${id} is followed: ${branch} of ${repository}. Say where it goes: tidings mapping add.`),
    json: ({ source: { id, repository, branch } }) => ({ id, repository, branch }),
  }),
  operationCommand<Shown>({
    words: "source set",
    operation: changeSource,
    description: "change what is given, and keep the rest",
    argument: ARGUMENT,
    options: OPTIONS,
    says: (_, { given }) => printable(`${given.id} is changed.`),
    json: (_, { given }) => ({ id: given.id, changed: changedIn(given) }),
  }),
  operationCommand<{ sources: Shown["source"][] }>({
    words: "source list",
    operation: listSources,
    description: "list repositories, how they are, and where they go",
    says: ({ sources }) => sources.map(page).join("\n\n") || "There are no sources: tidings source add.",
    json: ({ sources }) => sources,
  }),
  operationCommand<Checked>({
    words: "source check",
    operation: checkSource,
    description: "ask the repository now whether it can be read",
    argument: ARGUMENT,
    says: (checked, { given }) => printable(checkedText(given.id, checked)),
    json: (checked, { given }) => ({ id: given.id, ok: checked.reason === null, ...checked }),
    fails: ({ reason }) => reason !== null,
  }),
  operationCommand({
    words: "source remove",
    operation: removeSource,
    description: "forget a repository, its mappings and deployments",
    argument: ARGUMENT,
    says: (_, { given }) => printable(`${given.id} is removed. Campaigns that announce its changes wait.`),
    json: () => ({ removed: true }),
  }),
];

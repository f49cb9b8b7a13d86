import { printable } from "../../../platform/cli/command.ts";
import { operationCommand } from "../../../platform/cli/operation-command.ts";
import { readText } from "../../../platform/cli/read-text.ts";
import { changeSync } from "../change-sync.ts";
import { createSync } from "../create-sync.ts";
import { deleteSync } from "../delete-sync.ts";
import { listSyncs } from "../list-syncs.ts";
import { placeText } from "../places/place-text.pure.ts";
import { runSync } from "../run-sync.ts";
import type { Sync } from "../schema.ts";

const FOLDER = "folder:";

/** A place as it is typed: a folder of the server, or a file that says where a bucket is, so that its key stands in no list of processes. */
const placeIn = async (typed: string): Promise<string> =>
  typed.startsWith(FOLDER) ? JSON.stringify({ folder: typed.slice(FOLDER.length) }) : readText(typed);

const instant = (at: number): string => new Date(at).toISOString();

const stateOf = ({ state, failingSince, fault, succeededAt }: Sync): string => {
  if (state === "off") return "off";
  if (failingSince !== null) return `failing since ${instant(failingSince)}: ${fault}`;
  return succeededAt === null ? "nothing is written yet" : `up to date at ${instant(succeededAt)}`;
};

/** A sync on a line. What a store answers is anything. */
const lineOf = (sync: Sync): string =>
  printable(
    [
      sync.id,
      placeText(sync.to),
      sync.lists.join(","),
      sync.format,
      `every ${sync.every}`,
      stateOf(sync),
    ].join("  "),
  );

const ID = { field: "id", name: "id", says: "of the sync, as `tidings sync list` shows it" };

/** `tidings sync list`, `add`, `change`, `run` and `remove`. */
export const syncCommands = [
  operationCommand<{ syncs: Sync[] }>({
    words: "sync list",
    operation: listSyncs,
    says: ({ syncs }) => (syncs.length === 0 ? "There are none." : syncs.map(lineOf).join("\n")),
  }),
  operationCommand<{ sync: Sync }>({
    words: "sync add",
    operation: createSync,
    options: {
      lists: { name: "list", says: "a list to write; may be given several times" },
      to: {
        value: "place",
        says: "folder:<name> for a folder of the server; for a bucket the file, or - for standard input, with its JSON",
        reads: placeIn,
      },
    },
    help: `
A bucket is {"s3": {"endpoint": "https://s3.eu-central-1.amazonaws.com", "region": "eu-central-1", "bucket": "…",
"prefix": "tidings", "accessKeyId": "…", "secretAccessKey": "…"}}. The server writes what is due. See docs/syncs.md.`,
    takesBy: true,
    says: ({ sync }) => lineOf(sync),
  }),
  operationCommand<{ sync: Sync }>({
    words: "sync change",
    operation: changeSync,
    argument: ID,
    options: {
      lists: {
        name: "list",
        says: "a list to write, in place of those of before; may be given several times",
      },
      keys: {
        value: "file",
        says: "the file, or - for standard input, with the JSON of other keys: accessKeyId, secretAccessKey",
        reads: readText,
      },
    },
    takesBy: true,
    says: ({ sync }) => lineOf(sync),
  }),
  operationCommand<{ sync: Sync }>({
    words: "sync run",
    operation: runSync,
    argument: ID,
    takesBy: true,
    says: ({ sync }) => lineOf(sync),
  }),
  operationCommand({
    words: "sync remove",
    operation: deleteSync,
    argument: ID,
    takesBy: true,
    says: () => "It is deleted. Its files stay where they are.",
  }),
];

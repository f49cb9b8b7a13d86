import { type Command, InvalidArgumentError } from "commander";
import { commandGroup } from "../../../../domain/command-groups.ts";
import {
  type AddCommands,
  countOption,
  nameOption,
  operatingUser,
  printable,
  say,
  withDatabase,
} from "../../../../platform/cli/command.ts";
import { chosenProject, type ProjectOptions, projectOption } from "../../../access/public.ts";
import { decideSuppression } from "../decide.ts";
import { listSuppressionChanges } from "../decide-store.ts";
import { parseAddress } from "../rules.ts";
import { listSuppressions, type Suppression } from "../store.ts";
import { addLift } from "./lift.ts";

/** Parses an option that is an email address. */
const mailbox = (text: string): string => {
  const found = parseAddress(text);
  if (found === null) throw new InvalidArgumentError("must be an email address.");
  return found.address;
};

const GONE = "(erased)";
const time = (at: number): string => new Date(at).toISOString();

const line = ({ address, reason, suppressedAt }: Suppression): string =>
  `${time(suppressedAt)}  ${reason.padEnd(12)}  ${printable(address ?? GONE)}`;

type Change = Awaited<ReturnType<typeof listSuppressionChanges>>[number];

const logLine = ({ address, before, after, by, at }: Change): string =>
  `${time(at)}  ${printable(by)}  ${printable(address ?? GONE)}  ${before ?? "allowed"} -> ${after ?? "allowed"}`;

function addList(email: Command): void {
  email
    .command("suppressions")
    .description("list addresses that get no mail of the project, and why, newest first")
    .addOption(projectOption())
    .option("--log", "instead, what people decided: who stopped mail to an address, or allowed it")
    .option("--limit <n>", "how many at most", countOption, 1_000)
    .option("--json", "print JSON")
    .action(({ project: wanted, log, limit, json }: ProjectOptions & { log?: true; limit: number }) =>
      withDatabase(async ({ database: { kysely } }) => {
        const { id: project } = await chosenProject(kysely, wanted);
        if (log) {
          const changes = await listSuppressionChanges(kysely, project, limit);
          if (json) say(changes);
          else say(changes.map(logLine).join("\n") || "Nobody decided about an address yet.");
          return;
        }
        const found = await listSuppressions(kysely, project, limit + 1);
        const shown = found.slice(0, limit);
        if (json) say(shown);
        else if (shown.length === 0) say("Every address gets mail.");
        else {
          const more = found.length > limit ? ["There are more: --limit shows them."] : [];
          say([...shown.map(line), ...more].join("\n"));
        }
      }),
    );
}

const VERDICTS = {
  suppress: {
    description: "stop mail to an address, from the next message on",
    changed: (address: string) => `${address} gets no mail any more.`,
    same: (address: string, before: string | null) =>
      `${address} got no mail before${before === null ? "" : ` (${before})`}: nothing changed.`,
  },
  allow: {
    description: "let mail to an address leave again; also after a complaint, so be sure that they want it",
    changed: (address: string, before: string | null) => `${address} gets mail again; it was ${before}.`,
    same: (address: string) => `${address} was not suppressed: nothing changed.`,
  },
} as const;

function addVerdict(email: Command, verdict: keyof typeof VERDICTS): void {
  const words = VERDICTS[verdict];
  email
    .command(verdict)
    .description(words.description)
    .addOption(projectOption())
    .requiredOption("--address <address>", "the email address", mailbox)
    .option("--by <name>", "who decides this, for the log", nameOption)
    .option("--json", "print JSON")
    .action(
      ({
        project: wanted,
        address,
        by = operatingUser(),
        json,
      }: ProjectOptions & { address: string; by?: string }) =>
        withDatabase(async ({ database: { kysely } }) => {
          const { id: project } = await chosenProject(kysely, wanted);
          const decision = { by, at: Date.now() };
          const { before, changed } = await kysely
            .transaction()
            .execute((tx) => decideSuppression(tx, project, address, verdict, decision));
          if (json) say({ address, isSuppressed: verdict === "suppress", before, changed });
          else say(words[changed ? "changed" : "same"](address, before));
        }),
    );
}

/** `tidings email suppressions`, `suppress`, `allow` and `lift`: the addresses that get no mail. Decisions are logged. */
export const suppressionCommands: AddCommands = (program) => {
  const email = commandGroup(program, "email");
  addList(email);
  addVerdict(email, "suppress");
  addVerdict(email, "allow");
  addLift(email);
};

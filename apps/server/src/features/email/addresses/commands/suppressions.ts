import type { Command } from "commander";
import type { z } from "zod";
import {
  type AddCommands,
  countOption,
  printable,
  say,
  withDatabase,
} from "../../../../platform/cli/command.ts";
import { commandGroup } from "../../../../platform/cli/command-group.ts";
import { operationCommand } from "../../../../platform/cli/operation-command.ts";
import { chosenProject, type ProjectOptions, projectOption } from "../../../access/public.ts";
import { allowEmailAddress } from "../allow-email-address.ts";
import { listSuppressionChanges } from "../decide-store.ts";
import type { SuppressionDecided } from "../schema.ts";
import { listSuppressions, type Suppression } from "../store.ts";
import { suppressEmailAddress } from "../suppress-email-address.ts";
import { addLift } from "./lift.ts";

const GONE = "(erased)";
const time = (at: number): string => new Date(at).toISOString();

const line = (stopped: Suppression): string => {
  const { address, reason, suppressedAt, receiptsStoppedBy, receiptsStoppedAt } = stopped;
  const at = suppressedAt ?? receiptsStoppedAt ?? 0;
  const receipts = receiptsStoppedBy === null ? "" : `receipts: ${receiptsStoppedBy}`;
  return `${time(at)}  ${(reason ?? "").padEnd(12)}  ${receipts.padEnd(20)}  ${printable(address ?? GONE)}`;
};

type Change = Awaited<ReturnType<typeof listSuppressionChanges>>[number];

const logLine = ({ address, before, after, by, at }: Change): string =>
  `${time(at)}  ${printable(by)}  ${printable(address ?? GONE)}  ${before ?? "allowed"} -> ${after ?? "allowed"}`;

function addList(email: Command): void {
  email
    .command("suppressions")
    .description("list addresses that get no mail of campaigns, or no receipts, and why, newest first")
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

type Decided = z.output<typeof SuppressionDecided>;

const ADDRESS = { address: { says: "the email address" } };

const shown =
  (isSuppressed: boolean) =>
  ({ address, before, changed }: Decided) => ({ address, isSuppressed, before, changed });

export const suppressCommand = operationCommand<Decided>({
  words: "email suppress",
  operation: suppressEmailAddress,
  description: "stop mail to an address, from the next message on",
  options: ADDRESS,
  takesBy: true,
  says({ address, before, changed }) {
    if (changed) return `${address} gets no mail any more.`;
    return `${address} got no mail before${before === null ? "" : ` (${before})`}: nothing changed.`;
  },
  json: shown(true),
});

export const allowCommand = operationCommand<Decided>({
  words: "email allow",
  operation: allowEmailAddress,
  description: "let mail to an address leave again; also after a complaint, so be sure that they want it",
  options: ADDRESS,
  takesBy: true,
  says: ({ address, before, changed }) =>
    changed
      ? `${address} gets mail again; it was ${before}.`
      : `${address} was not suppressed: nothing changed.`,
  json: shown(false),
});

/** `tidings email suppressions` and `lift`: the addresses that get no mail. Decisions are logged. */
export const suppressionCommands: AddCommands = (program) => {
  const email = commandGroup(program, "email");
  addList(email);
  addLift(email);
};

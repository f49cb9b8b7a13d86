import type { Command } from "commander";
import { apiId } from "../../../domain/ids.ts";
import { printable, say, withDatabase } from "../../../platform/cli/command.ts";
import { commandGroup } from "../../../platform/cli/command-group.ts";
import { operationCommand } from "../../../platform/cli/operation-command.ts";
import { chosenProject, type ProjectOptions, projectOption } from "../../access/public.ts";
import { clearGuardrails } from "../clear-guardrails.ts";
import { type BreachRow, listBreaches } from "../store.ts";

const time = (at: number): string => new Date(at).toISOString();

const line = ({
  breachedAt,
  campaignId,
  guardrail,
  limitValue,
  observed,
  clearedAt,
  ...row
}: BreachRow): string => {
  const state = clearedAt === null ? "open" : `cleared by ${row.clearedBy}: ${row.clearReason}`;
  const campaign = apiId("cmp", campaignId);
  return printable(`${time(breachedAt)}  ${campaign}  ${guardrail} ${limitValue}, was ${observed}  ${state}`);
};

const shown = ({
  runId,
  campaignId,
  projectId: _,
  limitValue,
  ...row
}: BreachRow & { campaignName: string }) => ({
  ...row,
  limit: limitValue,
  campaignId: apiId("cmp", campaignId),
  runId: apiId("run", runId),
});

function addList(group: Command): void {
  group
    .command("list")
    .description("list the campaigns that were paused for a guardrail, newest first")
    .addOption(projectOption())
    .option("--json", "print JSON")
    .action(({ project: wanted, json }: ProjectOptions) =>
      withDatabase(async ({ database: { kysely } }) => {
        const { id } = await chosenProject(kysely, wanted);
        const breaches = await listBreaches(kysely, id);
        if (json) say(breaches.map(shown));
        else say(breaches.map(line).join("\n") || "No campaign was paused for a guardrail.");
      }),
    );
}

const clear = operationCommand<{ cleared: number }>({
  words: "guardrails clear",
  operation: clearGuardrails,
  description:
    "let a campaign that was paused for a guardrail be launched again; its rates are counted from now on",
  argument: { field: "id", name: "campaign", says: "the id of the campaign" },
  options: { reason: { says: "why, for the log" } },
  takesBy: true,
  says: ({ cleared }, { given }) =>
    cleared === 0 ? "There was nothing to clear." : `${given.id} may be launched again.`,
  json: ({ cleared }, { given }) => ({ campaignId: given.id, cleared }),
});

/** `tidings guardrails list` and `clear`: campaigns that were paused for a limit of their goal. */
export const guardrailCommands = [(program: Command) => addList(commandGroup(program, "guardrails")), clear];

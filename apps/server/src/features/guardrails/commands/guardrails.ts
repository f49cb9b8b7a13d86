import type { Command } from "commander";
import { apiId, uuidFor } from "../../../domain/ids.ts";
import {
  type AddCommands,
  nameOption,
  operatingUser,
  printable,
  say,
  withDatabase,
} from "../../../platform/cli/command.ts";
import { ConfigError } from "../../../platform/config.ts";
import { chosenProject, type ProjectOptions, projectOption } from "../../access/public.ts";
import { clearBreaches } from "../clear.ts";
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

function addClear(group: Command): void {
  group
    .command("clear")
    .argument("<campaign>", "the id of the campaign")
    .description(
      "let a campaign that was paused for a guardrail be launched again; its rates are counted from now on",
    )
    .addOption(projectOption())
    .requiredOption("--reason <text>", "why, for the log", nameOption)
    .option("--by <name>", "who decides this, for the log", nameOption)
    .option("--json", "print JSON")
    .action(
      (
        campaign: string,
        {
          project: wanted,
          reason,
          by = operatingUser(),
          json,
        }: ProjectOptions & { reason: string; by?: string },
      ) =>
        withDatabase(async ({ database: { kysely } }) => {
          const { id } = await chosenProject(kysely, wanted);
          const decision = { by, reason, at: Date.now() };
          const cleared = await kysely
            .transaction()
            .setIsolationLevel("repeatable read")
            .execute((tx) => clearBreaches(tx, id, uuidFor("cmp", campaign), decision));
          if (cleared === null) throw new ConfigError(`The project has no campaign ${printable(campaign)}.`);
          if (json) say({ campaignId: campaign, cleared });
          else if (cleared === 0) say("There was nothing to clear.");
          else say(`${campaign} may be launched again.`);
        }),
    );
}

/** `tidings guardrails list` and `clear`: campaigns that were paused for a limit of their goal. */
export const guardrailCommands: AddCommands = (program) => {
  const group = program
    .command("guardrails")
    .description("campaigns that were paused for a limit of their goal");
  addList(group);
  addClear(group);
};

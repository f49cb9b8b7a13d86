import type { Command } from "commander";
import { uuidFor } from "../domain/ids.ts";
import { chosenProject, type ProjectOptions, projectOption } from "../features/access/public.ts";
import { launchByPerson } from "../features/launch/public.ts";
import { nameOption, operatingUser, printable, say } from "../platform/cli/command.ts";
import { commandGroup } from "../platform/cli/command-group.ts";
import { ConfigError } from "../platform/config.ts";
import { ApiError } from "../platform/http/contract/errors.ts";
import { checkedLines, checkTexts } from "./check-texts.ts";
import { withHouse } from "./with-house.ts";

type Options = ProjectOptions & { reason: string; by?: string };

/** Adds `launch campaign` to the command. It needs the whole house, because every channel may refuse a launch. */
export function addLaunchCommand(program: Command): void {
  commandGroup(program, "launch")
    .command("campaign")
    .description("launch a campaign although changes that it announces are not live everywhere")
    .argument("<campaign>", "the id of the campaign")
    .addOption(projectOption())
    .requiredOption("--reason <text>", "why, for people who read it later", nameOption)
    .option("--by <name>", "who decides this, for the log", nameOption)
    .option("--json", "print JSON")
    .action((campaign: string, { project, reason, by = operatingUser(), json }: Options) =>
      withHouse(async (app) => {
        const { id: projectId } = await chosenProject(app.database.kysely, project);
        const found = await checkTexts({ app, projectId }, campaign);
        const status = await app.database.kysely.transaction().execute(async (db) => {
          const ctx = { app, db, projectId, now: Date.now() };
          try {
            return await launchByPerson(ctx, uuidFor("cmp", campaign), { by, reason });
          } catch (error) {
            if (error instanceof ApiError) throw new ConfigError(error.message, { cause: error });
            throw error;
          }
        });
        if (status === null) throw new ConfigError(`The project has no campaign ${printable(campaign)}.`);
        const lines = found === null ? [] : checkedLines(found);
        say(
          json
            ? {
                campaignId: campaign,
                status,
                reach: found?.reach,
                missing: found?.missing,
                warnings: found?.warnings,
              }
            : [...lines, `${campaign} is launched.`].map(printable).join("\n"),
        );
      }),
    );
}

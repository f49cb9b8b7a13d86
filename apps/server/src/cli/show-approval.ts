import type { Command } from "commander";
import { createTidings } from "../app.ts";
import { commandGroup } from "../domain/command-groups.ts";
import { chosenProject, type ProjectOptions, projectOption } from "../features/access/public.ts";
import { approvalPage } from "../features/approvals/public.ts";
import { printable, say, withDatabase } from "../platform/cli/command.ts";
import { atOneInstant } from "../platform/db/at-one-instant.ts";
import { secretsOnUse } from "../platform/secrets.ts";
import { checkedLines, findingsOf } from "./check-texts.ts";

/** Adds `approvals show` to the command. It needs the whole house, because it says what `launch check` does as well. */
export function addShowCommand(program: Command): void {
  commandGroup(program, "approvals")
    .command("show")
    .description("show exactly what would be applied, or launched, and what may be wrong with it")
    .argument("<id>", "the proposal or campaign")
    .addOption(projectOption())
    .option("--json", "print JSON")
    .action((id: string, { project, json }: ProjectOptions) =>
      withDatabase(async ({ database }, config, log) => {
        const { id: projectId } = await chosenProject(database.kysely, project);
        const { app } = createTidings({ config, database, log, secrets: secretsOnUse(config) });
        const { page, found } = await atOneInstant(database.kysely, async (db) => {
          const within = { app, db, projectId, now: app.clock() };
          const shown = await approvalPage(within, id, json === true);
          return { page: shown, found: await findingsOf(within, id) };
        });
        if (typeof page !== "string") return say({ ...page, findings: found });
        const lines = found === null ? [] : checkedLines(found);
        say(
          [
            page,
            "what may be wrong",
            ...(lines.length === 0 ? ["Nothing was found."] : lines).map((each) => `  ${printable(each)}`),
          ].join("\n"),
        );
      }),
    );
}

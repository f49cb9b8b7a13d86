import type { Command } from "commander";
import { chosenProject, type ProjectOptions, projectOption } from "../features/access/public.ts";
import { approvalPage } from "../features/approvals/public.ts";
import { printable, say } from "../platform/cli/command.ts";
import { commandGroup } from "../platform/cli/command-group.ts";
import { atOneInstant } from "../platform/db/transactions/at-one-instant.ts";
import { findingsOf, linesOrNothing } from "./check-texts.ts";
import { withHouse } from "./with-house.ts";

/** Adds `approvals show` to the command. It needs the whole house, because it says what `launch check` does as well. */
export function addShowCommand(program: Command): void {
  commandGroup(program, "approvals")
    .command("show")
    .description("show exactly what would be applied, or launched, and what may be wrong with it")
    .argument("<id>", "the proposal or campaign")
    .addOption(projectOption())
    .option("--json", "print JSON")
    .action((id: string, { project, json }: ProjectOptions) =>
      withHouse(async (app) => {
        const { id: projectId } = await chosenProject(app.database.kysely, project);
        const { page, found } = await atOneInstant(app.database.kysely, async (db) => {
          const within = { app, db, projectId, now: app.clock() };
          const shown = await approvalPage(within, id, json === true);
          return { page: shown, found: await findingsOf(within, id) };
        });
        if (typeof page !== "string") return say({ ...page, findings: found });
        const lines = linesOrNothing(found).map((each) => `  ${printable(each)}`);
        say([page, "what may be wrong", ...lines].join("\n"));
      }),
    );
}

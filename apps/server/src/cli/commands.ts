import type { Command } from "commander";
import { commandGroups, commands, endpoints, outgoing, plugs, tags } from "../features.ts";
import { say, withDatabase } from "../platform/cli/command.ts";
import { addCommandGroups } from "../platform/cli/command-group.ts";
import { migrate } from "../platform/db/migrate.ts";
import { openApiDocument } from "../platform/http/openapi/document.ts";
import { createPorts } from "../platform/runtime.ts";
import { addBackupCommand } from "./backup.ts";
import { addCheckCommand } from "./check-texts.ts";
import { addDemoCommand } from "./demo.ts";
import { addDoctorCommand } from "./doctor.ts";
import { addImportFileCommands } from "./import-file.ts";
import { addLaunchCommand } from "./launch-campaign.ts";
import { addMoveCommand } from "./move.ts";
import { addOperationCommand } from "./operations/add-operation-command.ts";
import { addCallCommand } from "./operations/call.ts";
import { addShowCommand } from "./show-approval.ts";

/** Adds every command but `serve`, those of the features among them. */
export function addCommands(program: Command): void {
  program
    .command("migrate")
    .description("bring the database up to date")
    .action(() =>
      withDatabase(
        async ({ database }) => {
          const applied = await migrate(database.pool);
          say(
            applied.length === 0
              ? "The database is up to date."
              : applied.map((name) => `applied ${name}`).join("\n"),
          );
        },
        { begins: true, migrates: true },
      ),
    );

  addCommandGroups(program, commandGroups);
  const ports = createPorts(plugs);
  for (const command of commands)
    if (typeof command === "function") command(program, ports);
    else addOperationCommand(program, command);
  addLaunchCommand(program);
  addCheckCommand(program);
  addShowCommand(program);
  addDemoCommand(program);
  addImportFileCommands(program);
  addDoctorCommand(program);
  addBackupCommand(program, ports);
  addMoveCommand(program, ports);
  addCallCommand(program);

  program
    .command("openapi")
    .description("print the OpenAPI document")
    .action(() => say(openApiDocument({ endpoints, tags, outgoing })));
}

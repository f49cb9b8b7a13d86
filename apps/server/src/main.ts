import { Command } from "commander";
import { addCheckCommand } from "./cli/check-texts.ts";
import { addDemoCommand } from "./cli/demo.ts";
import { addDoctorCommand } from "./cli/doctor.ts";
import { addLaunchCommand } from "./cli/launch-campaign.ts";
import { addOperationCommand } from "./cli/operations/add-operation-command.ts";
import { addCallCommand } from "./cli/operations/call.ts";
import { serve } from "./cli/serve.ts";
import { addShowCommand } from "./cli/show-approval.ts";
import { commandGroups, commands, endpoints, plugs, tags } from "./features.ts";
import { readBuild } from "./platform/build.ts";
import { say, withDatabase } from "./platform/cli/command.ts";
import { addCommandGroups } from "./platform/cli/command-group.ts";
import { refusalOf } from "./platform/cli/refusal.ts";
import { loadConfig } from "./platform/config.ts";
import { migrate } from "./platform/db/migrate.ts";
import { openApiDocument } from "./platform/http/openapi/document.ts";
import { createLog } from "./platform/log.ts";
import { createPorts } from "./platform/runtime.ts";

const { version } = await readBuild();

const program = new Command("tidings")
  .description("Targeted messages to the users of a product, measured exactly.")
  .version(version);

program
  .command("serve")
  .description("run the server")
  .option("--roles <roles>", "what this process does: api, worker, agent, or several with commas")
  .action(async ({ roles }: { roles?: string }) => {
    const config = loadConfig(roles === undefined ? process.env : { ...process.env, ROLES: roles });
    await serve(config, createLog(config.logLevel, config.logFile));
  });

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
addDoctorCommand(program);
addCallCommand(program);

program
  .command("openapi")
  .description("print the OpenAPI document")
  .action(() => say(openApiDocument(endpoints, tags)));

try {
  await program.parseAsync();
} catch (error) {
  const refusal = refusalOf(error);
  if (refusal === null) throw error;
  console.error(refusal);
  process.exitCode = 1;
}

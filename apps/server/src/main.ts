import { Command, Option } from "commander";
import { minutes, named, say, uuid, withDatabase } from "./cli/command.ts";
import { addDoctorCommand } from "./cli/doctor.ts";
import { addEmailDomainCommand } from "./cli/email-domain.ts";
import { addSuppressionCommands } from "./cli/email-suppressions.ts";
import { addUnknownCommands } from "./cli/email-unknown.ts";
import { addIdentityCommand } from "./cli/identity.ts";
import { addPortableCommands } from "./cli/portable.ts";
import { serve } from "./cli/serve.ts";
import { addSettingsCommand } from "./cli/settings.ts";
import { createProject, listProjectsAcrossProjects, rotateKey } from "./features/access/public.ts";
import { endpoints } from "./features.ts";
import { MINUTE_MS } from "./platform/clock.ts";
import { ConfigError, loadConfig } from "./platform/config.ts";
import { migrate } from "./platform/db/migrate.ts";
import type { KeyKind } from "./platform/http/endpoint.ts";
import { openApiDocument } from "./platform/http/openapi.ts";
import { createLog } from "./platform/log.ts";

const program = new Command("tidings").description(
  "Targeted messages to the users of a product, measured exactly.",
);

program
  .command("serve")
  .description("run the server")
  .option("--roles <roles>", "what this process does: api, worker, or both with a comma")
  .action(async ({ roles }: { roles?: string }) => {
    const config = loadConfig(roles === undefined ? process.env : { ...process.env, ROLES: roles });
    await serve(config, createLog(config.logLevel, config.logFile));
  });

program
  .command("migrate")
  .description("bring the database up to date")
  .action(() =>
    withDatabase(async ({ database }) => {
      const applied = await migrate(database.pool);
      say(
        applied.length === 0
          ? "The database is up to date."
          : applied.map((name) => `applied ${name}`).join("\n"),
      );
    }),
  );

const project = program.command("project").description("make and list projects");

project
  .command("create")
  .description("make a project; its keys are printed this once")
  .requiredOption("--name <name>", "what people call it", named)
  .option("--json", "print JSON")
  .action(({ name, json }: { name: string; json?: true }) =>
    withDatabase(async ({ database }) => {
      const keys = await database.kysely.transaction().execute((tx) => createProject(tx, name, Date.now()));
      say(
        json
          ? keys
          : Object.entries(keys)
              .map(([key, value]) => `${key.padEnd(16)}${value}`)
              .join("\n"),
      );
    }),
  );

project
  .command("list")
  .description("list the projects")
  .option("--json", "print JSON")
  .action(({ json }: { json?: true }) =>
    withDatabase(async ({ database }) => {
      const projects = await listProjectsAcrossProjects(database.kysely);
      say(
        json
          ? projects
          : projects.map(({ id, name, publishableKey }) => `${id}  ${publishableKey}  ${name}`).join("\n"),
      );
    }),
  );

program
  .command("key")
  .description("replace keys")
  .command("rotate")
  .description("make a new key and let the old one go; the new one is printed this once")
  .requiredOption("--project <id>", "the project", uuid)
  .addOption(
    new Option("--kind <kind>", "which key")
      .choices(["publishable", "secret", "agent"])
      .makeOptionMandatory(),
  )
  .option("--grace <minutes>", "how long the old key still works", minutes, 0)
  .option("--json", "print JSON")
  .action((options: { project: string; kind: KeyKind; grace: number; json?: true }) =>
    withDatabase(async ({ database }) => {
      const { project: projectId, kind, grace, json } = options;
      const key = await database.kysely
        .transaction()
        .execute((tx) => rotateKey(tx, projectId, kind, Date.now(), grace * MINUTE_MS));
      if (key === null) throw new ConfigError(`There is no project ${projectId}.`);
      say(json ? { projectId, kind, key } : key);
    }),
  );

addSettingsCommand(program);
addIdentityCommand(program);

const email = program
  .command("email")
  .description("the sender's domain, messages whose fate is unknown, addresses that get no mail");
addEmailDomainCommand(email);
addUnknownCommands(email);
addSuppressionCommands(email);

addPortableCommands(program);
addDoctorCommand(program);

program
  .command("openapi")
  .description("print the OpenAPI document")
  .action(() => say(openApiDocument(endpoints)));

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

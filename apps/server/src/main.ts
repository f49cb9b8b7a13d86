import { Command, InvalidArgumentError, Option } from "commander";
import { createTidings } from "./app.ts";
import { type Connection, connectCommand } from "./cli/connect.ts";
import { serve } from "./cli/serve.ts";
import { createProject, listProjectsAcrossProjects, rotateKey } from "./features/access/public.ts";
import { endpoints } from "./features.ts";
import { MINUTE_MS } from "./platform/clock.ts";
import { type Config, ConfigError, loadConfig } from "./platform/config.ts";
import { migrate } from "./platform/db/migrate.ts";
import type { KeyKind } from "./platform/http/endpoint.ts";
import { openApiDocument } from "./platform/http/openapi.ts";
import { createLog, type Log } from "./platform/log.ts";

const say = (value: unknown): void =>
  console.log(typeof value === "string" ? value : JSON.stringify(value, null, 2));

/** A command on the database: beside a running server, or alone. */
async function withDatabase(
  act: (connection: Connection, config: Config, log: Log) => Promise<void>,
): Promise<void> {
  const config = loadConfig(process.env);
  const log = createLog("warn");
  const connection = await connectCommand(config, log);
  try {
    await act(connection, config, log);
  } finally {
    await connection.close();
  }
}

const named = (text: string): string => {
  if (text.trim() === "" || text.length > 80) throw new InvalidArgumentError("must be 1 to 80 characters.");
  return text;
};

const uuid = (text: string): string => {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text))
    throw new InvalidArgumentError("must be a project id.");
  return text;
};

const minutes = (text: string): number => {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError("must be a whole number of minutes.");
  return Number(text);
};

const program = new Command("tidings").description(
  "Targeted messages to the users of a product, measured exactly.",
);

program
  .command("serve")
  .description("run the server")
  .option("--roles <roles>", "what this process does: api, worker, or both with a comma")
  .action(async ({ roles }: { roles?: string }) => {
    const config = loadConfig(roles === undefined ? process.env : { ...process.env, ROLES: roles });
    await serve(config, createLog(config.logLevel));
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

program
  .command("doctor")
  .description("recount every counter and check every invariant; exits 1 on a difference")
  .option("--json", "print JSON")
  .action(({ json }: { json?: true }) =>
    withDatabase(async ({ database }, config, log) => {
      const found = await createTidings({ config, database, log }).check();
      const differences = found.reduce((sum, check) => sum + check.differences, 0);
      say(
        json
          ? { differences, checks: found }
          : found.map((check) => `${check.differences}  ${check.name}`).join("\n"),
      );
      if (!json) say(`${differences} differences`);
      if (differences > 0) process.exitCode = 1;
    }),
  );

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

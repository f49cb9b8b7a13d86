import { Command } from "commander";
import { serve } from "./cli/serve.ts";
import { readBuild } from "./platform/build.ts";
import { refusalOf } from "./platform/cli/refusal.ts";
import { loadConfig } from "./platform/config.ts";
import { createLog } from "./platform/log.ts";

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

// Loading the others takes half a second, and the server has to begin before.
if (process.argv[2] !== "serve") {
  const { addCommands } = await import("./cli/commands.ts");
  addCommands(program);
}

try {
  await program.parseAsync();
} catch (error) {
  const refusal = refusalOf(error);
  if (refusal === null) throw error;
  console.error(refusal);
  process.exitCode = 1;
}

import { Option } from "commander";
import { type AddCommands, minutes, printable, say, withDatabase } from "../../../platform/cli/command.ts";
import { MINUTE_MS } from "../../../platform/clock.ts";
import { ConfigError } from "../../../platform/config.ts";
import type { KeyKind } from "../../../platform/http/endpoint.ts";
import { chosenProject, projectOption } from "../project-option.ts";
import { rotateKey } from "../projects.ts";

type Options = { project?: string; kind: KeyKind; grace: number; json?: true };

/** `tidings key`: the API keys of a project. */
export const keyCommands: AddCommands = (program) => {
  program
    .command("key")
    .description("replace keys")
    .command("rotate")
    .description("make a new key and let the old one go; the new one is printed this once")
    .addOption(projectOption())
    .addOption(
      new Option("--kind <kind>", "which key")
        .choices(["publishable", "secret", "agent"])
        .makeOptionMandatory(),
    )
    .option("--grace <minutes>", "how long the old key still works", minutes, 0)
    .option("--json", "print JSON")
    .action(({ project: wanted, kind, grace, json }: Options) =>
      withDatabase(async ({ database: { kysely } }) => {
        const { id: projectId } = await chosenProject(kysely, wanted);
        const key = await kysely
          .transaction()
          .execute((tx) => rotateKey(tx, projectId, kind, Date.now(), grace * MINUTE_MS));
        if (key === null) throw new ConfigError(`There is no project ${printable(projectId)}.`);
        say(json ? { projectId, kind, key } : key);
      }),
    );
};

import {
  type AddCommands,
  minutes,
  nameOption,
  operatingUser,
  say,
  withDatabase,
} from "../../../platform/cli/command.ts";
import { DAY_MS, MINUTE_MS } from "../../../platform/clock.ts";
import { secretsOnUse } from "../../../platform/secrets.ts";
import { chosenProject, projectOption } from "../../access/public.ts";
import { identitySecret } from "../identity-secret.ts";
import { orConfigError } from "./or-config-error.ts";

type Options = { project?: string; rotate?: true; grace: number; by?: string; json?: true };

/** `tidings identity`: the secret with which a customer's servers prove who their visitors are. No API key can read it. */
export const identityCommands: AddCommands = (program) => {
  program
    .command("identity")
    .description("the secret that user hashes are made with")
    .command("secret")
    .description(
      "show the project's identity secret, which is made on first use; with --rotate, make another",
    )
    .addOption(projectOption())
    .option("--rotate", "make another one; the present one is believed for the grace period")
    .option("--grace <minutes>", "how long the present one is still believed", minutes, DAY_MS / MINUTE_MS)
    .option("--by <name>", "who decides this, for the log", nameOption)
    .option("--json", "print JSON")
    .action(({ project: wanted, rotate, grace, by = operatingUser(), json }: Options) =>
      withDatabase(async ({ database }, config) => {
        const { id: project } = await chosenProject(database.kysely, wanted);
        const request = { rotate: rotate === true, graceMs: grace * MINUTE_MS };
        const answered = database.kysely
          .transaction()
          .execute((tx) =>
            identitySecret(tx, secretsOnUse(config), project, request, { by, now: Date.now() }),
          );
        const { secret, isNew } = await orConfigError(answered);
        say(json ? { projectId: project, secret, isNew } : secret);
      }),
    );
};

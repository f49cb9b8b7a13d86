import { type AddCommands, say, withDatabase } from "../../../platform/cli/command.ts";
import { acceptKey } from "../../../platform/secrets/canary.ts";
import { secretsOnUse } from "../../../platform/secrets/secrets.ts";

/** `tidings secret-key`: the operator's one key, of which the database has a canary. */
export const secretKeyCommands: AddCommands = (program) => {
  program
    .command("secret-key")
    .description("the key that seals what is stored")
    .command("accept")
    .description("take the present secret key as the right one, where the former one is lost")
    .option("--json", "print JSON")
    .action(({ json }: { json?: true }) =>
      withDatabase(async ({ database }, config) => {
        await acceptKey(database.kysely, secretsOnUse(config));
        const done =
          "The present secret key is the right one from now on. Set again what the former one sealed: passwords of mail servers, webhook secrets, identity secrets, keys of push and DKIM.";
        say(json ? { accepted: true } : done);
      }),
    );
};

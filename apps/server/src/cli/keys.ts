import { type Command, Option } from "commander";
import { rotateKey } from "../features/access/public.ts";
import { acceptKey } from "../platform/canary.ts";
import { MINUTE_MS } from "../platform/clock.ts";
import { ConfigError } from "../platform/config.ts";
import type { KeyKind } from "../platform/http/endpoint.ts";
import { secretsOnUse } from "../platform/secrets.ts";
import { minutes, printable, say, withDatabase } from "./command.ts";
import { chosenProject, projectOption } from "./project-option.ts";

type Options = { project?: string; kind: KeyKind; grace: number; json?: true };

/** `tidings key`: the API keys of a project. */
export function addKeyCommand(program: Command): void {
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
}

/** `tidings secret-key`: the operator's one key, of which the database has a canary. */
export function addSecretKeyCommand(program: Command): void {
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
}

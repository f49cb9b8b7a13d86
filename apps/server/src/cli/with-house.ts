import { createTidings } from "../app.ts";
import { withDatabase } from "../platform/cli/command.ts";
import type { App } from "../platform/runtime.ts";
import { secretsOnUse } from "../platform/secrets/secrets.ts";

/** Runs a command that needs the whole house, because several features have a say in it: on the database, beside a running server or alone. */
export const withHouse = (act: (app: App) => Promise<void>): Promise<void> =>
  withDatabase(({ database }, config, log) =>
    act(createTidings({ config, database, log, secrets: secretsOnUse(config) }).app),
  );

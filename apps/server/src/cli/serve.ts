import { createTidings, type Tidings } from "../app.ts";
import { createProject, listProjectsAcrossProjects, type ProjectKeys } from "../features/access/public.ts";
import { type Config, ConfigError } from "../platform/config.ts";
import type { Database } from "../platform/db/db.ts";
import { lockUntilCommit } from "../platform/db/lock.ts";
import type { Log } from "../platform/log.ts";
import { createSecrets, loadSecretKey } from "../platform/secrets.ts";
import { connectServer } from "./connect.ts";

const DRAIN_TIMEOUT_MS = 10_000;

/** The first start makes a project, once however many processes start together. */
async function makeFirstProject(database: Database): Promise<ProjectKeys | null> {
  return database.kysely.transaction().execute(async (tx) => {
    await lockUntilCommit(tx, "firstProject");
    if ((await listProjectsAcrossProjects(tx)).length > 0) return null;
    return createProject(tx, "My project", Date.now());
  });
}

function welcome(address: string, { demo, isPrivate }: Config, keys: ProjectKeys | null): string {
  const lines = [`Tidings is running at ${address}`, `  API reference    ${address}/docs`];
  if (demo) lines.push(`  Demo shop        ${address}/demo`, `  Demo phone       ${address}/demo/device`);
  if (isPrivate)
    lines.push(`  Outbox           ${address}/demo/outbox (mail of projects without a mail server)`);
  if (keys === null)
    lines.push('  Keys             shown when they were made; "npm run tidings key rotate" makes new ones');
  else {
    lines.push(
      `  Project          ${keys.projectId}`,
      `  Publishable key  ${keys.publishableKey}`,
      `  Secret key       ${keys.secretKey}`,
      `  Agent key        ${keys.agentKey}`,
      "  The secret and the agent key are shown this once: only their hashes are stored.",
    );
  }
  return lines.join("\n");
}

async function listen(tidings: Tidings, { port, host }: Config): Promise<string> {
  try {
    return await tidings.listen();
  } catch (cause) {
    const { syscall, code } = cause as NodeJS.ErrnoException;
    if (syscall === undefined) throw cause;
    throw new ConfigError(`PORT ${port} on HOST ${host} cannot be listened on: ${code}`, { cause });
  }
}

/** Runs the server until SIGTERM or SIGINT, then drains: stop accepting, finish, close the database. */
export async function serve(config: Config, log: Log): Promise<void> {
  const asked = Promise.withResolvers<string>();
  // Also while it starts: whatever was started by then is stopped in order.
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => asked.resolve(signal));
  const secrets = createSecrets(loadSecretKey(config));
  const connection = await connectServer(config, log);
  const tidings = createTidings({ config, database: connection.database, log, secrets });
  try {
    if (config.roles.includes("worker")) await tidings.startWorker();
    const keys = await makeFirstProject(connection.database);
    if (config.roles.includes("api")) console.log(welcome(await listen(tidings, config), config, keys));
    else log.info("working jobs");
    log.info({ signal: await asked.promise }, "stopping");
    // Whatever hangs must not hold the process for longer than its supervisor waits.
    setTimeout(() => process.exit(1), DRAIN_TIMEOUT_MS).unref();
  } finally {
    await tidings.close();
    await connection.embedded?.stop();
  }
  // All is finished and written. Connections that are kept for a next message (to mail servers) are not waited for.
  process.exit();
}

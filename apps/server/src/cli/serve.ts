import { createTidings } from "../app.ts";
import { makeEntryToken } from "../features/demo/public.ts";
import { firstLink, personOrigin } from "../features/people/public.ts";
import { connectServer } from "../platform/cli/connect.ts";
import type { Config } from "../platform/config.ts";
import type { Database } from "../platform/db/db.ts";
import { hasEmbedded } from "../platform/db/embedded/place.ts";
import type { Log } from "../platform/log.ts";
import { checkKey, WRONG_KEY } from "../platform/secrets/canary.ts";
import { createSecrets, loadSecretKey, type Secrets } from "../platform/secrets/secrets.ts";
import { keyLines, knownLines, makeFirstProject } from "./first-project.ts";
import { orListenFault, tryAddress } from "./listening.ts";

const DRAIN_TIMEOUT_MS = 10_000;
const SIGNALS = ["SIGTERM", "SIGINT"] as const;

type Addresses = { address: string; origin: string; entryToken: string };

function welcome(
  { address, origin, entryToken }: Addresses,
  { demo, isPrivate }: Config,
  projectLines: readonly string[],
): string {
  const lines = [
    `Tidings is running at ${address}`,
    `  Dashboard        ${origin}/app`,
    `  API reference    ${address}/docs`,
  ];
  const token = isPrivate ? `?token=${entryToken}` : "";
  if (demo)
    lines.push(`  Demo shop        ${address}/demo${token}`, `  Demo phone       ${address}/demo/device`);
  if (isPrivate)
    lines.push(
      `  Outbox           ${address}/demo/outbox${token}`,
      "                   (mail of projects without a mail server; for a week, then by a sign-in)",
    );
  return [...lines, ...projectLines].join("\n");
}

/** The way in for the first person. It is printed at every start until a person has used it. */
const linkLines = (link: string): string[] => [
  "",
  "  Open this to make your account. It works once, within a day; the next start prints another:",
  `  ${link}`,
];

/** Warns where the secret key is not the one of before. The server runs nevertheless, because most of it needs no key. */
async function sayOfKey(database: Database, secrets: Secrets, log: Log): Promise<void> {
  if (await checkKey(database.kysely, secrets)) return;
  console.error(WRONG_KEY);
  log.error("the secret key is not the one that this database was used with");
}

/** Runs the server until SIGTERM or SIGINT, then drains: stop accepting, finish, close the database. */
export async function serve(config: Config, log: Log): Promise<void> {
  const stopRequest = Promise.withResolvers<string>();
  // A signal may come while the server starts: what was started by then is stopped in order.
  for (const signal of SIGNALS) process.once(signal, stopRequest.resolve);
  try {
    await serveUntil(stopRequest.promise, config, log);
  } finally {
    // A start that was refused leaves nothing that a signal could stop in order: it ends the process from now on.
    for (const signal of SIGNALS) process.off(signal, stopRequest.resolve);
  }
}

async function serveUntil(stopRequest: Promise<string>, config: Config, log: Log): Promise<void> {
  const isApi = config.roles.includes("api");
  if (isApi) await tryAddress(config);
  const secrets = createSecrets(loadSecretKey(config));
  if (config.databaseUrl === null && !hasEmbedded(config.dataDir))
    console.log(`Making the database in ${config.dataDir}: that takes some seconds, this once.`);
  const connection = await connectServer(config, log);
  const { database } = connection;
  const tidings = createTidings({ config, database, log, secrets });
  try {
    await sayOfKey(database, secrets, log);
    if (config.roles.includes("worker")) await tidings.startWorker();
    if (isApi) {
      // First the address, then the project: a process that cannot listen must not make keys that it never shows.
      const address = await orListenFault(config, tidings.listen());
      const first = await makeFirstProject(database, config);
      const lines = first === null ? await knownLines(database) : keyLines(first);
      const origin = personOrigin(tidings.app.publicUrl(), config);
      const link = await firstLink(database.kysely, origin, tidings.app.clock());
      console.log(
        welcome(
          { address, origin, entryToken: makeEntryToken(secrets, tidings.app.clock()) },
          config,
          link === null ? lines : [...lines, ...linkLines(link)],
        ),
      );
    } else log.info({ roles: config.roles }, "working jobs");
    if (config.roles.includes("agent")) await tidings.startAgent();
    const signal = await stopRequest;
    log.info({ signal }, "stopping");
    // A part that hangs must not keep the process longer than its supervisor waits.
    setTimeout(() => process.exit(1), DRAIN_TIMEOUT_MS).unref();
  } finally {
    await tidings.close();
    await connection.embedded?.stop();
  }
  // All work is written. Connections to mail servers that are kept for a next message are not waited for.
  process.exit();
}
